from __future__ import annotations

import json
import random
import re
import sqlite3
from collections import Counter
from collections.abc import Callable
from copy import copy
from dataclasses import replace
from ipaddress import IPv6Address
from pathlib import Path
from typing import Any

import pytest

from roce_lint.analysis.analyse import forget_tags
from roce_lint.loading import host_copies, intake, pool
from roce_lint.loading.cache import FILE
from roce_lint.loading.group import Group
from roce_lint.loading.load import LoadResult, load
from roce_lint.loading.pool import Read, read_group
from roce_lint.loading.serialization import flat
from roce_lint.model.change import Change
from roce_lint.model.device import Device
from roce_lint.model.diff import differences
from roce_lint.pipeline import Request
from roce_lint.pipeline.evaluation import Terms
from roce_lint.remedy.effect import changed
from roce_lint.settings import Settings
from tests.unit.loading.making import put

Fleet = dict[str, dict[str, str]]
"""Texts by file name, by host."""

HOSTS = 6


def host(number: int) -> dict[str, str]:
    """The files of one host of a fleet."""
    name = f"gpu-{number:02}"
    mac, ip = f"94:6d:ae:00:{number:02x}:10", f"10.1.{number}.1"
    v4 = IPv6Address(f"::ffff:{ip}").exploded
    local = IPv6Address(f"fe80::966d:aeff:fe00:{number:02x}10").exploded
    address = {"family": "inet", "local": ip, "prefixlen": 31, "scope": "global"}
    link = {"ifindex": 2, "ifname": "ens1np0", "mtu": 9000, "address": mac, "link_type": "ether"}
    leaf = {"id": [{"type": "mac", "value": f"aa:bb:cc:00:00:{number:02x}"}],
        "name": [{"value": f"leaf-{number // 4}"}]}  # fmt: skip
    port = {"id": [{"type": "ifname", "value": f"Ethernet{number}/1"}],
        "descr": [{"value": f"Eth{number}"}]}  # fmt: skip
    heard = {"name": "ens1np0", "via": "LLDP", "rid": str(number), "age": f"0 day, 00:0{number}:13",
        "chassis": [leaf], "port": [port]}  # fmt: skip
    lldp = {"lldp": [{"interface": [heard]}]}
    qos = "DCBX mode: OS controlled\nPriority trust state: dscp\nPFC configuration:\n"
    qos += "\tpriority    0   1   2   3   4   5   6   7\n"
    qos += "\tenabled     0   0   0   1   0   0   0   0   \n"
    gids = "DEV\tPORT\tINDEX\tGID\t\t\t\t\tIPv4\t\tVER\tDEV\n---\t----\t-----\n"
    gids += f"mlx5_0\t1\t0\t{local}\t\t\tv2\tens1np0\n"
    gids += f"mlx5_0\t1\t3\t{v4}\t{ip}\tv2\tens1np0\nn_gids_found=2\n"
    info = "hca_id:\tmlx5_0\n\ttransport:\t\tInfiniBand (0)\n\tfw_ver:\t\t28.42.1000\n"
    info += f"\tnode_guid:\t\t946d:ae03:0000:{number:04x}\n\t\tport:\t1\n"
    info += "\t\t\tstate:\t\tPORT_ACTIVE (4)\n\t\t\tlink_layer:\tEthernet\n"
    info += f"\t\t\tGID[  0]:\t\t{local}, RoCE v2\n\t\t\tGID[  3]:\t\t::ffff:{ip}, RoCE v2\n"
    outputs = {
        "ip-addr.json": ("ip -d -j addr show", json.dumps([{**link, "addr_info": [address]}])),
        "lldp.json": ("lldpcli -f json0 show neighbors details", json.dumps(lldp)),
        "qos.txt": ("mlnx_qos -i ens1np0", qos),
        "gids.txt": ("show_gids", gids),
        "info.txt": ("ibv_devinfo -v", info),
        "nccl.conf": ("cat /etc/nccl.conf", "NCCL_IB_TC=106\nNCCL_IB_GID_INDEX=3\n"),
        "uname.txt": ("uname -a", f"Linux {name} 5.15.0 x86_64\n"),
        "hostname.txt": ("hostname", f"{name}\n"),
    }
    return {
        leaf: f"# command: {command}  host: {name}  time: 2026-10-07T06:1{number}:11Z\n{text}"
        for leaf, (command, text) in outputs.items()
    }


def fleet() -> Fleet:
    return {f"gpu-{number:02}": host(number) for number in range(HOSTS)}


