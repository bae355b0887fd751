from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from roce_lint.text import excerpts
from roce_lint.text.excerpts import Excerpts
from roce_lint.text.source import (
    NO_SOURCE,
    TEXT_LIMIT,
    Citation,
    Confidence,
    Location,
    Origin,
    SourceFile,
    SourceMap,
    Where,
)
from roce_lint.text.tree import Document

CONFIG = "hostname leaf1\ninterface Ethernet1/1\n   mtu 1500\n"
DATABASE = """\
{
    "PORT": {
        "Ethernet0": {"mtu": "9100", "alias": "etp1"}
    },
    "SNMP_COMMUNITY": {
        "sesame": {"TYPE": "RO"}
    }
}
"""


def stored(folder: Path, name: str, text: str, *, newline: str = "") -> tuple[SourceMap, int]:
    """A file on disk, and the map of a device in which it is the second file."""
    path = folder / name
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    src = SourceMap()
    src.add(SourceFile.of("first.txt", "one\ntwo\n"), "lldp")
    return src, src.add(SourceFile.of(name, text, str(path)), "running-config")


def line(src: SourceMap, index: int, number: int, **more) -> Where:
    return Where(src, src.files[index].first + number, **more)


def test_a_line_is_read_again(tmp_path):
    src, index = stored(tmp_path, "leaf1.cfg", CONFIG)
    assert Excerpts().locate(line(src, index, 3), "evidence") == Location(
        "leaf1.cfg", 3, "mtu 1500", "evidence"
    )


def test_crlf_and_a_byte_order_mark_are_not_shown(tmp_path):
    src, index = stored(tmp_path, "leaf1.cfg", "\ufeffhostname leaf1\r\nmtu 1500\r\n")
    shown = Excerpts()
    assert shown.locate(line(src, index, 1)).text == "hostname leaf1"
    assert shown.locate(line(src, index, 2)).text == "mtu 1500"


@pytest.mark.parametrize(
    ("confidence", "note"),
    [
        (Confidence.CONFIRMED, "EOS default: 9214 bytes"),
        (Confidence.UNCONFIRMED, "EOS default: 9214 bytes, unconfirmed"),
    ],
)
def test_a_default_is_shown_at_its_object_with_who_says_so(tmp_path, confidence, note):
    src, index = stored(tmp_path, "leaf1.cfg", CONFIG)
    citation = Citation("EOS default: 9214 bytes", "docs/nos/eos.md#mtu", confidence)
    where = line(src, index, 2, origin=Origin.DEFAULT, citation=citation)
    assert Excerpts().locate(where) == Location(
        "leaf1.cfg", 2, "interface Ethernet1/1", "cause", Origin.DEFAULT, None, note
    )


def test_what_is_absent_is_not_stated(tmp_path):
    src, index = stored(tmp_path, "leaf1.cfg", CONFIG)
    where = line(src, index, 2, origin=Origin.ABSENT)
    assert Excerpts().locate(where).note == "not stated"
    where = line(src, index, 2, origin=Origin.ABSENT, label="watchdog")
    assert Excerpts().locate(where).note == "watchdog: not stated"
    assert Excerpts().locate(line(src, index, 2, label="the port")).note == "the port"


def test_an_object_without_a_place_has_line_0():
    src = SourceMap()
    where = Where(src, 0, Origin.ABSENT)
    assert Excerpts().locate(where) == Location(
        "", 0, "", "cause", Origin.ABSENT, None, "not stated"
    )
    src.add(SourceFile.of("leaf1.cfg", CONFIG), "running-config")
    assert Excerpts().locate(where).file == "leaf1.cfg"
    src.add(SourceFile.of("lldp.txt", ""), "lldp")
    assert Excerpts().locate(where).file == ""
    assert Excerpts().locate(Where(NO_SOURCE, 0)).file == ""


def test_a_tree_path_has_line_column_and_path(tmp_path):
    src, index = stored(tmp_path, "config_db.json", DATABASE)
    position = src.path(index, ("PORT", "Ethernet0", "mtu"))
    assert Excerpts().locate(Where(src, position)) == Location(
        "config_db.json",
        3,
        '"Ethernet0": {"mtu": "9100", "alias": "etp1"}',
        column=23,
        path="PORT|Ethernet0|mtu",
    )


def test_json_between_console_lines_is_located(tmp_path):
    text = "admin@sonic:~$ show runningconfiguration all\n" + DATABASE + "admin@sonic:~$ "
    src, index = stored(tmp_path, "leaf1.txt", text)
    found = Excerpts().locate(Where(src, src.path(index, ("PORT", "Ethernet0", "alias"))))
    assert (found.line, found.column) == (4, 38)


def test_yaml_documents_are_located(tmp_path):
    src, index = stored(tmp_path, "pod.yaml", "a: 1\n---\nlist:\n  - mtu: 9000\n")
    keys = (Document(1), "list", 0, "mtu")
    found = Excerpts().locate(Where(src, src.path(index, keys)))
    assert (found.line, found.column, found.text) == (4, 5, "- mtu: 9000")
    assert found.path == "list|0|mtu"


