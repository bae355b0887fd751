"""Bundles: the same reports as from the folders, no secrets, and nothing is taken that is not right."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import shutil
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from roce_lint.loading import bundle
from roce_lint.loading.bundle import MAGIC, RECORD_RATIO, SMALL
from roce_lint.loading.serialization import ForeignError, pack_masked, unpack_strict
from roce_lint.model.device import Device, Role
from roce_lint.model.interface import Interface
from roce_lint.report import FORMATS
from roce_lint.text.redaction import redact
from roce_lint.text.source import SourceFile, SourceMap
from tests.command import Ended, ended
from tests.conftest import ROOT
from tests.rules.examples import Example, cases, examples
from tests.unit.cli.test_secrets import (
    BARE,
    CONFIG,
    HOST,
    KEYS,
    NAMES,
    SECRET,
    TABLES,
    TOKEN,
    VARIABLES,
)
from tests.unit.loading.making import eos, nxos, put, zipped

FABRICS = ("dual-homed-bond", "sonic-stock", "two-roce-classes")
QUICK = ("--no-cache", "-j", "1")


def ran(*words: str | Path, cwd: Path) -> Ended:
    return ended(*words, *QUICK, cwd=cwd)


def bundled(cwd: Path, *folders: str) -> list[str]:
    """Read each folder into the bundle of its name beside it."""
    for folder in folders:
        assert ran("read", folder, "-o", f"{folder}.roce", cwd=cwd).returncode in (0, 3)
    return [f"{folder}.roce" for folder in folders]


def reports(cwd: Path, *paths: str, formats: tuple[str, ...] = ("json",)) -> list[tuple[Any, ...]]:
    """Status and streams of a check in each format; the page shows the command line."""
    found = []
    for name in formats:
        done = ran("check", *paths, "-v", "--format", name, cwd=cwd)
        found.append((done.returncode, done.stdout.replace(".roce", ""), done.stderr))
    return found


# The same reports.


@pytest.mark.parametrize(
    ("name", "formats"),
    [
        ("clean-fabric", tuple(FORMATS)),
        ("broken-fabric", ("text", "sarif")),
        pytest.param("broken-fabric", tuple(FORMATS), marks=pytest.mark.deep),
    ],
)
def test_a_sample_is_reported_alike(tmp_path: Path, name: str, formats: tuple[str, ...]) -> None:
    shutil.copytree(ROOT / "sample_configs" / name, tmp_path / name)
    told = reports(tmp_path, name, formats=formats)
    assert reports(tmp_path, *bundled(tmp_path, name), formats=formats) == told


@pytest.mark.parametrize("name", FABRICS)
def test_a_made_fabric_is_reported_alike(tmp_path: Path, name: str) -> None:
    shutil.copytree(ROOT / "tests" / "fabrics" / name / "fabric", tmp_path / "pods" / "a")
    told = reports(tmp_path, "pods/a", formats=("json", "text", "html"))
    own = bundled(tmp_path, "pods/a")
    assert reports(tmp_path, *own, formats=("json", "text", "html")) == told


@pytest.mark.parametrize("example", cases(examples("bad"), 12))
def test_an_example_is_reported_alike(tmp_path: Path, example: Example) -> None:
    example.write(tmp_path / "pod")
    told = reports(tmp_path, "pod")
    assert reports(tmp_path, *bundled(tmp_path, "pod")) == told


@pytest.fixture
def pods(tmp_path: Path) -> Path:
    """The broken sample, its switches and hosts in a folder each, with settings and a cable plan."""
    for name in ("switches", "hosts"):
        shutil.copytree(ROOT / "sample_configs" / "broken-fabric" / name, tmp_path / "pods" / name)
    put(
        tmp_path / "pods" / "switches",
        {
            "roce-lint.toml": 'ignore = ["ECN"]\n[[waiver]]\nrule = "MTU001"\nreason = "known"\n',
            "links.yaml": "- [leaf1:Ethernet1/1, gpu01:ens1f0np0]\n- [leaf9:Ethernet1, gpu01:no]\n",
            "empty.cfg": "",
            "logo.png": "x",
        },
    )
    return tmp_path


def test_several_bundles_are_one_fabric(pods: Path) -> None:
    folders = ("pods/switches", "pods/hosts")
    told = reports(pods, *folders)
    own = bundled(pods, *folders)
    assert "MTU001" in told[0][1]
    assert "ECN001" not in told[0][1]
    assert "links.yaml" in told[0][1]
    assert reports(pods, *own) == told
    assert reports(pods, own[0], folders[1]) == told
    assert reports(pods, folders[0], own[1]) == told
    shutil.move(pods / "pods", pods / "moved")  # the files are not read again, nor the settings
    (pods / "pods").mkdir()
    for name in own:
        shutil.move(pods / "moved" / Path(name).name, pods / name)
    assert reports(pods, *own) == told


def test_the_number_of_processes_does_not_matter(pods: Path) -> None:
    (one,) = bundled(pods, "pods/switches")
    before = (pods / one).read_bytes()
    done = ended("read", "pods/switches", "-o", one, "--no-cache", "-j", "2", cwd=pods)
    assert done.output == f"{one}: 8 devices from 10 files, {len(before)} bytes\n"
    assert (pods / one).read_bytes() == before


def test_other_commands_read_bundles(pods: Path) -> None:
    own = bundled(pods, "pods/switches", "pods/hosts")
    for words in (
        ["show", "--device", "leaf2"],
        ["show", "--format", "json"],
        ["trace", "--from", "gpu01", "--to", "gpu05"],
        ["whatif", "--set", "leaf2:Ethernet1/31 mtu=9216"],
    ):
        told, found = (
            ran(words[0], *paths, *words[1:], cwd=pods)
            for paths in (
                ("pods/switches", "pods/hosts")[: 1 if words[0] == "show" else 2],
                own[: 1 if words[0] == "show" else 2],
            )
        )
        assert (found.returncode, found.stdout) == (told.returncode, told.stdout)
    same = ran("diff", own[0], own[0], cwd=pods)
    assert same.returncode == 0


def test_a_bundle_in_a_folder_is_skipped(pods: Path) -> None:
    told = ran("check", "pods/switches", "--format", "json", cwd=pods)
    bundled(pods, "pods/switches")
    shutil.move(pods / "pods" / "switches.roce", pods / "pods" / "switches" / "part.roce")
    found = ran("check", "pods/switches", "--format", "json", cwd=pods)
    assert '"findings"' in found.stdout
    assert found.returncode == told.returncode
    listed = ran("check", "pods/switches", "--show-files", cwd=pods)
    assert "part.roce: skipped: a bundle of `roce-lint read`" in listed.stdout


def test_one_device_in_two_bundles_is_doubled(tmp_path: Path) -> None:
    put(tmp_path, {"a/x.cfg": eos(), "b/x.cfg": eos(mtu=1500), "a/y.cfg": eos("y")})
    told = reports(tmp_path, "a", "b", formats=("json", "text"))
    assert "two configurations of leaf1" in told[0][1]
    assert reports(tmp_path, *bundled(tmp_path, "a", "b"), formats=("json", "text")) == told
    put(
        tmp_path,
        {
            "a/x.cfg": nxos(time="Mon Oct  5 10:00:00 2026"),
            "b/x.cfg": nxos(time="Tue Oct  6 10:00:00 2026"),
        },
    )
    told = reports(tmp_path, "a", "b")
    assert "the newer" in told[0][1]
    assert reports(tmp_path, *bundled(tmp_path, "a", "b")) == told


def test_files_of_one_device_in_two_bundles_are_not_joined(tmp_path: Path) -> None:
    lldp = "# command: show lldp neighbors host: leaf1\n"
    put(tmp_path, {"a/leaf1.cfg": eos(), "b/lldp.txt": lldp})
    done = ran("check", *bundled(tmp_path, "a", "b"), cwd=tmp_path)
    assert done.returncode in (0, 3)
    put(tmp_path, {"a/db.json": '{"DEVICE_METADATA": {"localhost": {"hostname": "s"}}, "PORT": {}}',
                   "b/db.json": '{"DEVICE_METADATA": {"localhost": {"hostname": "s"}}, "VLAN": {}}'})  # fmt: skip
    done = ran("check", *bundled(tmp_path, "a", "b"), cwd=tmp_path)
    assert done.returncode == 3
    assert "two configurations of s: a/db.json and b/db.json" in done.output


def test_members_of_an_archive_are_bundled(tmp_path: Path) -> None:
    put(
        tmp_path,
        {"a/site.zip": zipped({"leaf1/leaf1.cfg": eos(mtu=1500), "x/broken.cfg": eos(None)[:40]})},
    )
    told = reports(tmp_path, "a", formats=("json", "text"))
    assert "site.zip!leaf1/leaf1.cfg" in told[0][1]
    assert reports(tmp_path, *bundled(tmp_path, "a"), formats=("json", "text")) == told


def test_an_unreadable_device_is_reported_again(tmp_path: Path) -> None:
    put(tmp_path, {"a/leaf1.cfg": eos(), "a/leaf2.cfg": eos("leaf2").replace("9214", "${MTU}")})
    done = ran("read", "a", "-o", "a.roce", cwd=tmp_path)
    assert done.returncode == 3
    assert "leaf2.cfg: template: " in done.output
    told = reports(tmp_path, "a")
    assert told[0][0] == 3
    assert reports(tmp_path, "a.roce") == told


# Writing.


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["a", "-o", "a.tar"], "must end in .roce"),
        (["a", "-o", "own.roce"], "exists and is no bundle"),
        (["a", "-o", "none/a.roce"], "no such folder"),
        (["-", "-o", "a.roce"], "only files and folders"),
        (["own.roce", "-o", "a.roce"], "only files and folders"),
        (["b", "-o", "a.roce"], "no such file or folder: b"),
    ],
)
def test_wrong_use_of_read_is_refused(tmp_path: Path, words: list[str], message: str) -> None:
    put(tmp_path, {"a/leaf1.cfg": eos(), "own.roce": "mine"})
    done = ran("read", *words, cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.output
    assert (tmp_path / "own.roce").read_text() == "mine"
    assert not (tmp_path / "a.roce").exists()


def test_a_report_does_not_replace_a_bundle(tmp_path: Path) -> None:
    put(tmp_path, {"a/leaf1.cfg": eos()})
    (own,) = bundled(tmp_path, "a")
    done = ran("check", own, "-o", f"json={own}", cwd=tmp_path)
    assert done.returncode == 2
    assert "is read by this run" in done.output


# Secrets.


def unpacked(path: Path) -> bytes:
    """All bytes of a bundle, its records unpacked."""
    return b"".join(map(zlib.decompress, records(path)))


def records(path: Path) -> Iterator[bytes]:
    yield from bundle._records(str(path))


def test_no_secret_is_in_a_bundle(tmp_path: Path) -> None:
    files = {**VARIABLES, "leaf1.cfg": CONFIG, "leaf2.json": TABLES, "gpu1/nccl.conf": HOST}
    files |= {
        "n/leaf4.cfg": NAMES.replace("hostname leaf1", "hostname leaf4"),
        "leaf5.cfg": BARE.replace("leaf2", "leaf5"),
    }
    files |= {"leaf3.json": KEYS, "links.yaml": f"# password {SECRET}\n- [leaf1:Ethernet1, x:y]\n"}
    files["roce-lint.toml"] = (
        f'# {SECRET}\n[[waiver]]\nrule = "SRC002"\nreason = "password {SECRET}"\n'
    )
    files["leaf6.cfg"] = eos("leaf6").replace(
        "   qos", f"   ! roce-lint: ignore MTU -- key {SECRET}\n   qos"
    )
    put(tmp_path / "a", files)
    pyproject = f'[tool.x]\ntoken = "{SECRET}"\n[tool.roce-lint]\nignore = ["ECN"]\n'
    put(tmp_path / "b", {"pyproject.toml": pyproject, "leaf7.cfg": eos("leaf7")})
    for own in bundled(tmp_path, "a", "b"):
        whole = unpacked(tmp_path / own)
        assert b"leaf" in whole
        assert [word for word in (SECRET, "Zq") if word.encode() in whole] == []
    told, found = (
        json.loads(reports(tmp_path, *each)[0][1]) for each in (("a", "b"), ("a.roce", "b.roce"))
    )
    assert found["summary"] == told["summary"]
    assert "password ***" in {waiver.get("reason") for waiver in suppressions(found)}


def suppressions(report: dict[str, Any]) -> list[dict[str, Any]]:
    return [each["suppressed"] for each in report["findings"] if each["suppressed"]]


def test_names_with_secrets_stay_different_and_are_shown_alike() -> None:
    mask = bundle._Masks()
    names = ["password=Zq1", "password=Zq2", TOKEN, TOKEN.replace("m", "n"), "key Zq3", "QOS"]
    made = [mask(name) for name in names]
    assert [mask(name) for name in names] == made
    assert len(set(made)) == len(names)
    assert [redact(name) for name in made] == [redact(name) for name in names]
    assert not any("Zq" in name for name in made)


# What is not right.


def whole(parts: list[bytes], *, pack: bool = True) -> bytes:
    """A bundle of these records, with the right hash."""
    packed = [zlib.compress(each) if pack else each for each in parts]
    rest = b"".join(len(each).to_bytes(4, "big") + each for each in packed)
    return bundle._version() + hashlib.sha256(rest).hexdigest().encode() + b"\n" + rest


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A bundle of one device."""
    put(tmp_path, {"a/leaf1.cfg": eos(mtu="many")})
    return tmp_path / bundled(tmp_path, "a")[0]


