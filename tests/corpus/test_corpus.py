"""Real configurations: each finding is justified by vendor documentation.

Every error and warning of a file alone stands in `reviewed.py`, with its reason; those of a folder
taken as one fabric stand below.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from roce_lint.cli.main import cli
from roce_lint.engine.finding import Severity
from roce_lint.pipeline import Report, Request, run
from roce_lint.settings import Settings
from roce_lint.text.numbers import without_numbers
from tests.conftest import ROOT
from tests.corpus.listed import is_listed
from tests.corpus.reviewed import CORPUS as CORPUS_ENTRIES
from tests.sampling import sample

CORPUS = ROOT.parent / "shared" / "corpus"
NOS = {"eos": "eos", "nxos": "nxos", "sonic": "sonic", "host": "linux"}

pytestmark = pytest.mark.skipif(
    not CORPUS.is_dir(), reason="no corpus of real configs beside the project (../shared/corpus)"
)

Expected = list[tuple[str, str, int]]
"""Rule, file and line of every cause."""


def lines(rule: str, file: str, *numbers: int | Iterable[int]) -> Expected:
    """Causes of one rule in one file."""
    each = ([n] if isinstance(n, int) else n for n in numbers)
    return [(rule, file, number) for some in each for number in some]


SCHEDULER = [
    # PORT_QOS_MAP names a scheduler that no table has.
    *lines("MAP003", "mock-config-db-flat.json", 2551),
]
HALF_MOCK = [
    # PFC on for 3 and 4, and no CABLE_LENGTH table in a file that has buffer rows.
    *lines("BUF002", "mock-config-db-flat.json", 38),
    # A pool named after memory outside, on a switch that has none: 139 of 42 MB.
    *lines("BUF014", "mock-config-db-flat.json", 2499),
    # A PFC_WD row, and no pfcwd_sw_enable: the watchdog watches nothing.
    *lines("PFC022", "mock-config-db-flat.json", 2328),
]
STRICT = [
    # No `no priority` for queue 3: EOS serves it strictly, and nothing limits it.
    *lines("CLS005", "rocm-doc-7388-dcqcn.cfg", 11),
]
REFUSED = [
    # `priority-flow-control pause watchdog action no-drop`: AVD had it until 6.0, EOS never.
    *lines("SRC007", "avd-qos.cfg", 278),
]
NO_PRIORITY = [
    # `switchport` and `ip address` on one port, to show the form of both.
    *lines("LNK013", "avd-ethernet-interfaces.cfg", 74),
    # `priority-flow-control on` beside `priority 5 drop`: nothing is lossless.
    *lines("PFC003", "avd-ethernet-interfaces.cfg", 55),
]
REVIEWED = {
    entry.path.split("/")[1]: frozenset(e.rule for e in CORPUS_ENTRIES if e.path == entry.path)
    for entry in CORPUS_ENTRIES
}
"""Rules of the errors and warnings of a file alone, by its name."""

TOGETHER: dict[str, Expected] = {
    "eos": [
        *NO_PRIORITY,
        *REFUSED,
        *STRICT,
        # Routed ports that trust DSCP with 1500 bytes, where others have 9214: taken as one fabric.
        *lines("MTU001", "avd-ethernet-interfaces.cfg", 4),
        *lines("MTU001", "avd-qos.cfg", 178),
    ],
    "nxos": [
        # Two configurations of one name, tor-1a.
        *lines("SRC004", "azlocal-fc-tor1a.config", 1),
    ],
    "sonic": [
        *SCHEDULER,
        *HALF_MOCK,
        # The port pauses 3 and 4, which others use for DSCP 3 and 4, and has no map at all.
        *lines("MAP002", "mock-config-db-flat.json", 2553),
        # Several configurations call themselves sonic, and two Linecard1.
        *lines("SRC004", "msn2700-t0-buffers-v1-oldrefs-flat.json", 1),
        *lines("SRC004", "vlab-t2-01-newrefs.json", 1),
    ],
    # Outputs of many hosts in one folder are taken for one host, and contradict each other.
    "host": [
        *lines("SRC002", "excerpt-show_gids-mlx5.txt", 3, 7),
        *lines("SRC002", "lab-ibv_devinfo-v.txt", 204),
        *lines("SRC002", "lab-rdma-link.json", 1),
        *lines("SRC002", "lab-show_gids-truncated.txt", 3),
        # Fifteen of the devices that it lists are those of another machine.
        *lines("NIC006", "nccl-env-oci-a100-b48.env", *[7] * 15),
        # Of other machines than those whose interfaces are listed.
        *lines("SRC002", "netplan-dgx-spark-three.yaml", 21, 25, 29, 33),
        *lines("SRC002", "netplan-network-operator-mtu9000.yaml", 8),
    ],
}

UNREAD = (
    # Objects that say nothing of QoS, templates that are not rendered, catalogues of machines.
    "ansible-deepops-roce-backend-vars.yml",
    "cloud-oci-shapes.json",
    "k8s-amd-networkconfig.yaml",
    "k8s-dranet-gke-gib.yaml",
    "k8s-nicdevice-sample.yaml",
    "nmstate-",
    # A netplan file without its beginning.
    "excerpt-netplan-",
    # Settings of a tool that makes them, echoes of commands.
    "mori-qos.conf",
    "lab-lldptool-T-echo.txt",
    "lab-lldptool-app-c.txt",
    "lab-lldptool-ets-cfg-c.txt",
    "lab-rdma-dev.",
    "lab-rdma-statistic.",
    "lab-rdma-system.",
    "rdma-statistic-",
    "excerpt-mlxlink-",
    # Outputs that say nothing without the command that printed them.
    "lab-cma_roce_",
    "lab-dcb-app-default.",
    "lab-ethtool-S-none.txt",
    "lab-ethtool-show-fec-unsupported.txt",
    "lab-ibv_devices.txt",
    "excerpt-ibv_devinfo-gids.txt",
)
"""Name prefixes of host files that no reader of this version supports."""

BARE = {
    # Test files for the reader of another program: one part of a configuration each.
    "bf-queue-monitor.cfg": "no-interface",
    "bf-class-map.cfg": "no-interface",
    "bf-ignore.cfg": "no-interface",
    "bf-ip-access-list.cfg": "no-interface",
    "bf-policy-map.cfg": "no-interface",
    "bf-system-qos.cfg": "no-interface",
    # Settings of tables in hardware that no rule asks for.
    "bf-hardware.cfg": "not-understood",
}
"""Whole configurations with too little to check: their result is incomplete."""

NOTHING_KNOWN = (
    # Outputs that were saved without the command that printed them: the port is unknown.
    "excerpt-ethtool-a-",
    "excerpt-lldptool-t-",
    "excerpt-mlnx_qos-",
    "excerpt-mlxconfig-",
    "excerpt-niccli-getqos",
    "excerpt-nicctl-show-qos",
    "excerpt-spiderpool-",
    "excerpt-sysfs-traffic-class",
    "lab-dcb-app-",
    "lab-dcb-buffer-",
    "lab-dcb-dcbx-",
    "lab-dcb-ets-",
    "lab-dcb-pfc-default",
    "lab-dcb-pfc-good",
    "lab-dcb-pfc-mismatch",
    "lab-ethtool-i",
    "lab-lldptool-t",
    "lab-mlnx_qos-",
    # Forms of lldpcli that are not read, each with the form to save.
    "lab-lldpcli-neighbors.xml",
    "lab-lldpcli-neighbors-details.xml",
)
"""Beginnings of the names of host files that, alone, say nothing that can be judged: the answer is
incomplete. Beside other files of their host they may, and its answer is what they all say."""

CLEANED = {
    # The backspace that lldptool prints behind a list of code points.
    "lab-lldptool-t.txt",
    # A page with prompts and fences around outputs.
    "script-netarbiter-mlnx-qos-run.md",
}
"""Captures from which text is removed before reading, with a remark."""

UNPLACED = "it does not say which "
"""Remark on an output without its command line."""

SHAPE = re.compile(r" \(\d+ similar lines\)$")


def files(*folders: str) -> list[Path]:
    """Files of some folders; empty without the corpus."""
    return [path for folder in folders for path in sorted((CORPUS / folder).glob("*"))]


def is_unread(path: Path) -> bool:
    return path.parent.name == "host" and path.name.startswith(UNREAD)


EVERY = files(*NOS)
READ = [path for path in EVERY if not is_unread(path)]


@cache
def judged(path: Path) -> Report:
    """Shared report of a file or folder, which tests must not change."""
    return run(Request(paths=(str(path),), jobs=1, cache=False), Settings())


def grave(report: Report) -> Iterator[tuple[str, str, int]]:
    """Causes of errors and warnings."""
    for finding in report.findings:
        if finding.severity >= Severity.WARNING:
            for occurrence in finding.occurrences:
                for place in occurrence.locations:
                    if place.role == "cause":
                        yield finding.rule, place.file, place.line


def is_nothing_known(path: Path) -> bool:
    return path.parent.name == "host" and path.name.startswith(NOTHING_KNOWN)


def remarks(path: Path) -> list[str]:
    """Kinds of the diagnostics of a file."""
    cleaned = ["capture"] if path.name in CLEANED else []
    return cleaned + ([BARE[path.name]] if path.name in BARE else [])


def remarks_alone(path: Path) -> list[str]:
    """Kinds of the diagnostics of a file that is the only one of its device."""
    return remarks(path) + (["not-understood"] if is_nothing_known(path) else [])


def command(*args: str) -> Result:
    return CliRunner().invoke(cli, list(args), prog_name="roce-lint")


@pytest.mark.parametrize("path", READ, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_file_alone(path: Path) -> None:
    report = judged(path)
    assert {device.nos for device in report.devices} == {NOS[path.parent.name]}
    assert [entry.kind for entry in report.diagnostics] == remarks_alone(path)
    assert {rule for rule, *_ in grave(report)} == REVIEWED.get(path.name, set())
    # A message begins with the name of the device.
    left = [f.message.split(": ", 1)[1] for f in report.findings if f.rule == "SRC001"]
    left = [SHAPE.sub("", message) for message in left if not message.startswith(UNPLACED)]
    name = f"{path.parent.name}/{path.name}"
    assert [line for line in left if not is_listed(name, without_numbers(line))] == []


def is_incomplete(path: Path) -> bool:
    return path.name in BARE or is_nothing_known(path)


COMMANDS = sample(
    READ, 30, lambda path: path.parent.name, is_incomplete,
    lambda path: REVIEWED.get(path.name, frozenset()),
    name=lambda path: f"{path.parent.name}/{path.name}",
)  # fmt: skip
"""Files on which `make test` runs the command line too."""


def expected_exits(path: Path) -> tuple[int, int]:
    """Exit status of `check` and of `show`."""
    errors = any(finding.severity is Severity.ERROR for finding in judged(path).findings)
    incomplete = 3 if is_incomplete(path) else 0
    return 1 if errors else incomplete, incomplete


def exits(path: Path) -> tuple[int, int]:
    """Exit status of `check` and of `show`; neither may print a traceback."""
    check = command("check", "--no-cache", str(path))
    show = command("show", "--no-cache", str(path))
    assert "Traceback" not in check.output + show.output, path
    assert f": {NOS[path.parent.name]}, " in show.stdout, path
    return check.exit_code, show.exit_code


@pytest.mark.parametrize(
    "paths",
    [COMMANDS, pytest.param([p for p in READ if p not in COMMANDS], marks=pytest.mark.deep)],
    ids=["sample", "others"],
)
def test_the_command_line_gives_the_same_answer(paths: list[Path]) -> None:
    assert {path: exits(path) for path in paths} == {path: expected_exits(path) for path in paths}


@pytest.mark.parametrize("folder", NOS)
def test_a_folder_as_one_fabric(folder: str) -> None:
    report = judged(CORPUS / folder)
    assert {device.nos for device in report.devices} == {NOS[folder]}
    assert sorted(grave(report)) == sorted(TOGETHER[folder])
    doubled = {file for rule, file, _ in TOGETHER[folder] if rule == "SRC004"}
    empty = {path.name for path in files(folder) if path.stat().st_size == 0}
    assert {(entry.kind, entry.file) for entry in report.diagnostics} == {
        *(("two-configs", file) for file in doubled),
        *(("no-text", file) for file in empty),
        # Documents are passed over in a folder.
        *((kind, p.name) for p in files(folder) if p.suffix != ".md" for kind in remarks(p)),
    }


def test_unsupported_host_files_are_skipped_in_a_folder() -> None:
    unread = [path for path in files("host") if is_unread(path)]
    report = judged(CORPUS / "host")
    read = {file for device in report.devices for file in device.files}
    assert not read & {path.name for path in unread}
    documents = [path for path in files("host") if path.suffix == ".md"]  # read when named
    empty = [path for path in unread if path.stat().st_size == 0]  # reported for each, not counted
    # The same text as that of lab-dcb-dcbx-default: judged once.
    aside = {f"lab-dcb-dcbx-good-dscp3.{ending}" for ending in ("json", "txt")}
    skipped = {entry.file: entry.reason for entry in report.skipped}
    assert {file for file, why in skipped.items() if "another file" in why} == aside
    assert len(skipped) == len(unread) + len(documents) + len(aside) - len(empty)


@pytest.mark.parametrize(
    "path", [path for path in EVERY if is_unread(path)], ids=lambda path: path.name
)
def test_an_unsupported_host_file_is_rejected_when_named(path: Path) -> None:
    report = judged(path)
    message = "empty file" if path.stat().st_size == 0 else "no reader recognises it"
    assert [(entry.file, entry.message) for entry in report.diagnostics] == [(path.name, message)]
    assert report.devices == []
    assert report.incomplete
    refused = command("check", "--no-cache", str(path))
    assert refused.exit_code == 3
    assert f"{path.name}: " in refused.stderr
    assert message in refused.stderr
