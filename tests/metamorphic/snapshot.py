"""A sample fabric as texts by name, its results, and other ways to write it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from roce_lint.pipeline import Report, Request, run
from roce_lint.settings import Settings
from tests.bench import Files, files_below, write_files
from tests.conftest import ROOT

SAMPLES = ROOT / "sample_configs"

_COMMAND = re.compile(r"\A# command: .*\n")
_BANNER = re.compile(r"banner \S+ (?P<end>\S)$|banner (?:motd|login)$")


def sample(name: str) -> Files:
    """Files of a sample fabric by their names below it."""
    return files_below(SAMPLES / name)


def judge(files: Files, folder: Path) -> Report:
    """Write the files into a folder and check it."""
    write_files(files, folder)
    return run(Request((str(folder),), jobs=1, cache=False), Settings())


# ------------------------------------------------------------------------ what is said of a fabric


@cache
def before(fabric: str) -> Report:
    """Report of a sample fabric as it is, read from its folder."""
    folder = SAMPLES / fabric
    return run(Request((str(folder),), jobs=1, cache=False), Settings())


def summary(report: Report, back: Callable[[str], str] = str) -> dict[str, list[Any]]:
    """Everything in a report except lines, columns and texts; `back` undoes renaming.

    Sets (devices, ports, places) are sorted, because their order is that of the files.
    """
    return {
        "findings": sorted(
            (
                finding.rule,
                finding.severity.label,
                finding.confidence.value,
                finding.also,
                sorted(
                    (
                        back(occurrence.device),
                        sorted(map(back, occurrence.subjects)),
                        sorted(
                            (back(place.file), _plain(back(place.path or place.text)))
                            for place in occurrence.locations
                            if place.role == "cause"
                        ),
                    )
                    for occurrence in finding.occurrences
                ),
            )
            for finding in report.findings
        ),
        "unknowns": sorted(
            (
                unknown.rule,
                unknown.missing,
                back(unknown.device),
                sorted(map(back, unknown.subjects)),
            )
            for unknown in report.unknowns
        ),
        "classes": [(c.name, c.flow, c.dscps, c.basis, c.senders, c.modes) for c in report.classes],
        "devices": sorted((back(d.name), d.nos, d.role) for d in report.devices),
        "diagnostics": [(back(d.file), d.kind) for d in report.diagnostics],
        "counts": [report.links, report.judged_ports, report.unrecognised_lines],
    }


def _plain(text: str) -> str:
    return " ".join(text.split())


def words(report: Report) -> list[tuple[Any, ...]]:
    """Texts and lines of all findings."""
    return [
        (
            finding.rule,
            finding.message,
            finding.consequence,
            finding.fingerprint,
            [
                (place.file, place.line, _plain(place.text), place.note)
                for occurrence in finding.occurrences
                for place in occurrence.locations
            ],
        )
        for finding in report.findings
    ]


# ---------------------------------------------------------------------------- ways to write the same


def each(files: Files, ending: str, change: Callable[[str], str]) -> Files:
    """Change the files with an ending."""
    return {name: change(text) if name.endswith(ending) else text for name, text in files.items()}


def with_crlf(files: Files) -> Files:
    """Lines with Windows endings."""
    return {name: text.replace("\n", "\r\n") for name, text in files.items()}


def indented(files: Files, by: str) -> Files:
    """Configurations that indent with `by` for each level; banners are unchanged."""
    files = each(files, ".cfg", lambda text: _indented(text, by))
    return each(files, "leaf5.conf", lambda text: _indented(text, by))


def _indented(text: str, by: str) -> str:
    lines = text.split("\n")
    unit = min((len(line) - len(line.lstrip()) for line in lines if line[:1] == " "), default=1)
    shown = []
    for block in stanzas(text):
        for line in block:
            depth = 0 if _BANNER.match(block[0]) else (len(line) - len(line.lstrip())) // unit
            shown.append(by * depth + line.lstrip() if depth else line)
    return "\n".join(shown)


def stanzas(text: str) -> list[list[str]]:
    """Stanzas of a configuration, each with its lines; a banner is one."""
    blocks: list[list[str]] = []
    closing = None
    for line in text.split("\n"):
        if closing is not None or line[:1] == " ":
            blocks[-1].append(line)
            if closing is not None and line.strip() == closing:
                closing = None
            continue
        blocks.append([line])
        banner = _BANNER.match(line)
        if banner:
            closing = banner["end"] or "EOF"
    return blocks


def backwards(files: Files) -> Files:
    """Configurations with reversed stanzas, JSON and YAML with reversed keys.

    The line `end`, which ends a complete output, stays last.
    """
    turned = each(files, ".cfg", _backwards)
    turned = each(turned, "leaf5.conf", lambda text: braces(_turned(statements(text))))
    turned = each(turned, ".yaml", lambda text: as_yaml(_turned_set(text)))
    return each(turned, ".json", lambda text: rewritten(text, change=_turned))


def _backwards(text: str) -> str:
    blocks = stanzas(text)
    head = [block for block in blocks if block[0][:1] == "!" or block[0].startswith("version")]
    tail = [block for block in blocks if block[0] == "end"]
    body = [block for block in blocks if block not in head and block not in tail and block != [""]]
    turned = [*head, *reversed(body), *tail]
    return "\n".join(line for block in turned for line in block) + "\n"


def _turned(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _turned(value) for key, value in reversed(data.items())}
    if isinstance(data, list):  # the order of a list may mean something
        return [_turned(value) for value in data]
    return data


def rewritten(text: str, change: Callable[[Any], Any] = lambda data: data, **form: Any) -> str:
    """A JSON document parsed and written again, below its command header."""
    header = _COMMAND.match(text)
    top = header[0] if header else ""
    data = change(json.loads(text[len(top) :]))
    return top + json.dumps(data, **{"indent": 4, **form}) + "\n"


def renamed(files: Files, names: Iterable[tuple[str, str]]) -> Files:
    """Exchange every name, in texts and file names."""
    change = renaming(names)
    return {change(name): change(text) for name, text in files.items()}


def renaming(names: Iterable[tuple[str, str]]) -> Callable[[str], str]:
    """Replace whole names, all at once, so that two may be swapped."""
    table = dict(names)
    longest = sorted(table, key=lambda name: (-len(name), name))
    found = re.compile(rf"(?<![\w/])(?:{'|'.join(map(re.escape, longest))})(?![\w/]|-\d)")
    return lambda text: found.sub(lambda match: table[match[0]], text)


# ------------------------------------------------------------------------- braces and set commands

Branch = dict[str, Any]
"""Content of braces: statements without any are keys of None."""


def statements(text: str) -> Branch:
    """A configuration in braces as a tree, without comments."""
    root: Branch = {}
    open_ones = [root]
    for line in text.split("\n"):
        words = re.sub(r"\s*##.*", "", line).strip()
        if words.endswith("{"):
            open_ones.append(open_ones[-1].setdefault(words[:-2], {}))
        elif words == "}":
            open_ones.pop()
        elif words:
            open_ones[-1][words.removesuffix(";")] = None
    return root


def braces(tree: Branch, depth: int = 0) -> str:
    """The tree in the format of `show configuration`."""
    shown = []
    for words, below in tree.items():
        lead = " " * (4 * depth)
        if below is None:
            shown.append(f"{lead}{words};\n")
        else:
            shown.append(f"{lead}{words} {{\n{braces(below, depth + 1)}{lead}}}\n")
    return "".join(shown)


def as_sets(tree: Branch, above: str = "set") -> str:
    """The tree in the format of `show configuration | display set`."""
    lines = []
    for words, below in tree.items():
        listed = re.fullmatch(r"(.*) \[ (.*) \]", words)
        if below:
            lines.append(as_sets(below, f"{above} {words}"))
        elif listed:
            lines += [f"{above} {listed[1]} {value}\n" for value in listed[2].split()]
        else:
            lines.append(f"{above} {words}\n")
    return "".join(lines)


# ------------------------------------------------------------------------------- YAML and commands


def document(text: str) -> list[Any]:
    """A YAML document with text values only."""
    data = yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506 it makes texts, lists and mappings only
    assert isinstance(data, list)
    return data


def as_yaml(data: Any) -> str:
    """The document written again in the same order, in another style."""
    return yaml.safe_dump(data, sort_keys=False, indent=4)


def _turned_set(text: str) -> list[Any]:
    head, body = document(text)
    return [head, _turned(body)]


def as_commands(data: Any, above: str = "nv set") -> str:
    """The part below `set` in the format of `nv config show -o commands`."""
    if not isinstance(data, dict):
        return f"{above} {_quoted(data)}\n"
    if not data:
        return f"{above}\n"
    return "".join(as_commands(below, f"{above} {_quoted(key)}") for key, below in data.items())


def _quoted(word: str) -> str:
    return f"'{word}'" if " " in word else word