def refused(path: Path, message: str = "") -> None:
    """A check names the bundle, and has no other result of it."""
    put(path.parent, {"b/leaf2.cfg": eos("leaf2")})
    done = ran("check", path.name, "b", "--format", "text", cwd=path.parent)
    assert done.returncode == 3
    assert f"{path.name}: unreadable: a bundle that cannot be used: " in " ".join(
        done.output.split()
    )
    assert message in " ".join(done.output.split())
    assert "leaf1" not in done.output


def test_a_cut_bundle_is_refused(own: Path) -> None:
    data = own.read_bytes()
    for end in (0, 5, len(MAGIC), len(MAGIC) + 4, 60, 100, 200, len(data) // 2, len(data) - 1):
        own.write_bytes(data[:end])
        refused(own)


def test_a_changed_byte_is_refused(own: Path) -> None:
    data = own.read_bytes()
    for at in (0, 18, 21, 30, 95, 120, len(data) // 2, len(data) - 1):
        own.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        refused(own)


def test_another_version_is_refused(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundle, "__version__", "0.0.9")
    refused(own, "this is 1 0.0.9; read the files again")


def test_a_file_of_another_kind_is_refused(own: Path) -> None:
    own.write_text(eos())
    refused(own, "was not written by `roce-lint read`")


def test_a_bundle_that_may_not_be_read_is_refused(own: Path) -> None:
    def confined() -> None:
        os.setgid(65534)
        os.setuid(65534)

    if os.geteuid():
        pytest.skip("only root can become another user")
    put(own.parent, {"b/leaf2.cfg": eos("leaf2")})
    for path in (own.parent, *own.parent.parents):
        if path.owner() == "root" and path.stat().st_mode & 0o005 != 0o005:
            path.chmod(path.stat().st_mode | 0o005)
        if path.name.startswith("pytest-of"):
            break
    own.chmod(0o600)
    done = ended("check", own.name, "b", *QUICK, cwd=own.parent, confined=confined)
    assert done.returncode == 3
    assert "a bundle that cannot be used: Permission denied" in " ".join(done.output.split())


def test_a_bomb_is_refused(own: Path) -> None:
    head, entry, model, _ = records(own)
    size = SMALL * 64
    bomb = zlib.compress(b"\0" * size, 9)
    assert len(bomb) * RECORD_RATIO < size
    for parts in ([bomb], [head, bomb], [head, entry, bomb]):
        own.write_bytes(whole(parts, pack=False))
        refused(own, "a record unpacks to more than")
    own.write_bytes(whole([head, entry, model], pack=False)[:-1] + b"x")
    refused(own, "cut off or was changed")


class Call:
    """An object that pickles as a function call."""

    def __init__(self, function: object, *args: object) -> None:
        self.call = (function, args)

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return self.call


def test_a_pickle_that_would_run_something_is_refused(own: Path) -> None:
    marker = own.parent / "marker"
    head, entry, _, texts = map(zlib.decompress, records(own))
    for made in (Call(os.system, f"touch {marker}"), Call(Path.touch, marker), [], None):
        own.write_bytes(whole([head, entry, pickle.dumps(made), texts]))
        refused(own)
    assert not marker.exists()


def test_a_pickle_cannot_change_a_class() -> None:
    name = "roce_lint.model.device"
    build = (
        pickle.PROTO + b"\4" + pickle.SHORT_BINUNICODE + bytes([len(name)]) + name.encode()
        + pickle.SHORT_BINUNICODE + b"\4Role" + pickle.STACK_GLOBAL
        + pickle.NONE + pickle.EMPTY_DICT + pickle.SHORT_BINUNICODE + b"\3new"
        + pickle.BININT1 + b"\1" + pickle.SETITEM + pickle.TUPLE2 + pickle.BUILD + pickle.STOP
    )  # fmt: skip
    with pytest.raises(ForeignError):
        unpack_strict(build)
    assert not hasattr(Role, "new")


def device() -> Device:
    src = SourceMap()
    src.add(SourceFile.of("leaf1.cfg", eos()), "running-config")
    port = Interface(name="Ethernet1", src=src, at={"": 4})
    return Device(hostname="leaf1", nos="eos", interfaces={"Ethernet1": port}, src=src)


def wrong_devices() -> Iterator[Device]:
    for name, value in (
        ("hostname", 5), ("interfaces", []), ("interfaces", {"x": 1}), ("role", "leaf"), ("src", None),
        ("notes", [None]), ("at", {"": 99}), ("at", {"": 1 << 30}), ("at", {"": -1}), ("at", {"": "1"}),
        ("headroom_table", {(1.0,): None}), ("forwards", frozenset({1})), ("environment", {1: "a"}),
    ):  # fmt: skip
        made = device()
        setattr(made, name, value)
        yield made
    made = device()
    made.src.files[0].first = 7
    yield made
    made = device()
    made.src.path(3, ("a",))  # in a file that it does not have
    yield made
    made = device()
    made.src.path(0, ("a",))
    made.src.above[-4:] = (1).to_bytes(4, "little")  # a node above itself
    yield made
    made = device()
    made.interfaces["Ethernet1"].ip_mtu = "9000"  # type: ignore[assignment]
    yield made


@pytest.mark.parametrize("number", range(17))
def test_a_value_of_another_type_is_refused(number: int) -> None:
    assert unpack_strict(pack_masked(device(), str)) == device()
    made = list(wrong_devices())[number]
    with pytest.raises(ForeignError):
        unpack_strict(pack_masked(made, str))


def test_wrong_records_are_refused(own: Path) -> None:
    head, entry, model, texts = map(zlib.decompress, records(own))
    for parts in (
        [],
        [b"{}"],
        [head.replace(b'"folders":["', b'"folders":[7,"'), entry, model, texts],
        [head, b"[]"],
        [head, entry.replace(b'"leaf1"', b"1"), model, texts],
        [head, entry.replace(b'"leaf1"', b'"leaf9"', 1), model, texts],
        [head, entry.replace(b"leaf1.cfg", b"leaf3.cfg"), model, texts],
        [head, entry.replace(b'"nos":"eos"', b'"nos":"no"'), model, texts],
        [head, entry, texts, model],
        [head, entry],
    ):
        own.write_bytes(whole(parts))
        refused(own)


def test_texts_that_cannot_be_read_are_named(own: Path) -> None:
    told = ran("check", own.name, cwd=own.parent)
    head, entry, model, texts = map(zlib.decompress, records(own))
    for wrong in (b"[]", b"x", b"[[1]]"):
        own.write_bytes(whole([head, entry, model, wrong]))
        done = ran("check", own.name, cwd=own.parent)
        assert done.returncode == told.returncode
        assert "the text in the bundle cannot be read" in " ".join(done.output.split())
    own.write_bytes(whole([head, entry, model, texts.replace(b"mtu many", b"\\u001b[2J")]))
    assert "\x1b" not in ran("check", own.name, cwd=own.parent).output
