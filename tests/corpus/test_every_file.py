"""Every file of the corpus is recognised by its content alone, and read."""

from __future__ import annotations

from pathlib import Path

import pytest

from roce_lint.errors import AmbiguousFormat, UnknownFormat
from roce_lint.loading.identify import identify
from tests.corpus.test_corpus import CORPUS, is_unread, judged

pytestmark = pytest.mark.skipif(
    not CORPUS.is_dir(), reason="no corpus of real configs beside the project (../shared/corpus)"
)

FOLDERS = {
    "cumulus": "cumulus",
    "eos": "eos",
    "host": "linux",
    "iosxr": "iosxr",
    "junos": "junos",
    "nxos": "nxos",
    "os10": "os10",
    "sonic": "sonic",
    "sonic-ent": "esonic",
    "srlinux": "srlinux",
}
"""The NOS of the files of each folder."""

FILES = sorted(path for path in CORPUS.rglob("*") if path.is_file() and path.parent != CORPUS)


def test_every_folder_is_known() -> None:
    assert {path.name for path in CORPUS.iterdir() if path.is_dir()} == set(FOLDERS)
    assert {path.parent for path in FILES} == {CORPUS / folder for folder in FOLDERS}


def nos_of(path: Path, name: str, ends: str = "\n") -> str:
    """NOS that a file is identified as, by name and content."""
    text = path.read_bytes().decode("utf-8", "surrogateescape").replace("\n", ends)
    try:
        return identify(name, text).nos
    except UnknownFormat:
        return "nobody's"
    except AmbiguousFormat:
        return "several"


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_file_is_recognised(folder: str) -> None:
    paths = [path for path in FILES if path.parent.name == folder]
    expected = {path: "nobody's" if is_unread(path) else FOLDERS[folder] for path in paths}
    assert {path: nos_of(path, path.name) for path in paths} == expected


SWITCHES = [path for path in FILES if path.parent.name != "host"]
BY_NAME = {".ini"}
"""Extensions of files that only their name identifies: headroom tables."""


@pytest.mark.parametrize("ends", ["\n", "\r\n", " \n"], ids=["LF", "CRLF", "blanks"])
def test_every_switch_is_recognised_under_any_name(ends: str) -> None:
    paths = [path for path in SWITCHES if path.suffix not in BY_NAME]
    found = {path: nos_of(path, "x.txt", ends) for path in paths}
    assert found == {path: FOLDERS[path.parent.name] for path in paths}


@pytest.mark.parametrize("folder", FOLDERS)
def test_nothing_crashes(folder: str) -> None:
    report = judged(CORPUS / folder)
    assert {device.nos for device in report.devices} == {FOLDERS[folder]}
    assert [f.message for f in report.findings if f.rule in ("SRC900", "SRC901")] == []
