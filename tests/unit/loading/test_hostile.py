"""Hostile files through the whole program: messages, exit status, cost."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import random
import resource
import subprocess
import sys
import tarfile
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from roce_lint.cli.main import cli
from roce_lint.report import FORMATS
from tests.conftest import Within
from tests.unit.loading.making import check, diagnostics_of, eos, names, nxos, put, tar, zipped

MEMORY = 1 << 30
SECONDS = 20.0
END = "end\n"


@dataclass(frozen=True)
class Ended:
    """Result of a run of the program."""

    status: int
    out: str
    err: str

    @property
    def file_lines(self) -> list[str]:
        """The lines on standard error that speak of files."""
        return [line.strip() for line in self.err.splitlines() if ": " in line]


def roce_lint(*words: str | Path, stdin: str | bytes | None = None) -> Ended:
    """`roce-lint check`, in this process."""
    words = ("check", "--no-cache", *map(str, words))
    done = CliRunner().invoke(cli, words, input=stdin)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    assert "Traceback" not in done.output
    return Ended(done.exit_code, done.stdout, done.stderr)


def bounded(*words: str | Path) -> Ended:
    """The same in a separate process with a memory limit."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))

    done = subprocess.run(
        [sys.executable, "-m", "roce_lint", "check", "--no-cache", "-j", "1", *map(str, words)],
        preexec_fn=limit,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        timeout=300,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return Ended(done.returncode, done.stdout, done.stderr)


HALF = (
    '{"DEVICE_METADATA": {"localhost": {"hostname": "s1"}},\n "PORT": {\n  "Ethernet0": {"mtu": "91'
)
WHOLE = (
    '{"DEVICE_METADATA": {"localhost": {"hostname": "s1"}}, "PORT": {"Ethernet0": {"mtu": "9100"}}}'
)


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({"a.json": HALF}, [("a.json", 3, "syntax", True)]),
        ({"a.json": WHOLE[:-1]}, [("a.json", 1, "syntax", True)]),
        ({"config_db.json": "{" * 100_000}, [("config_db.json", 1, "syntax", True)]),
        ({"config_db.json": '{"PORT":' * 60_000}, [("config_db.json", 1, "syntax", True)]),
        (
            {"config_db.json": '{"PORT":' + '{"a":' * 50_000 + "1" + "}" * 50_001},
            [("config_db.json", 1, "syntax", True)],
        ),
        ({"config_db.json": '{"PORT": ' + "9" * 50_000 + "}"}, [("config_db.json", 1, "syntax", True)]),
        ({"config_db.json": '{"PORT": NaN}'}, [("config_db.json", 1, "syntax", True)]),
        ({"a.cfg": eos("leaf1", "92\x0014")}, [("a.cfg", 5, "encoding", False)]),
        ({"a.cfg": eos("leaf1").encode() + b"   description B\xfcro\n"}, [("a.cfg", 8, "encoding", False)]),
        ({"a.cfg": eos("leaf1").encode("utf-16")}, []),
        ({"a.cfg": b"\xef\xbb\xbf" + eos("leaf1").encode()}, []),
        ({"a.json": b"\xef\xbb\xbf" + WHOLE.encode()}, []),
        ({"a.cfg": eos("leaf1").replace("\n", "\r\n")}, []),
        ({"a.cfg": eos("leaf1").replace("\n", "\n\x0c\n\u2028\n")}, []),
        ({"empty.cfg": "", "ff.cfg": b"\xff" * 5000, "nul": bytes(9000), "a.cfg": eos()},
         [("empty.cfg", None, "no-text", False), ("ff.cfg", None, "no-text", False)]),
        ({"snap.zip": b"PK\x05\x06 no zip"}, [("snap.zip", None, "unreadable", True)]),
        ({"snap.tgz": tar({"a.cfg": eos()}, "w:gz")[:-20]}, [("snap.tgz", None, "unreadable", True)]),
        (
            {"snap.zip": zipped({"in.zip": zipped({"b.cfg": eos("leaf9")}), "a.cfg": eos()})},
            [("snap.zip!in.zip", None, "no-text", False)],
        ),
        (
            {"leaf9.cfg.gz": gzip.compress(b"")[:-4], "a.cfg": eos()},
            [("leaf9.cfg.gz", None, "unreadable", True)],
        ),
        ({"syslog.1.gz": gzip.compress(b"started"), "a.cfg": eos()}, []),
    ],
)  # fmt: skip
def test_one_bad_file_is_told_with_its_line_and_the_others_judged(
    tmp_path: Path, files: Mapping[str, str | bytes], told: list[tuple[str, int | None, str, bool]]
) -> None:
    put(tmp_path / "in", {**files, "good/leaf7.cfg": nxos("leaf7")})
    report = check(tmp_path / "in")
    assert "leaf7" in names(report)
    assert diagnostics_of(report) == told
    ended = roce_lint(tmp_path / "in")
    assert ended.status == (3 if any(entry[3] for entry in told) else 0)
    for file, line, kind, _ in told:
        place = f"{file}:{line}: {kind}: " if line else f"{file}: {kind}: "
        assert any(place in entry for entry in ended.file_lines)