def test_all_paths_of_a_yaml_file_are_found_in_one_scan(tmp_path, monkeypatch):
    text = "PORT:\n  swp1:\n    mtu: 9100\n    alias: x\n"
    src, index = stored(tmp_path, "startup.yaml", text)
    first = src.path(index, ("PORT", "swp1"))
    second = src.path(index, ("PORT", "swp1", "mtu"))
    scans = []
    real = excerpts.locate_all
    monkeypatch.setattr(
        excerpts,
        "locate_all",
        lambda text, form, paths: scans.append(paths) or real(text, form, paths),
    )
    shown = Excerpts()
    assert [shown.locate(Where(src, each)).line for each in (first, second, first)] == [2, 3, 2]
    assert len(scans) == 1
    third = src.path(index, ("PORT", "swp1", "alias"))
    assert shown.locate(Where(src, third)).line == 4
    assert len(scans) == 2


def test_paths_of_a_json_file_are_found_one_by_one(tmp_path):
    src, index = stored(tmp_path, "config_db.json", DATABASE)
    port = ("PORT", "Ethernet0")
    shown = Excerpts()
    paths = [port, (*port, "mtu"), (*port, "alias"), (*port, "no such key")]
    found = [shown.locate(Where(src, src.path(index, each))).column for each in paths]
    assert found == [9, 23, 38, 9]


def test_a_minified_file_shows_the_text_at_the_column(tmp_path):
    ports = {f"Ethernet{n}": {"mtu": "9100"} for n in range(100)}
    text = json.dumps({"PORT": ports}, separators=(",", ":"))
    src, index = stored(tmp_path, "config_db.json", text)
    found = Excerpts().locate(Where(src, src.path(index, ("PORT", "Ethernet50", "mtu"))))
    assert text[found.column - 1 :].startswith('"mtu"')
    assert found.text.startswith('…"mtu":"9100"},"Ethernet51":{')
    assert len(found.text) == TEXT_LIMIT
    assert found.text.endswith("…")


def test_a_long_line_is_cut(tmp_path):
    src, index = stored(tmp_path, "leaf1.cfg", "  " + "x" * TEXT_LIMIT + "\n" + "y" * 9999 + "\n")
    shown = Excerpts()
    assert shown.locate(line(src, index, 1)).text == "x" * TEXT_LIMIT
    assert shown.locate(line(src, index, 2)).text == "y" * (TEXT_LIMIT - 1) + "…"


def test_control_characters_are_replaced(tmp_path):
    src, index = stored(tmp_path, "leaf1.cfg", "a\x1b[31m\x00b\tc\x85\u202ed\xa0e\udcff😀\n")
    shown = Excerpts().locate(line(src, index, 1)).text
    assert shown == "a�[31m�b c��d e�😀"
    shown.encode()
    src, index = stored(tmp_path, "x.json", '{"a\\u001b\\ud800": 1}')
    assert Excerpts().locate(Where(src, src.path(index, ("a\x1b\ud800",)))).path == "a��"


def test_a_changed_file_is_said_to_have_changed(tmp_path):
    src, index = stored(tmp_path, "leaf1.cfg", CONFIG)
    (tmp_path / "leaf1.cfg").write_text("hostname leaf2\n")
    shown = Excerpts()
    assert shown.locate(line(src, index, 1)) == Location(
        "leaf1.cfg", 1, "hostname leaf2", note="the file has changed since it was read"
    )
    assert shown.locate(line(src, index, 3)).text == ""
    where = line(src, index, 1, origin=Origin.ABSENT)
    assert shown.locate(where).note == "not stated; the file has changed since it was read"


def test_a_changed_tree_shows_the_nearest_place(tmp_path):
    src, index = stored(tmp_path, "config_db.json", DATABASE)
    where = Where(src, src.path(index, ("PORT", "Ethernet0", "mtu")))
    (tmp_path / "config_db.json").write_text('{\n"PORT": {}}')
    found = Excerpts().locate(where)
    assert (found.line, found.column, found.text) == (2, 1, '"PORT": {}}')
    assert found.note == "the file has changed since it was read"
    (tmp_path / "config_db.json").write_text("a: [\n")
    found = Excerpts().locate(where)
    assert (found.line, found.column) == (1, None)
    assert found.note.startswith("the file has changed since it was read; not valid YAML")


def test_a_file_that_is_gone_keeps_its_line_number(tmp_path):
    src, index = stored(tmp_path, "leaf1.cfg", CONFIG)
    (tmp_path / "leaf1.cfg").unlink()
    assert Excerpts().locate(line(src, index, 3)) == Location(
        "leaf1.cfg", 3, "", note="the file can no longer be read"
    )
    found = Excerpts().locate(Where(src, src.path(index, ("PORT",))))
    assert (found.line, found.column, found.path) == (1, None, "PORT")


