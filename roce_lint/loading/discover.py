"""Finds files below the given paths, in a stable order, without following links out of them."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from roce_lint.engine.finding import Diagnostic, SkippedFile
from roce_lint.errors import UsageError
from roce_lint.loading.decode import COMPRESSED, PROBE, is_noise
from roce_lint.loading.naming import printable

FILE_LIMIT = 64 << 20
"""Bytes of one file; a full `show running-config all` of a chassis is below 20 MB."""

HEAD = 64 << 10
"""Bytes that are read of a file over the limit, to determine whether it is relevant."""

DOCUMENTS = (".md", ".rst", ".html", ".htm", ".pdf", ".png", ".jpg", ".jpeg", ".gif", ".svg", ".py")
DOCUMENT = "a document or program, by its ending"
"""Reason to skip a file without opening it."""

BACKUPS = (".orig", ".bak", ".rej", ".swp", "~")
BACKUP = "a copy that an editor or tool left, by its ending"
"""Reason to skip a backup that would be a second configuration of its device."""

BUNDLE = ".roce"
IN_FOLDER = "a bundle of `roce-lint read`, which is read only where it is named"
"""Ending of a bundle, and the reason to skip one below a folder: its sources may lie beside it."""

ARCHIVES = (".tar", ".tar.gz", ".tgz", ".zip")
UNUSED_PLAN = "links"
"""Kind of the diagnostic of a further cable plan."""

PLANS = ("links.yaml", "links.yml", "links.csv")
CONTROL = (*PLANS, "roce-lint.toml", "intent.yaml", "intent.yml")
"""Files that control a run and are not configurations of a device."""

STDIN = "<stdin>"


@dataclass(slots=True)
class FoundFile:
    """A file to identify: on disk (`path`), or in memory (`data`).

    `folder` and `leaf` are the parts of its name that may name the device; the folder of a file in
    an archive begins with the archive's own name.
    """

    name: str  # as reports show it: printable, relative to the base
    path: str | None
    named: bool  # given on the command line: never skipped silently
    folder: str
    leaf: str
    data: bytes | None = None
    whole: bool = True  # False: `data` is only the beginning of a file that was too large
    prefix: str | None = None  # of the names in a bundle

    @property
    def is_archive(self) -> bool:
        """Whether the file is an archive."""
        return self.path is not None and self.leaf.lower().endswith(ARCHIVES)


@dataclass(slots=True, frozen=True)
class Control:
    """A control file: its kind, path and name, and the text of a cable plan in a bundle."""

    kind: str
    path: str
    name: str
    text: str | None = None


@dataclass(slots=True)
class Discovery:
    """All files found."""

    files: list[FoundFile] = field(default_factory=list)
    control: dict[str, Path] = field(default_factory=dict)  # links.yaml and the like, by name
    controls: list[Control] = field(default_factory=list)  # all of them, in order
    diagnostics: list[Diagnostic] = field(default_factory=list)
    skipped: list[SkippedFile] = field(default_factory=list)
    base: str = "."  # the folder that names are relative to
    base_name: str = ""  # the name of that folder
    folders: list[str] = field(default_factory=list)  # the paths, or the folders of files
    walked: list[str] = field(default_factory=list)  # all folders that were searched
    _seen: set[str] = field(default_factory=set, repr=False)

    def remark(self, name: str, kind: str, message: str, *, incomplete: bool = True) -> None:
        """Add a diagnostic about a file."""
        self.diagnostics.append(Diagnostic(name, kind, message, incomplete=incomplete))

    def is_new(self, real: str) -> bool:
        """Whether a file is found for the first time, by any path."""
        if real in self._seen:
            return False
        self._seen.add(real)
        return True


def discover(
    paths: tuple[str, ...],
    stdin: str | None = None,
    bundles: Mapping[str, Discovery] | None = None,
) -> Discovery:
    """All candidate files. `bundles` are the discoveries recorded in bundles, by path.

    Raises:
        UsageError: a path does not exist.
    """
    bundles = bundles or {}
    folders: list[str] = []
    for given in paths:
        own = [given] if os.path.isdir(given) else [str(Path(given).parent)]  # noqa: PTH112
        folders += bundles[given].folders if given in bundles else own if given != "-" else []
    base = _base(folders)
    found = Discovery(base=base, base_name=device_folder(printable(os.path.realpath(base))))
    found.folders = folders
    for text in paths:
        if text in bundles:
            _recall(text, bundles[text], found)
            continue
        if text == "-":
            _standard_input(stdin, found)
            continue
        name = _relative(text, base)
        path = Path(text)
        if path.is_dir():
            _walk(text, f"{name}/" if name else "", found)
        elif path.is_file():
            if found.is_new(os.path.realpath(text)):
                _file(text, printable(path.name), name, found, named=True)
        elif os.path.lexists(text):
            message = 'is neither a file nor a folder; "-" reads standard input'
            found.remark(name, "unreadable", message)
        else:
            raise UsageError(f"no such file or folder: {printable(text)}")
    return found


def device_folder(folder: str) -> str:
    """The device name implied by a folder or archive: its last part, without the ending."""
    last = folder.rsplit("/", 1)[-1].rsplit("!", 1)[-1]
    ending = next((e for e in sorted(ARCHIVES, key=len)[::-1] if last.lower().endswith(e)), "")
    return last[: len(last) - len(ending)] or last


def _base(folders: list[str]) -> str:
    """The folder that file names in the report are relative to: PATH, or the common parent."""
    if len(set(folders)) > 1:
        return os.path.commonpath([Path(folder).absolute() for folder in folders])
    return folders[0] if folders else "."


def _relative(path: str, base: str) -> str:
    """The name of a given path, as in reports; empty for the base itself."""
    name = os.path.relpath(path, base)
    return "" if name == "." else printable(name)


def _recall(path: str, bundle: Discovery, found: Discovery) -> None:
    """Repeat the discovery that a bundle records."""
    prefix = _relative(bundle.base, found.base)
    for each in bundle.controls:
        _control(replace(each, name=beneath(prefix, each.name)), found)
    found.diagnostics += [replace(d, file=beneath(prefix, d.file)) for d in bundle.diagnostics]
    found.skipped += [SkippedFile(beneath(prefix, s.file), s.reason) for s in bundle.skipped]
    found.files.append(FoundFile(path, path, named=True, folder="", leaf="", prefix=prefix))


def beneath(prefix: str, name: str) -> str:
    """A name below a folder; empty names of no file stay so."""
    if not prefix or not name:
        return name
    return prefix if name == "." else f"{prefix}/{name}"


def _standard_input(stdin: str | None, found: Discovery) -> None:
    data = (stdin or "").encode("utf-8", "surrogateescape")
    if found.is_new(STDIN):
        found.files.append(FoundFile(STDIN, None, named=True, folder="", leaf=STDIN, data=data))


def _walk(root: str, prefix: str, found: Discovery) -> None:
    top = os.path.realpath(root)
    stack = [(root, top, prefix)]
    links: list[tuple[str, str]] = []
    while stack:
        folder, real, prefix = stack.pop()
        found.walked.append(folder)
        try:
            with os.scandir(folder) as entries:
                ordered = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            found.remark(prefix.rstrip("/") or ".", "unreadable", reason(error))
            continue
        below = []
        for entry in ordered:
            if entry.name.startswith(".") and entry.name != ".env":
                continue
            leaf = printable(entry.name)
            name = prefix + leaf
            try:
                if entry.is_symlink():
                    links.append((entry.path, name))
                elif entry.is_dir(follow_symlinks=False):
                    below.append((entry.path, f"{real}/{entry.name}", f"{name}/"))
                elif entry.is_file(follow_symlinks=False) and found.is_new(f"{real}/{entry.name}"):
                    _file(entry.path, leaf, name, found, named=False)
            except OSError as error:
                found.remark(name, "unreadable", reason(error))
        stack += reversed(below)
    for path, name in links:
        _link(path, name, top, found)


def _link(path: str, name: str, top: str, found: Discovery) -> None:
    """Follow a link to a file inside the folder that is checked, nowhere else."""
    try:
        target = os.path.realpath(path, strict=True)
    except OSError as error:
        message = f"symbolic link that cannot be followed: {reason(error)}"
        found.remark(name, "link", message, incomplete=False)
        return
    if os.path.commonpath([target, top]) != top:
        message = "symbolic link that leads out of the folder; not followed"
    elif Path(target).is_dir():
        message = "symbolic link to a folder; not followed"
    elif not Path(target).is_file():
        message = "symbolic link to something other than a file; not followed"
    else:
        if found.is_new(target):
            _file(path, name.rsplit("/", 1)[-1], name, found, named=False)
        return
    found.remark(name, "link", message, incomplete=False)


def _file(path: str, leaf: str, name: str, found: Discovery, *, named: bool) -> None:
    lower = leaf.lower()
    if lower in CONTROL:
        _control(Control(lower, path, name), found)
    elif lower.endswith(BACKUPS) and named:
        found.remark(name, "backup", f"{BACKUP}; not read")
    elif (why := passed_over(leaf)) and not named:
        found.skipped.append(SkippedFile(name, why))
    else:
        folder = name.rsplit("/", 1)[0] if "/" in name else ""
        found.files.append(FoundFile(name, path, named, folder, leaf))


def passed_over(leaf: str) -> str:
    """Reason to skip a file of that name unopened; empty for none."""
    lower = leaf.lower()
    if lower.endswith(BUNDLE):
        return IN_FOLDER
    return BACKUP if lower.endswith(BACKUPS) else DOCUMENT if lower.endswith(DOCUMENTS) else ""


def _control(file: Control, found: Discovery) -> None:
    """Record a control file; of several cable plans the first in the outermost folder counts."""
    found.controls.append(file)
    lower, path = file.kind, file.path
    known = found.control.get(lower)
    if known is None:
        rivals = [plan for plan in PLANS if plan in found.control] if lower in PLANS else []
        if not rivals:
            found.control[lower] = Path(path)
            return
        known = found.control[rivals[0]]
    if lower in PLANS and os.path.realpath(known) != os.path.realpath(path):
        used = printable(os.path.relpath(known, found.base))
        message = f"not used, since {used} is the cable plan; use --links for another"
        found.remark(file.name, UNUSED_PLAN, message, incomplete=False)


def reason(error: BaseException) -> str:
    """The message of an error, in one line."""
    reported = error.strerror if isinstance(error, OSError) else None
    return printable(reported or str(error) or type(error).__name__)


READ_ONLY = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""Flags with which opening a pipe does not wait for a writer."""


def read_file(path: str, limit: int, head: int) -> tuple[bytes, bool]:
    """The bytes of a regular file, and True; of one above `limit` its first `head`, and False.

    Of a binary file only the beginning is read. Pipes and devices are never waited for.

    Raises:
        OSError: it cannot be read, or is not a regular file.
    """
    handle = os.open(path, READ_ONLY)
    try:  # without a file object, which costs more than reading a small file
        state = os.fstat(handle)
        if not stat.S_ISREG(state.st_mode):
            raise OSError(None, "is not a regular file")
        if state.st_size > limit:
            return os.read(handle, head), False
        data = os.read(handle, PROBE)
        if len(data) == state.st_size:
            return data, True  # most outputs of commands: they are tested when decoded
        if is_noise(data) and not data.startswith(COMPRESSED):
            return data, True
        # One read more than the size: files in /proc and growing ones have no true size.
        while piece := os.read(handle, max(state.st_size - len(data), 1 << 16)):
            data += piece
            if len(data) > limit:
                return data[:head], False
    finally:
        os.close(handle)
    return data, True