@pytest.mark.parametrize(
    ("files", "judged", "told"),
    [
        ({"a.cfg": eos(), "b.cfg": eos()}, ["leaf1"], []),
        ({"a.cfg": eos(), "b.cfg": eos(mtu=1)}, [], [("a.cfg", None, "two-configs", True)]),
        ({"a.cfg": eos("leaf1"), "b.cfg": eos("LEAF1")}, [], [("a.cfg", None, "two-configs", True)]),
        ({"a.cfg": eos(), "b.cfg": nxos()}, [], [("a.cfg", None, "two-devices", True)]),
        (
            {
                "a.cfg": nxos(time="Sat Mar  7 10:11:12 2026"),
                "b.cfg": nxos(time="Sat Mar  7 10:11:11 2026", mtu=1500),
            },
            ["leaf1"], [("a.cfg", None, "two-configs", False)],
        ),
        ({"leaf1.cfg": eos(), "leaf1.cfg.save": eos(mtu=1)}, [], [("leaf1.cfg", None, "two-configs", True)]),
        ({"a.zip": zipped({"x.cfg": eos()}), "b.cfg": eos()}, ["leaf1"], []),
    ],
)  # fmt: skip
def test_two_files_of_one_name(
    tmp_path: Path,
    files: Mapping[str, str | bytes],
    judged: list[str],
    told: list[tuple[str, int | None, str, bool]],
) -> None:
    report = check(put(tmp_path, files))
    assert (names(report), diagnostics_of(report)) == (judged, told)
    assert roce_lint(tmp_path).status == (3 if any(entry[3] for entry in told) else 0)


def test_what_is_named_twice_is_judged_once(tmp_path: Path) -> None:
    put(tmp_path, {"a.cfg": eos()})
    twice = roce_lint(tmp_path, tmp_path / "a.cfg", tmp_path, "--format", "json")
    assert (twice.status, [d["files"] for d in json.loads(twice.out)["devices"]]) == (
        0,
        [["a.cfg"]],
    )


def test_standard_input(tmp_path: Path) -> None:
    assert roce_lint("-", stdin=eos()).status == 0
    empty = roce_lint("-", stdin="")
    assert (empty.status, empty.file_lines[0]) == (3, "<stdin>: no-text: empty file")
    noise = roce_lint("-", stdin=bytes(range(256)) * 99)
    assert (noise.status, noise.file_lines[0]) == (3, "<stdin>: no-text: binary file")
    both = roce_lint("-", put(tmp_path, {"b.cfg": nxos("leaf2")}), "--format", "json", stdin=eos())
    assert [(d["name"], d["files"]) for d in json.loads(both.out)["devices"]] == [
        ("leaf1", ["<stdin>"]), ("leaf2", ["b.cfg"]),
    ]  # fmt: skip


def test_a_path_that_is_not_there_is_wrong_use(tmp_path: Path) -> None:
    ended = roce_lint(tmp_path / "gone")
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.startswith("roce-lint: no such file or folder: ")


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    put(tmp_path, {"a.cfg": eos()})
    os.mkfifo(tmp_path / "pipe.cfg")
    assert roce_lint(tmp_path).status == 0
    named = roce_lint(tmp_path / "pipe.cfg", tmp_path / "a.cfg")
    assert named.status == 3
    assert any(
        "pipe.cfg: unreadable: is neither a file nor a folder" in line for line in named.file_lines
    )


def test_a_cable_plan_that_is_a_bomb_is_refused(tmp_path: Path) -> None:
    lines = ["- &a0 [x:1, y:1]"] + [
        f"- &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30)
    ]
    ended = roce_lint(put(tmp_path, {"a.cfg": eos(), "links.yaml": "\n".join(lines)}))
    assert ended.status == 2
    assert ended.err.startswith(f"roce-lint: {tmp_path}/links.yaml:")
    assert "with aliases expanded" in ended.err


ODD_NAMES = (
    b"a\nb.cfg",
    b"c\x1b[31md.cfg",
    b"\xff\xfe.cfg",
    "\u202eevil\u2028.cfg".encode(),
    b"q\"&<>'%25.cfg",
    b"comma,colon:semi;.cfg",
    b" blank .cfg",
    b"tab\t.cfg",
    "leaf→ü.cfg".encode(),
    b"-rf.cfg",
    b"back\\slash.cfg",
)
UNSOUND = (
    "interface Ethernet1\n   mtu 1500\n   qos trust dscp\n   priority-flow-control on\n   frob\n"
)


