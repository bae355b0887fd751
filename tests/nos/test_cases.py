"""Every folder tests/nos/<nos>/<case>/ is one device: its files, the model they give, line states.

A case holds input files and two golden files: `model.json`, what `dump` makes of the device, and
`states.txt`, the lines that nothing took or that a later line overrules. Which source a file is
of is told by its `# command:` header or its content, as for a user; where that cannot be (a
fragment of a few lines), `sources.txt` says it:

    # file        source          arguments of its command
    qos.cfg       running-config
    pfc.txt       mlnx_qos        port=enp65s0np0
    hostname      leaf1

`pytest --rewrite` writes the golden files anew.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from roce_lint.load.decode import decode
from roce_lint.load.hostname import hostname_in
from roce_lint.load.identify import identify
from roce_lint.model.device import Device
from roce_lint.model.dump import dump
from roce_lint.nos.base import Form, Nos
from roce_lint.nos.device_reader import Identified, read_device
from roce_lint.nos.registry import all_nos
from roce_lint.nos.trees import leaves
from roce_lint.text.source import LineState, SourceFile
from roce_lint.text.tree import load_json, load_yaml
from tests.conftest import Golden

HERE = Path(__file__).resolve().parent
GOLDEN = ("model.json", "states.txt")
SOURCES = "sources.txt"
WIDTH = 100


@dataclass
class Told:
    """What sources.txt says."""

    sources: dict[str, str] = field(default_factory=dict)
    args: dict[str, dict[str, str]] = field(default_factory=dict)
    hostname: str | None = None


def cases() -> list[Path]:
    """Folders below a NOS that hold input files."""
    return sorted(
        case
        for nos in HERE.iterdir()
        if nos.is_dir()
        for case in nos.iterdir()
        if case.is_dir() and inputs(case)
    )


def inputs(case: Path) -> list[Path]:
    """The input files of a case, in subfolders too."""
    return sorted(
        path
        for path in case.rglob("*")
        if path.is_file()
        and path.name not in (*GOLDEN, SOURCES)
        and "__pycache__" not in path.parts
    )


def told(case: Path) -> Told:
    """sources.txt of a case, if it has one."""
    found = Told()
    path = case / SOURCES
    for line in path.read_text(encoding="utf-8").splitlines() if path.is_file() else ():
        words = line.partition("#")[0].split()
        if len(words) == 2 and words[0] == "hostname":
            found.hostname = words[1]
        elif words:
            name, source, *args = words
            found.sources[name] = source
            found.args[name] = dict(arg.split("=", 1) for arg in args)
    return found


def read_case(nos: Nos, case: Path) -> tuple[Device, list[Identified]]:
    """Read the device of a case."""
    said = told(case)
    files = []
    hostname = said.hostname
    for path in inputs(case):
        name = path.relative_to(case).as_posix()
        text = decode(path.read_bytes()).text
        assert text is not None, f"{name} is no text"
        if name in said.sources:
            source, args, header = nos.by_source[said.sources[name]], said.args[name], False
        else:
            identity = identify(name, text, only=nos.name)
            source, args, header = nos.by_source[identity.source], identity.args, identity.header
            hostname = hostname or identity.host
        hostname = hostname or hostname_in(source, text)
        files.append(Identified(SourceFile.of(name, text), source, args, int(header)))
    return read_device(nos, hostname or case.name, files), files


def states(device: Device, files: list[Identified]) -> str:
    """The unrecognised and shadowed lines (or leaves) of each file."""
    out = []
    for ref, identified in zip(device.src.files, files, strict=True):
        texts = parts(identified)
        for number, state in enumerate(ref.states):
            if state in (LineState.UNRECOGNISED, LineState.SHADOWED):
                place, text = texts[number]
                out.append(f"{LineState(state).name.lower():12} {ref.name}{place} {text}".rstrip())
    return "".join(f"{line}\n" for line in out)


def parts(identified: Identified) -> list[tuple[str, str]]:
    """What has a state of its own in a file: place and text of its lines, or of its leaves."""
    form = identified.source.form
    if form not in (Form.JSON, Form.YAML):
        return [
            (f":{number}", line.strip()) for number, line in enumerate(identified.file.lines(), 1)
        ]
    trees = [load_json(identified.file)] if form is Form.JSON else load_yaml(identified.file)
    return [
        (f"#{'|'.join(map(str, path))}", json.dumps(value))
        for tree in trees
        for path, value in leaves(tree.data)
    ]


def render(data: Any, indent: int = 0, before: int = 0) -> str:
    """JSON for people: what fits into a line stands in one. `before` columns are taken already."""
    line = json.dumps(data, ensure_ascii=False)
    if indent + before + len(line) < WIDTH or not isinstance(data, dict | list) or not data:
        return line
    inner = " " * (indent + 1)
    if isinstance(data, list):
        body = [inner + render(entry, indent + 1) for entry in data]
    else:
        keys = [f"{json.dumps(key, ensure_ascii=False)}: " for key in data]
        body = [
            inner + key + render(entry, indent + 1, len(key))
            for key, entry in zip(keys, data.values(), strict=True)
        ]
    opening, closing = "[]" if isinstance(data, list) else "{}"
    return f"{opening}\n" + ",\n".join(body) + f"\n{' ' * indent}{closing}"


@pytest.mark.parametrize("case", cases(), ids=lambda case: f"{case.parent.name}/{case.name}")
def test_case(case: Path, golden: Golden) -> None:
    device, files = read_case(all_nos()[case.parent.name], case)
    golden.check(case / "model.json", render(dump(device)) + "\n")
    golden.check(case / "states.txt", states(device, files))


def test_there_are_cases() -> None:
    assert cases() != []


def test_rendered_json_is_the_data() -> None:
    data = {"a": [1, "x" * 90, {"b": None, "c": []}], "é": {"k": [["y" * 99, "@f:1"], 2.5]}}
    assert json.loads(render(data)) == data
    assert render({"a": [1, "@f:1"]}) == '{"a": [1, "@f:1"]}'