@pytest.mark.parametrize("kind", ["folder", "fifo", "huge", "nul"])
def test_what_is_no_ordinary_file_is_not_opened(tmp_path, monkeypatch, kind):
    src, index = stored(tmp_path, "leaf1.cfg", CONFIG)
    path = tmp_path / "leaf1.cfg"
    path.unlink()
    if kind == "folder":
        path.mkdir()
    elif kind == "fifo":
        os.mkfifo(path)
    elif kind == "huge":
        monkeypatch.setattr(excerpts, "READ_LIMIT", 10)
        path.write_text(CONFIG)
    else:
        src.files[index].path = "a\0b"
    assert Excerpts().locate(line(src, index, 1)).note == "the file can no longer be read"


def test_files_in_memory_are_found_by_name():
    file = SourceFile.of("snap.tar.gz!leaf1/x.txt", CONFIG)
    src = SourceMap()
    index = src.add(file, "running-config")
    found = Excerpts({file.name: file}).locate(line(src, index, 2))
    assert (found.file, found.text, found.note) == (file.name, "interface Ethernet1/1", "")
    assert Excerpts().locate(line(src, index, 2)).note == "the file can no longer be read"
    later: dict[str, SourceFile] = {}
    shown = Excerpts(later)
    later[file.name] = file
    assert shown.locate(line(src, index, 3)).text == "mtu 1500"
    other = SourceFile.of(file.name, "hostname leaf2\nshutdown")
    found = Excerpts({file.name: other}).locate(line(src, index, 2))
    assert (found.text, found.note) == ("shutdown", "the file has changed since it was read")


def test_what_is_no_utf_8_does_not_hide_a_tree(tmp_path):
    src, index = stored(tmp_path, "pod.yaml", "# \udcff\nmtu: 9000\n")
    found = Excerpts().locate(Where(src, src.path(index, ("mtu",))))
    assert (found.line, found.text, found.note) == (2, "mtu: 9000", "")


def test_utf_16_is_read(tmp_path):
    data = CONFIG.encode("utf-16")
    (tmp_path / "leaf1.cfg").write_bytes(data)
    src = SourceMap()
    src.add(
        SourceFile("leaf1.cfg", CONFIG, excerpts.digest(data), str(tmp_path / "leaf1.cfg")), "c"
    )
    assert Excerpts().locate(line(src, 0, 3)) == Location("leaf1.cfg", 3, "mtu 1500")


def test_few_files_are_held(tmp_path, monkeypatch):
    reads = []
    real = excerpts._bytes_of
    monkeypatch.setattr(excerpts, "_bytes_of", lambda path: reads.append(path) or real(path))
    monkeypatch.setattr(excerpts, "FILES_KEPT", 2)
    monkeypatch.setattr(excerpts, "PLACES_KEPT", 0)
    shown = Excerpts()
    places = [line(*stored(tmp_path, f"{name}.cfg", CONFIG), 1) for name in "abc"]
    for number in (0, 1, 0, 2, 0, 1):  # 1 is the one not asked for longest when 2 comes
        shown.locate(places[number])
    assert [Path(path).stem for path in reads] == ["a", "b", "c", "b"]
    monkeypatch.setattr(excerpts, "CHARACTERS_KEPT", 1)
    reads.clear()
    shown = Excerpts()
    for number in (0, 0, 1, 0):
        shown.locate(places[number])
    assert [Path(path).stem for path in reads] == ["a", "b", "a"]


def test_a_place_is_looked_up_once(tmp_path, monkeypatch):
    reads = []
    real = excerpts._bytes_of
    monkeypatch.setattr(excerpts, "_bytes_of", lambda path: reads.append(path) or real(path))
    monkeypatch.setattr(excerpts, "FILES_KEPT", 1)
    shown = Excerpts()
    places = [line(*stored(tmp_path, f"{name}.cfg", CONFIG), 1) for name in "ab"]
    found = [
        shown.locate(places[number], role) for role in ("cause", "evidence") for number in (0, 1)
    ]
    again = [
        shown.locate(places[number], role) for role in ("cause", "evidence") for number in (0, 1)
    ]
    assert found == again
    assert [place.role for place in found] == ["cause", "cause", "evidence", "evidence"]
    assert [Path(path).stem for path in reads] == ["a", "b", "a", "b"]


def test_a_shown_line_never_holds_a_secret(tmp_path):
    text = "x " * 90 + "password " + "h1dden " * 900 + "\n" + "y" * 3990 + " secret h1dden\n"
    src, index = stored(tmp_path, "leaf1.cfg", text)
    shown = Excerpts()
    assert shown.locate(line(src, index, 1)).text == "x " * 90 + "password ***"
    assert shown.locate(line(src, index, 2)).text == "y" * (TEXT_LIMIT - 1) + "…"


def test_what_stands_below_a_secret_key_is_not_shown(tmp_path):
    src, index = stored(tmp_path, "config_db.json", DATABASE)
    found = Excerpts().locate(Where(src, src.path(index, ("SNMP_COMMUNITY", "sesame", "TYPE"))))
    assert found == Location("config_db.json", 6, "***", column=20, path="SNMP_COMMUNITY|***")
    found = Excerpts().locate(Where(src, src.path(index, ("SNMP_COMMUNITY",))))
    assert (found.line, found.text, found.path) == (5, '"SNMP_COMMUNITY": ***', "SNMP_COMMUNITY")
