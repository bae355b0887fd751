"""The same fabric in other files, in another order, or with other numbers: the same result."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from roce_lint.loading import pool
from roce_lint.pipeline import Report, Request, run
from roce_lint.settings import Settings
from tests.bench import Files, check, edit
from tests.metamorphic.snapshot import before, each, judge, rewritten, sample, summary, words

FABRICS = (pytest.param("clean-fabric", marks=pytest.mark.deep), "broken-fabric")

both = pytest.mark.parametrize("fabric", FABRICS)


# --------------------------------------------------------------------------------- other files


@both
def test_other_folders_and_names_of_files(fabric: str) -> None:
    """A switch is known by its configuration; a host's folder keeps its files together."""
    names = {
        name: re.sub(r"^switches/(.)(.*)", r"site/\1/z-\2", name).replace("hosts/", "racks/r1/")
        for name in sample(fabric)
    }
    old = {new: name for name, new in names.items()}
    after = check({names[n]: text for n, text in sample(fabric).items()})
    assert summary(after, lambda text: old.get(text, text)) == summary(before(fabric))


@both
def test_files_in_the_opposite_order(fabric: str) -> None:
    """Files are read by name: those of a device get names in the opposite order."""
    files = sample(fabric)
    folders = sorted({name.rpartition("/")[0] for name in files if name.startswith("hosts/")})
    names = {name: name for name in files}
    for folder in folders:
        own = sorted(name for name in files if name.startswith(f"{folder}/"))
        for number, name in enumerate(reversed(own)):
            names[name] = f"{folder}/{number:02}-{name.rpartition('/')[2]}"
    old = {new: name for name, new in names.items()}
    after = check({names[name]: text for name, text in files.items()})
    assert summary(after, lambda text: old.get(text, text)) == summary(before(fabric))


QOS = ("_MAP", "QUEUE", "SCHEDULER", "WRED_PROFILE", "PFC_WD")
"""Suffixes of the tables that a QoS template renders separately from ports and buffers."""


@both
def test_a_configuration_in_two_files(fabric: str) -> None:
    files: Files = {}
    for name, text in sample(fabric).items():
        if not re.fullmatch(r"switches/\w+\.json", name):
            files[name] = text
            continue
        tables = json.loads(text)
        qos = {key: rows for key, rows in tables.items() if key.endswith(QOS)}
        assert {"DSCP_TO_TC_MAP", "PORT_QOS_MAP", "QUEUE"} <= set(qos)
        rest = {key: rows for key, rows in tables.items() if key not in qos}
        folder = name.removesuffix(".json")
        files |= {f"{folder}/a-qos.json": json.dumps(qos, indent=4)}
        files |= {f"{folder}/b-rest.json": json.dumps(rest, indent=4)}

    def back(text: str) -> str:
        return re.sub(r"^(switches/\w+)/[ab]-\w+\.json$", r"\1.json", text)

    assert summary(check(files), back) == summary(before(fabric))


# ---------------------------------------------------------------------------------------- noise

ELSEWHERE = {
    "README.md": "# How this snapshot was taken\n\nprocedures, no configuration\n",
    "switches/topology.png": "\x89PNG\r\n\x1a\nnot an image",
    "hosts/gpu01/notes.txt": "cards were changed in spring\n",
    "tools/collect.py": "print('hello')\n",
}


@both
def test_files_that_are_no_configuration(fabric: str, tmp_path: Path) -> None:
    after = judge(sample(fabric) | ELSEWHERE, tmp_path)
    assert summary(after) == summary(before(fabric))
    assert words(after) == words(before(fabric))


EOS_NOISE = "\nsnmp-server community public ro\n!\nmonitor session 1 source Ethernet50/1\n"
NXOS_NOISE = (
    "\nsnmp-server user admin network-admin\n!\nip access-list MGMT\n  permit tcp any any\n"
)


def noisy(name: str, text: str) -> str:
    """The text with lines irrelevant to RoCE."""
    if name.endswith("leaf5.conf"):
        return f"{text}snmp {{\n    community public {{\n        authorization read-only;\n    }}\n}}\n"
    if name.endswith(".yaml"):
        return text.replace(
            "    system:\n", "    system:\n      message:\n        pre-login: Hello\n"
        )
    if name.endswith(".cfg"):
        noise = EOS_NOISE if "EOS-" in text else NXOS_NOISE
        head, _, rest = text.partition("\ninterface ")
        return f"{head}{noise}! about to come: ports\ninterface {rest}"
    if re.fullmatch(r"switches/\w+\.json", name):
        more = {"SYSLOG_SERVER": {"192.0.2.9": {}}, "TACPLUS": {"global": {"timeout": "5"}}}
        return rewritten(text, change=lambda data: more | data)
    if name.endswith("nccl.conf"):
        return f"{text}# for the job scheduler\nOMP_NUM_THREADS=8\n"
    return text


