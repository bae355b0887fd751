"""Every folder tests/nos/<nos>/<case>/ is one device: its files, the model they give, line states.

A case holds input files and two golden files: `model.json`, the `dump` of the device, and
`states.txt`, the unread and overruled lines. Both name a line by its words (`line_names.py`), and a
default of the platform by its name (`citations.py`); the sentences are in `citations.txt` of each
NOS. An object of the model equal to one above is written as its path: `= interfaces > Ethernet1/1 >
qos`. A file is identified by its `# command:` header or its content, as for a user; for a fragment
of a few lines, `sources.txt` names the source:

# file source arguments of its command qos.cfg running-config pfc.txt mlnx_qos port=enp65s0np0
hostname leaf1

`pytest --rewrite` writes the golden files anew.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from roce_lint.loading.decode import decode
from roce_lint.loading.group import hostname_in
from roce_lint.loading.identify import identify
from roce_lint.model.device import Device
from roce_lint.model.dump import dump
from roce_lint.nos.base import Nos
from roce_lint.nos.declare import Form
from roce_lint.nos.device_reader import IdentifiedFile, read_device
from roce_lint.nos.refusals import UNSET
from roce_lint.nos.registry import all_nos
from roce_lint.nos.trees import leaves
from roce_lint.text.source import LineState, SourceFile
from roce_lint.text.tree import load_json, load_yaml
from tests.conftest import Golden
from tests.nos.citations import cited, listing
from tests.nos.line_names import LineNames, names
from tests.nos.reader import shorten

HERE = Path(__file__).resolve().parent
GOLDEN = ("model.json", "states.txt")
SOURCES = "sources.txt"
WIDTH = 100
LEAST = 60
"""Characters of an object that is written once."""


@dataclass
class SourceList:
    """Content of sources.txt."""

    sources: dict[str, str] = field(default_factory=dict)
    args: dict[str, dict[str, str]] = field(default_factory=dict)
    hostname: str | None = None


def cases() -> list[Path]:
    """Folders below a NOS with input files."""
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


def source_list(case: Path) -> SourceList:
    """Content of a case's sources.txt, if it has one."""
    found = SourceList()
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


def read_case(
    nos: Nos, case: Path, edit: Callable[[bytes], bytes] = bytes
) -> tuple[Device, list[IdentifiedFile]]:
    """Read the device of a case, each of its files edited."""
    listed = source_list(case)
    files = []
    hostname = listed.hostname
    for path in inputs(case):
        name = path.relative_to(case).as_posix()
        text = decode(edit(path.read_bytes())).text
        assert text is not None, f"{name} is no text"
        if name in listed.sources:
            source, args, header = nos.by_source[listed.sources[name]], listed.args[name], False
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
    """Parts of a file with a state: the name of each line, or path and value of leaves."""
    form = identified.source.form
    if form not in (Form.JSON, Form.YAML):
        return ["".join(f" > {words}" for words in name) for name in names(identified.file.lines())]
    trees = [load_json(identified.file)] if form is Form.JSON else load_yaml(identified.file)
    return [
        f"#{'|'.join(map(str, path))} {json.dumps(value)}"
        for tree in trees
        for path, value in leaves(tree.data)
    ]


def fold(data: Any, path: tuple[str, ...] = (), seen: dict[str, str] | None = None) -> Any:
    """The data with each repeated object replaced by its first path."""
    seen = {} if seen is None else seen
    if isinstance(data, list):
        return [fold(entry, (*path, str(n)), seen) for n, entry in enumerate(data)]
    if not isinstance(data, dict):
        return data
    whole = json.dumps(data)
    if len(whole) < LEAST:
        return data
    if whole in seen:
        return f"= {seen[whole]}"
    seen[whole] = " > ".join(path)
    return {key: fold(entry, (*path, key), seen) for key, entry in data.items()}


def render(data: Any, indent: int = 0, before: int = 0) -> str:
    """Readable JSON: short objects are on one line.

    `before` columns are used already. A value with its own device line is on a separate line;
    others share lines.
    """
    line = json.dumps(data, ensure_ascii=False)
    width = indent + before + len(json.dumps(data[:-1]) if _has_place(data) else line)
    if width < WIDTH or not isinstance(data, dict | list) or not data:
        return line
    inner = " " * (indent + 1)
    body: list[str] = []
    shared = False
    entries = data.items() if isinstance(data, dict) else ((None, entry) for entry in data)
    for key, entry in entries:
        name = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "
        text = name + render(entry, indent + 1, len(name))
        shares = key is not None and "\n" not in text and _is_unstated(entry)
        if shares and shared and len(body[-1]) + len(f", {text}") <= WIDTH:
            body[-1] += f", {text}"
        else:
            body.append(inner + text)
        shared = shares
    opening, closing = "[]" if isinstance(data, list) else "{}"
    return f"{opening}\n" + ",\n".join(body) + f"\n{' ' * indent}{closing}"


