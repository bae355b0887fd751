"""Lines of claimed stanzas in the corpus are recognised, or unrecognised.txt has the reason."""

from __future__ import annotations

import fnmatch
from functools import cache
from pathlib import Path

import pytest

from roce_lint.loading.load import load
from roce_lint.model.device import NoteKind
from roce_lint.nos.states import line_shape
from roce_lint.text.numbers import without_numbers
from roce_lint.text.source import LineState
from tests.corpus.listed import entries, is_listed
from tests.corpus.test_corpus import CORPUS

pytestmark = pytest.mark.skipif(
    not CORPUS.is_dir(), reason="no corpus of real configs beside the project (../shared/corpus)"
)

COMMANDS = {
    "*dcb-app*.json": "dcb -N -j app show dev ens1",
    "*dcb-buffer*.json": "dcb -j buffer show dev ens1",
    "*dcb-dcbx*.json": "dcb -j dcbx show dev ens1",
    "*dcb-ets*.json": "dcb -j ets show dev ens1",
    "*dcb-pfc*.json": "dcb -j pfc show dev ens1",
    "*dcb-app*.txt": "dcb app show dev ens1",
    "*dcb-buffer*.txt": "dcb buffer show dev ens1",
    "*dcb-dcbx*.txt": "dcb dcbx show dev ens1",
    "*dcb-ets*.txt": "dcb ets show dev ens1",
    "*dcb-pfc*.txt": "dcb pfc show dev ens1",
    "excerpt-ethtool-a*": "ethtool -a ens1",
    "lab-ethtool-i.txt": "ethtool -i ens1",
    "*lldptool-t-n*": "lldptool -t -n -i ens1",
    "*lldptool-t*": "lldptool -t -i ens1",
    "*mlnx_qos-[!r]*": "mlnx_qos -i ens1",
    "*mlxconfig*": "mlxconfig -d 0000:17:00.0 -e q",
    "excerpt-niccli-getqos.txt": "niccli -dev=ens1 getqos",
    "excerpt-sysfs-traffic-class-global.txt": "cat /sys/class/infiniband/mlx5_0/tc/1/traffic_class",
}
"""Captures without the command that names the interface."""


def files() -> list[str]:
    return sorted(
        path.relative_to(CORPUS).as_posix() for path in CORPUS.glob("*/*") if path.is_file()
    )


@cache
def unknown(path: Path) -> list[str]:
    """Shapes of the unrecognised lines of a file."""
    loaded = load((str(path),), jobs=1, cache=False)
    found = []
    for device in loaded.devices:
        shapes = [
            without_numbers(n.message) for n in device.notes if n.kind is NoteKind.UNRECOGNISED
        ]
        count = sum(ref.states.count(LineState.UNRECOGNISED) for ref in device.src.files)
        assert bool(shapes) or count == 0, "unrecognised, and `show` does not say so"
        found += shapes
    return found


def texts(path: Path) -> list[str]:
    """Shapes of all lines of a file."""
    return [line_shape(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("folder", sorted({name.split("/")[0] for name in files()}))
def test_every_line_is_known(folder: str, tmp_path: Path) -> None:
    left = []
    for name in (name for name in files() if name.startswith(f"{folder}/")):
        path = CORPUS / name
        given = next((c for glob, c in COMMANDS.items() if fnmatch.fnmatch(path.name, glob)), None)
        if folder == "host" and given is not None:
            headed = tmp_path / path.name
            headed.write_bytes(f"# command: {given}  host: gpu1\n".encode() + path.read_bytes())
            path = headed
        left += [(name, line) for line in unknown(path) if not is_listed(name, line)]
    assert left == []


def test_every_entry_is_needed_and_has_its_reason() -> None:
    for entry in entries():
        assert entry.why
        hits = [
            name
            for name in files()
            if fnmatch.fnmatchcase(name, entry.file)
            for line in (*unknown(CORPUS / name), *texts(CORPUS / name))
            if fnmatch.fnmatchcase(line, entry.line)
        ]
        assert hits, f"nothing in the corpus is like {entry}"