@both
def test_lines_about_other_things(fabric: str) -> None:
    files = {name: noisy(name, text) for name, text in sample(fabric).items()}
    assert sum(files[name] != text for name, text in sample(fabric).items()) == 19
    assert summary(check(files)) == summary(before(fabric))


@both
def test_comments_between_all_lines(fabric: str) -> None:
    """A comment ends no stanza, wherever it is."""
    commented = each(sample(fabric), ".cfg", _commented)
    commented = each(commented, "leaf5.conf", lambda text: text.replace("\n", "\n/* a remark */\n"))
    commented = each(commented, ".yaml", lambda text: text.replace("\n", "\n# a remark\n"))
    after = check(commented)
    assert summary(after) == summary(before(fabric))


def _commented(text: str) -> str:
    banner = False
    lines = []
    for line in text.split("\n"):
        lines.append(line)
        banner = line.startswith("banner") or (banner and line != "#")
        if not banner and line[:1] == " ":
            lines.append(f"{line[: len(line) - len(line.lstrip())]}! a remark")
    return "\n".join(lines)


# ------------------------------------------------------------------------------ ways of reading


@both
def test_read_by_one_process_or_two(
    fabric: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "POOL_FROM", 0)
    judge(sample(fabric), tmp_path)
    after = run(Request((str(tmp_path),), jobs=2, cache=False), Settings())
    assert summary(after) == summary(before(fabric))
    assert words(after) == words(before(fabric))


@both
def test_checked_in_memory(fabric: str) -> None:
    """As in tests of planted faults: settings learned in another state of the fabric are reset."""
    files = sample(fabric)
    for state in (edit(files, "switches/leaf1.cfg", ("no-drop", "drop")), files, files):
        after = check(state)
    assert after.findings == before(fabric).findings
    assert after.verdict == before(fabric).verdict
    assert summary(after) == summary(before(fabric))
    assert words(after) == words(before(fabric))


