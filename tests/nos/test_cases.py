"""Every folder tests/nos/<nos>/<case>/ is one device: its files, the model they give, line states.

A case holds input files and two golden files: `model.json`, what `dump` makes of the device, and
`states.txt`, the lines that nothing took or that a later line overrules. Both name a line by its
words (`line_names.py`). Which source a file is of is told by its `# command:` header or its
content, as for a user; where that cannot be (a fragment of a few lines), `sources.txt` says it:

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

from roce_lint.loading.decode import decode
from roce_lint.loading.hostname import hostname_in
from roce_lint.loading.identify import identify
from roce_lint.model.device import Device
from roce_lint.model.dump import dump
from roce_lint.nos.base import Form, Nos
from roce_lint.nos.device_reader import IdentifiedFile, read_device
from roce_lint.nos.registry import all_nos
from roce_lint.nos.trees import leaves
from roce_lint.text.source import LineState, SourceFile
from roce_lint.text.tree import load_json, load_yaml
from tests.conftest import Golden
from tests.nos.line_names import LineNames, names

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


def read_case(nos: Nos, case: Path) -> tuple[Device, list[IdentifiedFile]]:
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
        files.append(IdentifiedFile(SourceFile.of(name, text), source, args, int(header)))
    return read_device(nos, hostname or case.name, files), files


def states(device: Device, files: list[IdentifiedFile]) -> str:
    """The unrecognised and shadowed lines (or leaves) of each file."""
    out = []
    for ref, identified in zip(device.src.files, files, strict=True):
        texts = parts(identified)
        for number, state in enumerate(ref.states):
            if state in (LineState.UNRECOGNISED, LineState.SHADOWED):
                out.append(f"{LineState(state).name.lower():12} {ref.name}{texts[number]}".rstrip())
    return "".join(f"{line}\n" for line in out)


def parts(identified: IdentifiedFile) -> list[str]:
    """What has a state of its own in a file: the name of each line, or path and value of leaves."""
    form = identified.source.form
    if form not in (Form.JSON, Form.YAML):
        return ["".join(f" > {words}" for words in name) for name in names(identified.file.lines())]
    trees = [load_json(identified.file)] if form is Form.JSON else load_yaml(identified.file)
    return [
        f"#{'|'.join(map(str, path))} {json.dumps(value)}"
        for tree in trees
        for path, value in leaves(tree.data)
    ]


def render(data: Any, indent: int = 0, before: int = 0) -> str:
    """JSON for people: what fits into a line stands in one. `before` columns are taken already."""
    line = json.dumps(data, ensure_ascii=False)
    placed = isinstance(data, list) and data != [] and str(data[-1]).startswith("@")
    width = indent + before + len(json.dumps(data[:-1]) if placed else line)
    if width < WIDTH or not isinstance(data, dict | list) or not data:
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
    lines = LineNames({each.file.name: each.file.lines() for each in files})
    golden.check(case / "model.json", render(lines.in_model(dump(device))) + "\n")
    golden.check(case / "states.txt", states(device, files))


def test_there_are_cases() -> None:
    assert cases() != []


def test_rendered_json_is_the_data() -> None:
    data = {"a": [1, "x" * 90, {"b": None, "c": []}], "é": {"k": [["y" * 99, "@f:1"], 2.5]}}
    assert json.loads(render(data)) == data
    assert render({"a": [1, "@f:1"]}) == '{"a": [1, "@f:1"]}'
    long = [1, "@ " + "x" * 120]
    assert render({"a": long}) == '{\n "a": ' + json.dumps(long) + "\n}"


LINES = """hostname a
interface Ethernet1
   mtu 9214
   exit
   exit

interface Ethernet2
\tmtu 9214
"""


def test_a_line_is_named_by_its_words_and_those_it_stands_below() -> None:
    lines = LineNames({"a.cfg": LINES.split("\n"), "b.txt": ["one", " two"]})
    port = {"@": "@a.cfg:2", "self": [1, "@a.cfg:2"], "mtu": [2, "@a.cfg:3"], "x": "@a.cfg:5"}
    data = {"@": "@a.cfg:1", "port": port | {"other": ["@a.cfg:8", "@b.txt:2", "@default: why"]}}
    assert lines.in_model(data) == {
        "@": "@a.cfg > hostname a",
        "port": {
            "@": "@> interface Ethernet1",
            "self": [1, "@."],
            "mtu": [2, "@ mtu 9214"],
            "x": "@ exit (2)",
            "other": ["@> interface Ethernet2 > mtu 9214", "@b.txt > one > two", "@default: why"],
        },
    }


def test_two_lines_more_change_no_name_of_the_others() -> None:
    more = ["! two", "! more", *LINES.split("\n")]
    assert names(more)[2:] == names(LINES.split("\n"))