Loads = Callable[..., LoadResult]


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Loads:
    """Load a fleet with copies, and require the result of reading every host."""

    def loads(files: Fleet, **given: object) -> LoadResult:
        root = put(
            tmp_path,
            {f"{h}/{leaf}": text for h, own in files.items() for leaf, text in own.items()},
        )
        monkeypatch.setattr(host_copies, "FEWEST", 4)
        found = load((str(root),), jobs=1, **given)  # type: ignore[arg-type]
        with monkeypatch.context() as patch:
            patch.setattr(host_copies, "FEWEST", 1 << 30)
            patch.setattr(intake, "SHORT", 0)
            full = load((str(root),), jobs=1)
        assert [flat(plain(one)) for one in found.devices] == [flat(one) for one in full.devices]
        assert found.diagnostics == full.diagnostics
        return found

    return loads


def plain(device: Device) -> Device:
    """The device without its shape."""
    made = copy(device)
    made.shape = None
    return made


def shapes(result: LoadResult) -> list[int]:
    """The number of hosts of each shape, the largest first; hosts without one are left out."""
    counts = Counter(device.shape for device in result.devices if device.shape is not None)
    return sorted(counts.values(), reverse=True)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The devices that are read while the test runs."""
    seen: list[str] = []

    def spy(group: Group, **given: Any) -> Read:
        seen.append(group.device)
        return read_group(group, **given)

    monkeypatch.setattr(pool, "read_group", spy)
    return seen


def test_equal_hosts_are_copies_with_their_own_values(copied: Loads, reads: list[str]) -> None:
    result = copied(fleet())
    assert shapes(result) == [HOSTS]
    assert reads[:4] == ["roce-lint-own-000", "gpu-00", "gpu-03", "gpu-05"]
    assert len(reads) == 4 + HOSTS
    device = result.devices[4]
    port, nic = device.interfaces["ens1np0"], device.nics["mlx5_0"]
    assert (device.hostname, port.addresses, port.aliases[0]) == (
        "gpu-04", ("10.1.4.1/31",), "94:6d:ae:00:04:10",
    )  # fmt: skip
    assert (port.neighbors[0].device, port.neighbors[0].names) == (
        "leaf-1", ("Ethernet4/1", "Eth4"),
    )  # fmt: skip
    assert [gid.gid for gid in nic.gids] == ["fe80::966d:aeff:fe00:410", "::ffff:10.1.4.1"]
    assert {ref.name.split("/")[0] for ref in device.src.files} == {"gpu-04"}
    assert device.src.files[0].time == "2026-10-07T06:14:11Z"


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("qos.txt", "0   0   0   1", "0   0   1   0"),
        ("nccl.conf", "106", "105"),
        ("info.txt", "28.42", "28.43"),
        ("ip-addr.json", "9000", "1500"),
        ("ip-addr.json", "10.1.2.1", "127.0.0.1"),
        ("ip-addr.json", "94:6d:ae:00:02:10", "00:00:00:00:00:00"),
        ("gids.txt", "ffff:0a01:0201", "ffff:0a01:0202"),  # not the address beside it
        ("lldp.json", "leaf-0", "id"),
        ("lldp.json", "Ethernet2/1", "Eth2"),  # twice the same
        ("lldp.json", "Eth2", "a b"),
        ("lldp.json", "leaf-0", "ens1np0"),
        ("uname.txt", "5.15", "# roce-lint: ignore ECN101 -- 5.15"),
    ],
)
def test_a_host_that_differs_is_read(copied: Loads, file: str, old: str, new: str) -> None:
    files = fleet()
    files["gpu-02"][file] = files["gpu-02"][file].replace(old, new)
    result = copied(files)
    assert (shapes(result), result.devices[2].shape) == ([HOSTS - 1], None)


def test_a_file_more_or_less_is_another_shape(copied: Loads) -> None:
    files = fleet()
    del files["gpu-01"]["uname.txt"]
    files["gpu-02"]["set-up.sh"] = "#!/bin/sh\nmlnx_qos -i ens1np0 --pfc 0,0,0,1,0,0,0,0\n"
    assert [one.shape is None for one in copied(files).devices] == [
        number in (1, 2) for number in range(HOSTS)
    ]


def test_few_hosts_are_read(copied: Loads) -> None:
    assert shapes(copied(dict(list(fleet().items())[:3]))) == []


def test_no_copy_is_made_of_a_model_unlike_its_samples(
    copied: Loads, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host_copies.Model, "copy", lambda *_: Device(hostname="x", nos="linux"))
    assert shapes(copied(fleet())) == []


def test_own_values_inside_longer_texts_prevent_copies(copied: Loads) -> None:
    files = fleet()
    for name, own in files.items():  # the note has the name of the file
        own["ip-addr.json"] = own["ip-addr.json"].replace("[{", '[{"ifindex": 2, ', 1)
        assert name in own["hostname.txt"]
    result = copied(files)
    assert (shapes(result), len(result.devices[0].notes)) == ([], 1)


def test_a_text_with_a_placeholder_is_read(copied: Loads) -> None:
    files = fleet()
    for own in files.values():
        own["nccl.conf"] += "# roce-lint-own-001\n"
    assert shapes(copied(files)) == []


def test_models_and_samples_are_cached(
    copied: Loads, reads: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / ".cache"))
    first = copied(fleet(), cache=True)
    with sqlite3.connect(tmp_path / ".cache" / "roce-lint" / FILE) as database:
        assert database.execute("SELECT COUNT(*) FROM devices").fetchone() == (4,)
    reads.clear()
    assert shapes(copied(fleet(), cache=True)) == shapes(first) == [HOSTS]
    assert len(reads) == HOSTS  # for the comparison only
    with sqlite3.connect(tmp_path / ".cache" / "roce-lint" / FILE) as database:
        database.execute("UPDATE devices SET device = X'00'")
    assert shapes(copied(fleet(), cache=True)) == [HOSTS]


_WORD = re.compile(r"[\w.:/-]+")
_WORDS = ("id", "value", "0", "1", "::1", "127.0.0.1", "fe80::1", "10.1.2.1/24", "gpu-01", "roce",
    "94:6d:ae:00:01:10", "ens1np0", "00:00:00:00:00:00", "v1", "\n", "x" * 70, "\u00e9", '"')  # fmt: skip


def change(text: str, chance: random.Random) -> str:
    """A text with one random change of a character, a word or a line."""
    words = list(_WORD.finditer(text))
    word = chance.choice(words)
    at = chance.randrange(len(text))
    others = (*_WORDS, chance.choice(words)[0], word[0].upper(), word[0][::-1], "")
    lines = text.split("\n")
    doubled = chance.randrange(len(lines))
    return chance.choice([
        f"{text[: word.start()]}{chance.choice(others)}{text[word.end() :]}",
        f"{text[:at]}{chance.choice(text)}{text[at + 1 :]}",
        f"{text[:at]}{text[at + 1 :]}",
        "\n".join([*lines[:doubled], lines[doubled], *lines[doubled:]]),
    ])  # fmt: skip


@pytest.mark.parametrize("seed", range(12))
def test_a_random_change_never_gives_another_device(copied: Loads, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311  (no secret)
    files = fleet()
    for own in files.values():
        leaf = chance.choice(list(own))
        own[leaf] = change(own[leaf], chance) if chance.random() < 0.4 else own[leaf]
    copied(files)


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("qos.txt", "trust state: dscp", "trust state: dscp"),
        ("qos.txt", "0   0   0   1   0   0", "0   0   0   0   1   0"),
        ("nccl.conf", "NCCL_IB_TC=106", "NCCL_IB_TC=136"),
        ("nccl.conf", "GID_INDEX=3", "GID_INDEX=0"),
    ],
)
@pytest.mark.parametrize("hosts", [1, 2, HOSTS])
def test_equal_hosts_are_judged_as_each_of_them(
    copied: Loads, monkeypatch: pytest.MonkeyPatch, file: str, old: str, new: str, hosts: int
) -> None:
    made = fleet()
    for name in list(made)[:hosts]:
        made[name][file] = made[name][file].replace(old, new)
    loaded = copied(made)
    assert max(shapes(loaded), default=0) >= 4
    together = fingerprints(loaded)
    for device in loaded.devices:
        device.shape = None
    assert together == fingerprints(loaded) != []


def fingerprints(loaded: LoadResult) -> list[tuple[str, tuple[str, ...], int]]:
    """Findings and unknowns about loaded devices, by rule, place and number."""
    terms = Terms.of(Request(), Settings())
    report = terms.report(replace(loaded, diagnostics=[]))
    if report.fabric is not None:
        forget_tags(report.fabric)
    found = [(f.fingerprint, f.subjects, len(f.occurrences)) for f in report.findings]
    return found + [(u.missing, u.subjects, 0) for u in report.unknowns]


def test_a_copy_does_not_differ_from_the_same_host_read(copied: Loads) -> None:
    device = copied(fleet()).devices[0]
    assert device.shape is not None
    assert differences(device, plain(device), stated=True) == []


def test_a_change_of_a_copy_is_one_of_no_other(copied: Loads) -> None:
    """Copies share places."""
    one, other, *_ = (device for device in copied(fleet()).devices if device.shape is not None)
    before = flat(one), flat(other)
    made = changed(one, [Change.on_port(one, "ens1np0", "ip_mtu", 4200)])
    assert made.interfaces["ens1np0"].ip_mtu == 4200
    assert made.interfaces["ens1np0"].at != one.interfaces["ens1np0"].at
    assert (flat(one), flat(other)) == before