@both
def test_read_from_the_cache(fabric: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "fabric"
    judge(sample(fabric), folder)
    for _ in range(2):
        after = run(Request((str(folder),), jobs=1, cache=True), Settings())
        assert summary(after) == summary(before(fabric))
        assert words(after) == words(before(fabric))
    assert list((tmp_path / "cache").rglob("*")) != []


@both
def test_paths_one_by_one(fabric: str, tmp_path: Path) -> None:
    judge(sample(fabric), tmp_path)
    paths = (str(tmp_path / "switches"), str(tmp_path / "hosts"))
    after = run(Request(paths, jobs=1, cache=False), Settings())
    assert summary(after) == summary(before(fabric))
    turned = run(Request(paths[::-1], jobs=1, cache=False), Settings())
    assert words(turned) == words(after)


# -------------------------------------------------------------------------------- other numbers

DSCP_24 = (
    (".cfg", r"\b(qos map dscp|match dscp)((?: \d+)*) 26\b", r"\1\2 24"),
    ("nccl.conf", r"NCCL_IB_TC=106", "NCCL_IB_TC=98"),
    ("traffic_class", r"tclass=106", "tclass=98"),
    ("leaf5.conf", r"(code-points? .*)\b011010\b", r"\g<1>011000"),
    ("niccli-qos", r"DSCP: 26\b", "DSCP: 24"),
    ("cc-bnxt", r"roce_dscp:0x1a", "roce_dscp:0x18"),
    ("roce-setup", r"-s 26\b", "-s 24"),
    ("dcb-app", r"\[26,", "[24,"),
    ("lldptool", r"dscp:  26,", "dscp:  24,"),
    ("nicctl-qos", r": 0-25, 27-47,", ": 0-23, 25-47,"),
    ("nicctl-qos", r": 26 ==>", ": 24 ==>"),
    ("qos.sh", r"data_dscp=26", "data_dscp=24"),
    # The switches with a whole map: the two code points change places.
    (".json", r'"2[46]": "(\d)",\n( *)"25": "(\d)",\n *"26": "(\d)"', r'"24": "\4",\n\2"25": "\3",\n\2"26": "\1"'),
)  # fmt: skip
"""Replacements so that RoCE uses DSCP 24."""


def with_dscp_24(files: Files) -> Files:
    changed = dict(files)
    for where, old, new in DSCP_24:
        for name, text in changed.items():
            if where in name:
                changed[name] = re.sub(old, new, text)
    return changed


@both
def test_roce_with_another_code_point(fabric: str) -> None:
    """The byte 26 that one broken host has for DSCP 26 is not DSCP 24: it is left out."""
    files = {
        name: text.replace("tclass=26\n", "tclass=106\n") for name, text in sample(fabric).items()
    }
    old, new = check(files), check(with_dscp_24(files))
    assert [c.dscps for c in old.classes] == [(26,), (48,)]
    assert [c.dscps for c in new.classes] == [(24,), (48,)]
    assert short(new) == short(old)


def short(report: Report) -> list[tuple[object, ...]]:
    """Rule, severity and ports of each finding."""
    return sorted(
        (f.rule, f.severity.label, [(o.device, sorted(o.subjects)) for o in f.occurrences])
        for f in report.findings
    )


MOVED = """\
      egress-queue-mapping:
        default-global:
          switch-priority:
            '3':
              traffic-class: 0
            '4':
              traffic-class: 3
      mapping:
        default-global:
          dscp:
            '26':
              switch-priority: 4
      pfc:
        default-global:
          switch-priority:
            '4': {}
      roce:
"""
"""Settings that move a protected class of `qos roce` to another priority."""

PRIORITY_4 = (
    ("leaf1.cfg", r"priority 3 no-drop", "priority 4 no-drop"),
    ("spine2.cfg", r"priority 3 no-drop", "priority 4 no-drop"),
    (".cfg", r"dscp 26 to traffic-class 3", "dscp 26 to traffic-class 4"),
    (".cfg", r"uc-tx-queue 3\n", "uc-tx-queue 4\n"),
    (".cfg", r"pause pfc-cos 3", "pause pfc-cos 4"),
    (".json", r'"26": "3"', '"26": "4"'),
    ("mlnx_qos", r"prio:3 dscp", "prio:? dscp"),
    ("mlnx_qos", r"prio:4 dscp", "prio:3 dscp"),
    ("mlnx_qos", r"prio:\? dscp", "prio:4 dscp"),
    ("mlnx_qos", r"(enabled|buffer )( +)0   0   0   1   0 ", r"\1\g<2>0   0   0   0   1 "),
    ("mlnx_qos", r"tc: 3 (.*) 50%", r"tc: 3 \1 10%"),
    ("mlnx_qos", r"tc: 4 (.*) 10%", r"tc: 4 \1 50%"),
    ("leaf5.conf", r"pfc-priority 3", "pfc-priority 4"),
    ("leaf5.conf", r"code-point 011 ", "code-point 100 "),
    ("leaf6.yaml", r"      roce:\n", MOVED),
    ("niccli-qos", r"3:1 4:0", "3:0 4:1"),
    ("niccli-qos", r"PFC enabled: 3", "PFC enabled: 4"),
    ("niccli-qos", r"Priority: 3", "Priority: 4"),
    ("cc-bnxt", r"roce_prio:0x3", "roce_prio:0x4"),
    ("roce-setup", r"-r 3\b", "-r 4"),
    ("dcb-app", r"\[26,3\]", "[26,4]"),
    ("dcb-pfc", r"true,false", "false,true"),
    ("dcb-ets", r'"prio_tc":\[0,0,0,1,0', '"prio_tc":[0,0,0,0,1'),
    ("lldptool", r"3:1 4:0", "3:0 4:1"),
    ("lldptool", r"PFC enabled: 3", "PFC enabled: 4"),
    ("lldptool", r"Prio:3 ", "Prio:4 "),
    ("nicctl-qos", r"priority : 3\n", "priority : 4\n"),
    ("nicctl-qos", r"priority bitmap       : 0x8", "priority bitmap       : 0x10"),
    ("nicctl-qos", r"no-drop priorities    : 3", "no-drop priorities    : 4"),
    ("nicctl-qos", r"\n    3 ", "\n    4 "),
    ("qos.sh", r"--priority (0,)?3\b", r"--priority \g<1>4"),
    ("/ecn-", r"enable/3:1", "enable/3:0"),
    ("/ecn-", r"enable/4:0", "enable/4:1"),
)
"""Replacements so that RoCE uses PFC priority 4."""


def test_roce_with_another_priority() -> None:
    files = sample("clean-fabric")
    for where, old, new in PRIORITY_4:
        touched = [name for name in files if where in name and re.search(old, files[name])]
        assert touched != [], old
        files |= {name: re.sub(old, new, files[name]) for name in touched}
    report = check(files)
    assert summary(report)["findings"] == []
    assert report.fabric is not None
    for device, port in (
        ("leaf1", "Ethernet1/1"),
        ("leaf2", "Ethernet1/1"),
        ("leaf5", "et-0/0/0"),
        ("leaf6", "swp1"),
        *((f"gpu{n:02}", "ens1f0np0") for n in (1, 9, 10, 11)),
    ):
        qos = report.fabric.devices[device].interfaces[port].qos
        assert qos is not None
        assert qos.pfc is not None
        assert qos.pfc.generate == {4}