@pytest.fixture
def oddly_named(tmp_path: Path) -> Path:
    """A folder of files with odd names, each with a finding."""
    folder = tmp_path / "in"
    folder.mkdir()
    for number, name in enumerate(ODD_NAMES):
        (folder / os.fsdecode(name)).write_text(f"{UNSOUND}   frob {'x' * number}\n")
    return folder


def in_every_format(folder: Path, out: Path) -> dict[str, str]:
    """The reports of one run, in files that it makes and nothing else."""
    before = sorted(out.parent.rglob("*"))
    out.mkdir()
    words = [word for name in FORMATS for word in ("--output", f"{name}={out / name}")]
    ended = roce_lint(folder, *words, "--fail-on", "never")
    assert ended.status == 0
    assert all(line.isprintable() for line in (ended.out + ended.err).split("\n"))
    made = {out, *(out / name for name in FORMATS)}
    assert [path for path in sorted(out.parent.rglob("*")) if path not in made] == before
    return {name: (out / name).read_bytes().decode() for name in FORMATS}


def test_odd_file_names_spoil_no_report(oddly_named: Path, tmp_path: Path) -> None:
    for name, text in in_every_format(oddly_named, tmp_path / "out").items():
        lines = text.split("\n")
        assert text
        assert all(line.isprintable() for line in lines), name
        match name:
            case "json" | "sarif" | "gitlab":
                assert json.loads(text)
            case "jsonl":
                assert all(json.loads(line) for line in lines if line)
            case "junit":
                assert len(ET.fromstring(text)) == len(ODD_NAMES) + 1  # noqa: S314  (ours)
            case "github":
                assert all(line.startswith(("::", "  ")) for line in lines if line)
            case "concise":
                assert all(": " in line for line in lines if line)


def test_odd_file_names_are_told_apart(oddly_named: Path) -> None:
    report = check(oddly_named)
    assert names(report) == sorted(
        ["a\\nb", "c\\x1b[31md", "\\xff\\xfe", "\\u202eevil\\u2028", "q\"&<>'%25",
         "comma,colon:semi;", " blank ", "tab\\t", "leaf→ü", "-rf", "back\\slash"],
        key=str.casefold,
    )  # fmt: skip
    sarif = json.loads(roce_lint(oddly_named, "--format", "sarif", "--fail-on", "never").out)
    uris = {
        place["physicalLocation"]["artifactLocation"]["uri"]
        for result in sarif["runs"][0]["results"]
        for place in result["locations"]
    }
    assert len(uris) == len(ODD_NAMES)
    assert all(uri.isascii() and not set(uri) & set(' "<>\\^`{}|') for uri in uris)


@pytest.mark.parametrize(
    "hostname",
    [
        "a\x1b[31mb",
        "../../etc/x",
        "h" * 1_000_000,
        "\u202ex\u2028",
        "\"q'&<>%,:;",
        "]]>--",
        "::error::x",
    ],
    ids=["escape", "path", "long", "bidi", "quotes", "markup", "command"],
)
def test_a_hostile_hostname_spoils_no_report(tmp_path: Path, hostname: str) -> None:
    put(tmp_path / "in", {"a.cfg": f"hostname {hostname}\n{UNSOUND}"})
    for name, text in in_every_format(tmp_path / "in", tmp_path / "out").items():
        assert all(line.isprintable() for line in text.split("\n")), name
        assert len(text) < 900_000
        if name in ("json", "sarif", "gitlab"):
            assert json.loads(text)
        if name == "junit":
            ET.fromstring(text)  # noqa: S314  (ours)


def noise(folder: Path) -> None:
    rng = random.Random(7)  # noqa: S311  (the same every time)
    block = rng.randbytes(1 << 20)
    with (folder / "noise.bin").open("wb") as out:
        for _ in range(200):
            out.write(block)


