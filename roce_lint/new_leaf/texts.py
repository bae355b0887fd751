"""Texts of devices: those copied from a sister, and those changed on a spine."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from roce_lint.errors import UsageError
from roce_lint.loading.captures.read import HEADING
from roce_lint.loading.discover import BUNDLE
from roce_lint.model.device import Device
from roce_lint.new_leaf.substitution import Key, shape_of
from roce_lint.nos.declare import Plane
from roce_lint.nos.registry import all_nos
from roce_lint.text.outline import Statement, is_json, outline
from roce_lint.text.source import FileRef, digest

HEARD = "lldpcli"
"""Prefix of the names of a host's neighbour sources: cables that do not exist yet."""

ENTRY = 12
"""Maximum lines of an entry that are all about one thing."""


@dataclass
class Text:
    """One file of a device."""

    device: Device
    ref: FileRef
    name: str  # its path below the folder that is read
    head: str  # the line that names its command, where it is the output of one
    text: str
    statements: list[Statement]
    headers: dict[int, int] = field(default_factory=dict)  # line of the header, by line

    @property
    def is_json(self) -> bool:
        """Whether its statements are separated by commas."""
        return is_json(self.text)

    @cached_property
    def lines(self) -> list[str]:
        """Its lines, the first of them line 1, without their ends."""
        return [line.removesuffix("\r") for line in self.text.split("\n")]

    @cached_property
    def by_line(self) -> dict[int, Statement]:
        """Its statements by their lines."""
        return {each.line: each for each in self.statements}

    def around(self, each: Statement) -> str:
        """The tree or table entry that contains a statement, where it is short."""
        header = self.by_line.get(self.headers[each.line])
        if header is None or header.last - header.line >= ENTRY:
            return ""
        return "\n".join(self.lines[header.line - 1 : header.last])

    def keyed(self) -> Iterator[tuple[Statement, Key]]:
        """Its statements, each with the shapes of its headers."""
        shapes: dict[str, str] = {}
        for each in self.statements:
            for text in each.above:
                if text not in shapes:
                    shapes[text] = shape_of(text)[0]
            yield each, tuple(shapes[text] for text in each.above)


def texts_of(device: Device, root: Path, *, outputs: bool = False) -> list[Text]:
    """The files that configure a device; with `outputs` also those that show its state.

    Raises:
        UsageError: a file cannot be copied: it is in an archive, of several devices, or not text.
    """
    sources = all_nos()[device.nos].by_source
    found = []
    for ref in device.src.files:
        source = sources.get(ref.source)
        heard = source is None or source.neighbors is not None or ref.source.startswith(HEARD)
        if source is None or heard:
            continue
        if source.plane is not Plane.CONFIG and not outputs:
            continue
        found.append(_read(device, ref, root))
    if not found:
        raise UsageError(f"{device.hostname}: its configuration is not in a separate file")
    return found


def path_of(ref: FileRef, root: Path) -> Path | None:
    """The file that contains only this text; None for one in an archive, or with other texts."""
    if ref.path is not None:
        return Path(ref.path)
    path = root / ref.name if root.is_dir() else root
    whole = all(ref.line(number) == number for number in range(1, ref.lines + 1))
    return path if whole and path.suffix != BUNDLE and path.is_file() else None


def _read(device: Device, ref: FileRef, root: Path) -> Text:
    reason = ""
    path = path_of(ref, root)
    if path is None:
        raise UsageError("is in an archive or a combined file: unpack it", location=ref.name)
    try:
        data = path.read_bytes()
        text = data.decode("utf-8")
    except OSError as error:
        reason = f"cannot be read: {error.strerror}"
    except UnicodeDecodeError:
        reason = "is not UTF-8 text"
    else:
        count = text.count("\n")
        known = count <= ref.lines <= count + 1 if ref.path is None else digest(data) == ref.sha256
        reason = "" if known else "has changed since it was read, or contains other texts"
    if reason:
        raise UsageError(reason, location=ref.name)
    head = ""
    if text.startswith(HEADING):
        head, _, text = text.partition("\n")
    name = os.path.relpath(path, root) if root.is_dir() else path.name
    made = Text(device, ref, name, head, text, outline(text))
    open_: list[Statement] = []
    for each in made.statements:
        del open_[len(each.above) :]
        made.headers[each.line] = open_[-1].line if open_ else 0
        open_.append(each)
    return made


def renamed(name: str, old: str, new: str) -> str:
    """The file path of a new device: like that of its sister, or named after it."""
    found = re.sub(rf"(?<![A-Za-z0-9]){re.escape(old)}(?![A-Za-z0-9])", lambda _: new, name)
    if found != name:
        return found
    path = Path(name)
    return str(path.with_name(f"{new}{path.suffix or '.cfg'}"))
