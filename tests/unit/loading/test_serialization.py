from __future__ import annotations

import os
import pickle
from collections.abc import Iterator
from operator import attrgetter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roce_lint.loading.load import load
from roce_lint.loading.serialization import LENGTH, SEAL, ForeignError, pack, seal, unpack
from roce_lint.model import path as paths
from roce_lint.model.apply import Lines, Setting, apply_settings
from roce_lint.model.device import Device, Role
from roce_lint.model.dump import dump
from roce_lint.model.interface import Fec, Interface
from roce_lint.model.sourced import Concern, Home, Part
from roce_lint.text.source import SourceFile, SourceMap
from roce_lint.text.tree import Document
from tests.sampling import sample
from tests.unit.loading.making import eos


def device() -> Device:
    src = SourceMap()
    src.add(SourceFile.of("leaf1.cfg", eos()), "running-config")
    port = Interface(
        name="Ethernet1", fec=Fec.RS, tagged_vlans=frozenset({3, 7}), src=src, at={"": 4}
    )
    return Device(
        hostname="leaf1", nos="eos", role=Role.LEAF, interfaces={"Ethernet1": port}, src=src
    )


def test_a_device_comes_back_as_it_was() -> None:
    was = device()
    came = unpack(pack(was))
    assert came == was
    assert came.interfaces["Ethernet1"].src is came.src
    assert came.interfaces["Ethernet1"].where().position == 4
    assert came.src.files == was.src.files


def test_devices_of_equal_layout_share_places_and_change_alone() -> None:
    one, other, odd = device(), device(), device()
    other.hostname, other.interfaces["Ethernet1"].at = "leaf2", {"": 4, "10.0.0.1/31": 5}
    odd.interfaces["Ethernet1"].at = {"": 3}
    came = [unpack(pack(each)) for each in (one, one, other, odd)]
    ports = [each.interfaces["Ethernet1"] for each in came]
    assert ports[0].at is ports[1].at
    assert [port.at for port in ports[1:]] == [{"": 4}, {"": 4, "10.0.0.1/31": 5}, {"": 3}]
    path = paths.Path("leaf1", (paths.Step("interfaces", "Ethernet1"), paths.Step("ip_mtu")))
    wanted = [Setting(path, 9000, line="leaf1:e[1] ip_mtu=9000")]
    changed = apply_settings(came[0], wanted, Lines(wanted))
    assert changed.interfaces["Ethernet1"].where("ip_mtu").position > 4
    assert ports[1].at == {"": 4}


@pytest.mark.parametrize("one_in", [8, pytest.param(1, marks=pytest.mark.deep)])
def test_every_real_device_comes_back(corpus: Path, one_in: int) -> None:
    """No reader creates a class that is not part of the model."""
    loaded = load(tuple(str(corpus / name) for name in ("eos", "nxos", "sonic", "host")))
    assert {found.nos for found in loaded.devices} == {"eos", "nxos", "sonic", "linux"}
    nos, name = attrgetter("nos"), attrgetter("hostname")
    for found in sample(loaded.devices, one_in, nos, name=name):
        came = unpack(pack(found))
        assert came == found
        assert dump(came) == dump(found)


class Call:
    """An object that pickles as a function call."""

    def __init__(self, function: object, *args: object) -> None:
        self.call = (function, args)

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return self.call


def by_name(module: str, name: str) -> bytes:
    """A pickle that resolves a name of a module and calls it without arguments."""
    return pickle.PROTO + b"\4" + b"".join(
        pickle.SHORT_BINUNICODE + bytes([len(text)]) + text.encode() for text in (module, name)
    ) + pickle.STACK_GLOBAL + pickle.EMPTY_TUPLE + pickle.REDUCE + pickle.STOP  # fmt: skip


def foreign(marker: Path) -> Iterator[bytes]:
    """Pickles that would run code, each in another way."""
    yield pickle.dumps(Call(os.system, f"touch {marker}"))
    yield pickle.dumps(Call(eval, f"open({str(marker)!r}, 'w')"))
    yield pickle.dumps(Call(Path.touch, marker))
    yield b"cos\nsystem\n(S'touch %b'\ntR." % os.fsencode(marker)
    yield by_name("roce_lint.model.device", "enum.sys.exit")
    yield by_name("roce_lint.model.dump", "json.loads")
    yield by_name("roce_lint.model.device", "dataclass")
    yield by_name("roce_lint.model.units", "parse_dscp")
    yield by_name("roce_lint.model.interface", "PortQos")  # imported there, at home elsewhere
    yield by_name("roce_lint.text.source", "digest")
    yield by_name("roce_lint.pipeline", "Request")
    yield by_name("roce_lint.model.device", "Gone")
    yield by_name("roce_lint.model.gone", "Device")


def placed(places: bytes, rest: bytes) -> bytes:
    return len(places).to_bytes(LENGTH, "big") + places + rest


def test_places_and_the_rest_are_read_apart() -> None:
    data = pack(device())[SEAL:]
    end = LENGTH + int.from_bytes(data[:LENGTH], "big")
    assert unpack(seal(placed(data[LENGTH:end], data[end:]))) == device()


@pytest.mark.parametrize("number", range(13))
def test_what_is_no_data_of_ours_is_refused(tmp_path: Path, number: int) -> None:
    data = list(foreign(tmp_path / "marker"))[number]
    places = pickle.dumps([])
    for whole in (placed(places, data), placed(data, places)):
        with pytest.raises(ForeignError):
            unpack(seal(whole))
    assert list(tmp_path.iterdir()) == []


def test_the_ways_are_all_tried(tmp_path: Path) -> None:
    assert len(list(foreign(tmp_path))) == 13


@pytest.mark.parametrize("value", [None, [], {"a": 1}, Interface(name="x"), frozenset({1})])
def test_what_is_no_device_is_refused(value: object) -> None:
    with pytest.raises(ForeignError, match="no Device but"):
        unpack(pack(value))  # type: ignore[arg-type]
    with pytest.raises(ForeignError):  # nor is it taken as Python itself would write it
        unpack(seal(placed(pickle.dumps([]), pickle.dumps(value))))


@given(
    st.lists(st.tuples(st.integers(0, 1 << 16), st.integers(0, 255)), max_size=5),
    st.integers(0, 1 << 16),
)
def test_broken_bytes_are_refused(changes: list[tuple[int, int]], cut: int) -> None:
    whole = pack(device())
    data = bytearray(whole)
    for at, value in changes:
        data[at % len(data)] = value
    broken = bytes(data[: cut % (2 * len(data))])
    if broken != whole:
        with pytest.raises(ForeignError, match="corrupt"):
            unpack(broken)


@given(st.integers(0, 1 << 16))
def test_what_ends_too_early_is_refused(cut: int) -> None:
    """Even if the checksum is right, as for bytes of another version."""
    data = pack(device())[SEAL:]
    with pytest.raises(ForeignError):
        unpack(seal(data[: cut % len(data)]))


def test_a_place_in_a_later_yaml_document_comes_back() -> None:
    was = device()
    position = was.src.path(0, (Document(1), "ethernets", "mtu"))
    assert unpack(pack(was)).src.keys_of(position) == (0, (Document(1), "ethernets", "mtu"))


def test_every_kind_of_key_of_a_place_comes_back() -> None:
    device = Device(hostname="leaf1", nos="eos")
    device.at |= {"": 1, "nos": 2, Home("role"): 3, Part("pools", 3): 4, Concern.LIMIT: 5}
    assert unpack(pack(device)).at == device.at