def long_log(folder: Path) -> None:
    with (folder / "messages.log").open("w") as out:
        for _ in range(200):
            out.write("kernel: nothing of interest\n" * ((1 << 20) // 28))


def long_config(folder: Path) -> None:
    with (folder / "a.cfg").open("w") as out:
        out.write(eos())
        for _ in range(200):
            out.write("   description nothing\n" * ((1 << 20) // 23))


def many_lines(folder: Path) -> None:
    (folder / "a.cfg").write_text(eos() + "!\n" * 1_500_000)


def big_stanza(folder: Path) -> None:
    lines = "".join(f"   mtu {n}\n" for n in range(100_000))
    (folder / "a.cfg").write_text(eos().removesuffix(END) + lines + END)
    (folder / "b.cfg").write_text(nxos("leaf2") + "".join(f"  mtu {n}\n" for n in range(100_000)))


def long_lines(folder: Path) -> None:
    vlans = ",".join(map(str, range(200_000)))
    (folder / "a.cfg").write_text(
        f"{eos().removesuffix(END)}   description {'x ' * 500_000}\n   mtu {'9' * 1_000_000}\n"
        f"   switchport trunk allowed vlan {vlans}\n{' ' * 1_000_000}x\n{END}"
    )
    (folder / "b.cfg").write_text(
        f"{nxos('leaf2')}  description {'x ' * 500_000}\n  mtu {'9' * 1_000_000}\n"
        f"  switchport trunk allowed vlan {vlans}\n"
        f"class-map type qos match-any c\n  match dscp {vlans}\n"
    )


def one_long_line(folder: Path) -> None:
    (folder / "a.cfg").write_text("hostname leaf1 " + "interface Ethernet1 " * 500_000)
    (folder / "b.json").write_text('{"PORT": {"Ethernet0": {"mtu": "' + "9" * 30_000_000 + '"}}}')


def endless_member(folder: Path) -> None:
    with gzip.open(folder / "a.tgz", "wb", 1) as out:
        info = tarfile.TarInfo("a.cfg")
        info.size = 2 << 30
        out.write(info.tobuf())
        for _ in range(400):
            out.write(bytes(1 << 20))


def endless_name(folder: Path) -> None:
    with gzip.open(folder / "a.tgz", "wb", 1) as out:
        info = tarfile.TarInfo("././@LongLink")
        info.type, info.size = tarfile.GNUTYPE_LONGNAME, 2 << 30
        out.write(info.tobuf())
        for _ in range(400):
            out.write(b"a" * (1 << 20))


def zip_bomb(folder: Path) -> None:
    text = b"interface Ethernet1\n" * 1_500_000
    (folder / "a.zip").write_bytes(zipped({f"l{n}.cfg": text for n in range(12)}))


HUGE = [
    (noise, 0, ""),
    (long_log, 0, ""),
    (many_lines, 3, "a.cfg: over-limit: more than 1000000 lines, not read"),
    (big_stanza, 0, ""),
    (long_lines, 0, ""),
    (one_long_line, 0, ""),
    (endless_member, 3, "a.tgz: over-limit: archive refused: unpacks to more than 20 times"),
    (endless_name, 3, "a.tgz: over-limit: archive refused: a header of more than a megabyte"),
    (zip_bomb, 3, "a.zip: over-limit: archive refused: unpacks to more than 20 times"),
]


@pytest.mark.parametrize(
    ("make", "status", "told"),
    [
        (long_config, 3, "a.cfg: over-limit: larger than 64 MiB, not read"),
        *(pytest.param(*each, marks=pytest.mark.deep) for each in HUGE),
    ],
    ids=lambda value: value.__name__ if callable(value) else "",
)
def test_what_is_huge_costs_little(
    tmp_path: Path, within: Within, make, status: int, told: str
) -> None:
    folder = put(tmp_path / "in", {"good.cfg": nxos("leaf7")})
    make(folder)
    with within(SECONDS):
        ended = bounded(folder, "--format", "json")
    assert ended.status == status, ended.err
    report = json.loads(ended.out)
    assert "leaf7" in [device["name"] for device in report["devices"]]
    if told:
        assert any(told in line for line in ended.file_lines), ended.err
    assert len(ended.out) < 1_000_000


def test_a_plan_as_a_table_of_a_hundred_thousand_cables(tmp_path: Path, within: Within) -> None:
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["a_device", "a_port", "b_device", "b_port"])
    writer.writerows([f"a{n}", "1", f"b{n}", "2"] for n in range(100_000))
    put(tmp_path, {"links.csv": out.getvalue(), "a.cfg": eos()})
    with within(SECONDS):
        report = check(tmp_path)
    (told,) = report.diagnostics
    assert told.message.startswith("no configuration for a0, b0, a1, b1, a2 and 199995 more")
    assert (told.file, told.line, told.incomplete) == ("links.csv", 2, False)


def test_a_flood_of_bad_values_is_not_all_listed(tmp_path: Path) -> None:
    queues = "".join(f"   tx-queue {n}\n" for n in range(8, 20_000))
    report = check(put(tmp_path, {"a.cfg": f"{eos().removesuffix(END)}{queues}{END}"}))
    bad = [f for f in report.findings if f.rule in ("SRC002", "SRC007")]
    assert [f.message for f in bad][-2:] == [
        "leaf1: queue '1006' is refused, the device takes 0 to 7",
        "leaf1: more is wrong from here on than is worth listing",
    ]
    assert len(bad) == 1000