def _has_place(data: Any) -> bool:
    return isinstance(data, list) and data != [] and str(data[-1]).startswith("@")


def _is_unstated(data: Any) -> bool:
    """True for a value without its own line: a plain value, a default, or one stated by the
    object's line.
    """
    if _has_place(data):
        return data[-1] == "@." or data[-1].startswith("@default ")
    return not isinstance(data, dict) and not str(data).startswith("= ")


def model(nos: Nos, device: Device, files: list[IdentifiedFile]) -> str:
    """The text of model.json."""
    lines = {each.file.name: each.file.lines() for each in files}
    named = LineNames(lines, cited(nos.name, device.src)).in_model(dump(device))
    for note in named.get("notes", ()):
        note["message"] = shorten(note["message"])
        if note.get("instead") == UNSET:
            note["instead"] = "UNSET"
    return render(fold(named)) + "\n"


@pytest.mark.parametrize("case", cases(), ids=lambda case: f"{case.parent.name}/{case.name}")
def test_case(case: Path, golden: Golden) -> None:
    nos = all_nos()[case.parent.name]
    device, files = read_case(nos, case)
    golden.check(case / "model.json", model(nos, device, files))
    golden.check(case / "states.txt", states(device, files))


@pytest.mark.parametrize(
    "nos", sorted({case.parent.name for case in cases()}), ids=lambda nos: f"{nos}/citations"
)
def test_sentences_of_citations(nos: str, golden: Golden) -> None:
    golden.check(HERE / nos / "citations.txt", listing(nos))


def test_there_are_cases() -> None:
    assert cases() != []


def test_rendered_json_is_the_data() -> None:
    data = {"a": [1, "x" * 90, {"b": None, "c": []}], "é": {"k": [["y" * 99, "@f:1"], 2.5]}}
    assert json.loads(render(data)) == data
    assert render({"a": [1, "@f:1"]}) == '{"a": [1, "@f:1"]}'
    long = [1, "@ " + "x" * 120]
    assert render({"a": long}) == '{\n "a": ' + json.dumps(long) + "\n}"
    shared = {"a": 1, "b": [2, "@default B"], "c": [3, "@f > c"], "d": 4, "e": "= x", "f": "y" * 99}
    assert render(shared).splitlines()[1:5] == [
        ' "a": 1, "b": [2, "@default B"],',
        ' "c": [3, "@f > c"],',
        ' "d": 4,',
        ' "e": "= x",',
    ]


def test_an_equal_object_is_the_path_of_the_first() -> None:
    qos = {"pfc": {"mode": ["on", "@ pfc " + "x" * LEAST]}, "short": {"a": 1}}
    other = qos | {"short": {"a": 2}}
    assert fold({"p": {"1": qos, "2": qos, "3": other}, "all": [qos]}) == {
        "p": {
            "1": qos,
            "2": "= p > 1",
            "3": {"pfc": "= p > 1 > pfc", "short": {"a": 2}},
        },
        "all": ["= p > 1"],
    }


LINES = """hostname a
interface Ethernet1
   mtu 9214
   exit
   exit

interface Ethernet2
\tmtu 9214
"""


def test_a_line_is_named_by_its_words_and_the_lines_above() -> None:
    files = {"a.cfg": LINES.split("\n"), "b.txt": ["one", " two"]}
    lines = LineNames(files, {"@default: why": "@default WHY"})
    port = {"@": "@a.cfg:2", "self": [1, "@a.cfg:2"], "mtu": [2, "@a.cfg:3"], "x": "@a.cfg:5"}
    data = {"@": "@a.cfg:1", "port": port | {"other": ["@a.cfg:8", "@b.txt:2", "@default: why"]}}
    assert lines.in_model(data) == {
        "@": "@a.cfg > hostname a",
        "port": {
            "@": "@> interface Ethernet1",
            "self": [1, "@."],
            "mtu": [2, "@ mtu 9214"],
            "x": "@ exit (2)",
            "other": ["@> interface Ethernet2 > mtu 9214", "@b.txt > one > two", "@default WHY"],
        },
    }


def test_two_lines_more_change_no_name_of_the_others() -> None:
    more = ["! two", "! more", *LINES.split("\n")]
    assert names(more)[2:] == names(LINES.split("\n"))
