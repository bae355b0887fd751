"""A running and a startup configuration of one device: one is checked, the other compared with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from roce_lint.engine.finding import Finding
from roce_lint.loading.load import load
from roce_lint.model.device import NoteKind
from tests.bench import write_files
from tests.fabrics.mixed import KINDS
from tests.small_fabrics.made import Made, made

SYSTEMS = sorted(set(KINDS) & {"eos", "nxos", "os10", "comware", "vrp", "cumulus", "aoscx", "esonic",
                               "iosxr", "junos", "srlinux"})  # fmt: skip
ABOUT_ROCE = ("26", "011010", "roce mode")
RUNNING, STARTUP = "leaf1/running.cfg", "leaf1/startup.cfg"


def doubled(system: str) -> tuple[Made, list[str]]:
    """The fabric with a second file of its first leaf, and the lines of the first."""
    own = made(system)
    text = own.texts.pop(own.files["leaf1"])
    own.texts |= {RUNNING: text, STARTUP: text}
    return own, text.split("\n")


def findings(own: Made, *rules: str) -> list[Finding]:
    return [finding for finding in own.report().findings if finding.rule in rules]


def lines(finding: Finding) -> list[tuple[str, int]]:
    return sorted((place.file, place.line) for place in finding.occurrences[0].locations)


@pytest.mark.parametrize("system", SYSTEMS)
def test_lines_that_were_not_saved(system: str) -> None:
    own, running = doubled(system)
    alone = made(system).report()
    assert own.report().diagnostics == alone.diagnostics
    assert findings(own, "SRC004", "SRC011") == []  # equal
    number = next(
        number for number, line in enumerate(running)
        if any(word in line for word in ABOUT_ROCE) and line[:1] not in "!#"
    )  # fmt: skip
    own.texts[STARTUP] = "\n".join([*running[:number], *running[number + 1 :]])
    report = own.report()
    (found,) = findings(own, "SRC004", "SRC011")
    assert (found.rule, found.severity.label) == ("SRC011", "warning")
    assert lines(found) == [(RUNNING, number + 1)]
    assert found.message == "leaf1 has 1 line only in its running configuration"
    # The rest is that of the running configuration.
    assert {f.rule for f in report.findings} - {"SRC011"} == {f.rule for f in alone.findings}
    assert not any(entry.incomplete for entry in report.diagnostics)
    own.texts |= {RUNNING: own.texts[STARTUP], STARTUP: own.texts[RUNNING]}
    (found,) = findings(own, "SRC011")
    assert lines(found) == [(STARTUP, number + 1)]
    assert found.message == "leaf1 has 1 line only in its startup configuration"


def test_lines_that_do_not_matter_are_an_info() -> None:
    own, running = doubled("eos")
    own.texts[STARTUP] = "\n".join(["ntp server 10.9.9.9", *running])
    (found,) = findings(own, "SRC011")
    assert (found.severity.label, lines(found)) == ("info", [(STARTUP, 1)])


def test_comments_and_blanks_are_no_difference() -> None:
    own, running = doubled("nxos")
    own.texts[STARTUP] = "\n".join(["!Time: Sat Mar  7 10:11:12 2026", "", *running]) + "\n!\n"
    assert findings(own, "SRC011", "SRC004") == []


SIGNS = [
    ("leaf1/startup-config", ""),
    ("leaf1/leaf1.startup_config.txt", ""),
    ("startup/leaf1.cfg", ""),
    (
        "saved/leaf1.cfg",
        "! Command: show startup-config\n! device: leaf1 (DCS-7060X6, EOS-4.32.1F)\n",
    ),
    ("saved/leaf1.cfg", "# command: show startup-config  host: leaf1\n"),
]


@pytest.mark.parametrize(("name", "head"), SIGNS)
def test_signs_of_a_startup_configuration(name: str, head: str) -> None:
    own, running = doubled("eos")
    del own.texts[STARTUP]
    text = "\n".join(line for line in running if not line.startswith("! Command:"))
    own.texts[name] = head + text.replace("mtu 9214", "mtu 1500", 1)
    (found,) = findings(own, "SRC011", "SRC004")
    assert found.message == (
        "leaf1 has 1 line only in its running configuration and 1 line only in its startup "
        "configuration"
    )
    assert {file for file, _ in lines(found)} == {RUNNING, name}


def test_names_that_only_contain_the_word() -> None:
    own, _ = doubled("eos")
    own.texts["startups/leaf1.cfg"] = own.texts.pop(STARTUP).replace("mtu 9214", "mtu 1500", 1)
    assert [f.rule for f in findings(own, "SRC004", "SRC011")] == ["SRC004"]


def test_a_startup_configuration_alone_is_checked() -> None:
    own, _ = doubled("eos")
    del own.texts[RUNNING]
    report = own.report()
    assert "leaf1" in {device.name for device in report.devices}
    assert findings(own, "SRC011", "SRC004") == []


@pytest.mark.parametrize("name", ["old/startup.cfg", "old/leaf1.cfg"])
def test_a_third_one_is_a_rival(name: str) -> None:
    own, _ = doubled("eos")
    own.texts[STARTUP] = own.texts[RUNNING].replace("mtu 9214", "mtu 1500", 1)
    own.texts[name] = own.texts[RUNNING].replace("mtu 9214", "mtu 9000", 1)
    assert [f.rule for f in findings(own, "SRC004", "SRC011")] == ["SRC004"]


def test_documents_are_rivals() -> None:
    own, _ = doubled("sonic")
    own.texts[STARTUP] = own.texts[RUNNING].replace('"mtu": "9100"', '"mtu": "1500"', 1)
    assert [f.rule for f in findings(own, "SRC004", "SRC011")] == ["SRC004"]


def test_a_startup_configuration_that_cannot_be_read_is_reported() -> None:
    own, running = doubled("eos")
    own.texts[STARTUP] = "\n".join([*running[:-5], "banner login", "no end of it"])
    report = own.report()
    assert [entry.file for entry in report.diagnostics if entry.incomplete][:1] == [STARTUP]
    assert "leaf1" in {device.name for device in report.devices}


def test_cached_devices_know_their_startup_configuration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    own, _ = doubled("eos")

    def unsaved() -> int:
        folder = write_files(own.texts, tmp_path / "lab")
        (device,) = (d for d in load((str(folder),), cache=True).devices if d.hostname == "leaf1")
        return [note.kind for note in device.notes].count(NoteKind.UNSAVED)

    assert [unsaved(), unsaved()] == [0, 0]
    own.texts[STARTUP] = own.texts[RUNNING].replace("mtu 9214", "mtu 1500", 1)
    assert [unsaved(), unsaved()] == [2, 2]
