"""Fixes as commands for running devices, with rollback."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from roce_lint.errors import RoceLintError
from roce_lint.model.apply import Lines, Setting, apply_settings
from roce_lint.model.device import Device
from roce_lint.model.diff import differences
from roce_lint.model.interface import Fec
from roce_lint.model.path import parse
from roce_lint.model.qos import PfcMode, Trust
from roce_lint.nos.base import FileEdit, RenderedFiles, RenderRequest
from roce_lint.nos.cumulus.printing import document
from roce_lint.nos.printer import render
from roce_lint.nos.registry import all_nos
from roce_lint.remedy.commands import commands, text_commands
from tests.bench import load
from tests.circle.circle import golden
from tests.diff.told_as_changes import settings
from tests.fix.conftest import SAMPLES, Command
from tests.fix.typed import Chain, after_typing, numbers, read, statements
from tests.mutation.answers import CLEAN, everything
from tests.mutation.answers import before as clean_device
from tests.mutation.answers import sampled as sampled_mutants
from tests.rules.examples import Example, cases, examples, report_of
from tests.sampling import sample
from tests.unit.text.test_json_patch import patched

pytestmark = pytest.mark.xdist_group("fix of the broken sample")

SWITCHES = SAMPLES / "broken-fabric" / "switches"


# SONiC.


def steps_of(text: str) -> list[dict[str, Any]]:
    steps: list[dict[str, Any]] = json.loads(
        text.split("<<'PATCH'\n")[1].split("\nPATCH\n", maxsplit=1)[0]
    )
    return steps


@pytest.mark.parametrize("name", ["leaf3", "spine1"])
def test_the_patch_makes_the_corrected_file_and_the_rollback_the_first(
    broken: tuple[Result, Path], name: str
) -> None:
    out = broken[1]
    before = json.loads((SWITCHES / f"{name}.json").read_text())
    after = json.loads((out / "configs" / "switches" / f"{name}.json").read_text())
    assert before != after
    there = steps_of((out / "commands" / f"{name}.txt").read_text())
    back = steps_of((out / "rollback" / f"{name}.txt").read_text())
    assert patched(before, there) == after
    assert patched(after, back) == before


def test_the_patch_has_the_changed_fields_alone(broken: tuple[Result, Path]) -> None:
    steps = steps_of((broken[1] / "commands" / "spine1.txt").read_text())
    assert [(each["op"], each["path"].rsplit("/", 1)[1], each["value"]) for each in steps] == [
        ("replace", "Ethernet8", "40m"),
        ("replace", "26", "3"),
    ]


def test_the_commands_are_a_script_and_no_configuration(
    broken: tuple[Result, Path], command: Command
) -> None:
    files = [*(broken[1] / "commands").iterdir(), *(broken[1] / "rollback").iterdir()]
    assert {file.stem for file in files} >= {"leaf1", "leaf3", "leaf5", "leaf6", "spine1", "gpu02"}
    for file in files:
        assert file.read_text().startswith("# Commands of roce-lint, no configuration\n")
        if file.stem in ("leaf3", "spine1") or file.stem.startswith("gpu"):
            subprocess.run(["bash", "-n", str(file)], check=True)
    done = command("check", str(broken[1]), "--format", "json", "--no-cache")
    files_read = [name for each in json.loads(done.stdout)["devices"] for name in each["files"]]
    assert sorted(files_read) == sorted(
        f"configs/switches/{file.name}" for file in (broken[1] / "configs" / "switches").iterdir()
    )


def test_every_corrected_device_has_commands(broken: tuple[Result, Path]) -> None:
    assert "no commands are known" not in (broken[1] / "README.md").read_text()


@pytest.mark.parametrize(
    "before",
    [
        {"PORT|Ethernet0": {"mtu": "1500"}},
        {"localhost": {"PORT": {"Ethernet0": {"mtu": "1500"}}}, "asic0": {}},
        {"DEVICE_METADATA": {"localhost": {"asic_name": "asic0"}}, "PORT": {}},
    ],
)
def test_what_has_other_paths_on_the_switch_has_no_patch(before: dict[str, Any]) -> None:
    sonic = all_nos()["sonic"]
    after = json.dumps({**before, "PFC_WD": {"GLOBAL": {"POLL_INTERVAL": "200"}}})
    assert text_commands(sonic, FileEdit(json.dumps(before), after)) == ""
    assert text_commands(sonic, FileEdit("{}", after)) == ""


def test_printed_tables_are_patched_too() -> None:
    device = next(each for each in golden().values() if each.nos == "sonic")
    sonic, port = all_nos()["sonic"], next(iter(device.interfaces))
    path = parse(f"{device.hostname} interfaces[{port}].ip_mtu")
    wanted = [Setting(path, 4200, "mtu")]
    prints = [
        render(sonic, RenderRequest(each))
        for each in (device, apply_settings(device, wanted, Lines(wanted)))
    ]
    before, after = (json.loads(next(iter(each.files.values()))) for each in prints)
    steps = steps_of(commands(sonic, *prints))
    assert [each["path"] for each in steps] == [f"/PORT/{port}/mtu"]
    assert patched(before, steps) == after
    assert patched(after, steps_of(commands(sonic, *reversed(prints)))) == before
    assert commands(sonic, prints[0], prints[0]) == ""


# All systems: a device on which the commands are typed is the corrected one.


def changes(device: Device) -> Iterator[tuple[str, dict[str, Any]]]:
    """Changes of a golden device, each with its name."""
    port = next(p for p in device.interfaces.values() if p.qos and p.kind.value == "physical")
    qos, at = port.qos, f"interfaces[{json.dumps(port.name)}]"
    assert qos is not None
    yield "mtu", {f"{at}.ip_mtu": (port.ip_mtu or 9000) - 100}
    yield "shut", {f"{at}.enabled": False}
    yield "description", {f"{at}.description": "other text"}
    yield "address", {f"{at}.addresses": ("10.99.0.1/31",)}
    yield "fec", {f"{at}.fec": Fec.NONE}
    yield "trust", {f"{at}.qos.trust": Trust.PCP}
    yield (
        "other priority",
        {f"{at}.qos.pfc.{field}": frozenset({4}) for field in ("generate", "honour")},
    )
    yield (
        "no pause",
        {
            **{f"{at}.qos.pfc.{field}": frozenset() for field in ("generate", "honour")},
            f"{at}.qos.pfc.mode": PfcMode.OFF,
        },
    )
    table = f"qos.classifiers[{json.dumps(qos.classifier)}].dscp_to_tc"
    yield "code point of the class", {f"{table}[26]": 0}
    yield "code point", {f"{table}[46]": 3}
    yield "code points", {f"{table}[24]": 3, f"{table}[25]": 3}
    queue = f"qos.egress[{json.dumps(qos.egress)}].queues[3]"
    yield "share", {f"{queue}.scheduler.share": 30}
    yield "no marking", {f"{queue}.marking": None}
    yield "no queue", {queue: None}
    yield "no watchdog", {f"{at}.qos.watchdog": None}
    yield "no policy", {f"{at}.qos.egress": None}
    yield "no classifier", {f"{at}.qos.classifier": None}
    yield "as", {"asn": 65123}
    for peer in list(device.routing.sessions if device.routing else ())[:1]:
        yield "session", {f"routing.sessions[{peer}].asn": 65321}
        yield "no session", {f"routing.sessions[{peer}]": None}


Texts = tuple[str, str]

DEVICES = {
    device.nos: device
    for device in reversed(golden().values())
    if all_nos()[device.nos].typed is not None
}
"""A golden device of each system."""


@cache
def changed(name: str) -> dict[str, Texts]:
    """Prints of a golden device before and after each change that the system can print."""
    device, found = DEVICES[name], {}
    nos = all_nos()[device.nos]
    before = render(nos, RenderRequest(device)).lines
    for change, fields in changes(device):
        wanted = [
            Setting(parse(f"{device.hostname} {path}"), value, change)
            for path, value in fields.items()
        ]
        try:
            after = apply_settings(device, wanted, Lines(wanted))
        except RoceLintError:
            continue  # without such an object
        lines = render(nos, RenderRequest(after)).lines
        if stated(device.nos, lines) != stated(device.nos, before):
            found[change] = before, lines
    return found


def stated(nos: str, text: str) -> set[Chain]:
    typed = all_nos()[nos].typed
    assert typed is not None
    return set(statements(text, typed))


def corrected(example: Example) -> Iterator[tuple[str, str, Texts]]:
    """The same for the devices of a rule page, before and after they are corrected."""
    bad = next(each for each in examples("bad") if each.rule == example.rule
               and each.case == example.case)  # fmt: skip
    before, after = (report_of(each).fabric for each in (bad, example))
    assert before is not None
    assert after is not None
    for name, device in before.devices.items():
        nos = all_nos()[device.nos]
        if nos.typed is None or name not in after.devices:
            continue
        wanted = settings(differences(device, after.devices[name], stated=True))
        made = apply_settings(device, wanted, Lines(wanted))
        texts = [render(nos, RenderRequest(each)).lines for each in (device, made)]
        if stated(device.nos, texts[0]) != stated(device.nos, texts[1]):
            yield name, device.nos, (texts[0], texts[1])


PRINTED_TWICE = {"MTU004-fixed-nexus9000"}
"""A page whose change copies an object, of which both copies are printed under one name."""

CHOICE = {"TOP006-fixed"}
"""The words of a choice of Junos replace each other; in a text the first is read."""


def typed_differently(nos_name: str, texts: Texts) -> list[str]:
    """Differences after the commands, and after the rollback."""
    nos, found = all_nos()[nos_name], []
    there, back = (RenderedFiles({}, lines=text) for text in texts)
    for old, new in ((there, back), (back, there)):
        typed = commands(nos, old, new)
        made, unfit = after_typing(nos, old.lines, typed, new.lines)
        for each in differences(made, read(nos, new.lines), stated=True):
            bare_port = len(each.path.steps) == 1 and each.b is None
            order = str(each.path).endswith("qos.classifier") and made.nos == "junos"
            if each.a != each.b and not bare_port and not order:
                found.append(f"{each.path}: {each.a}, not {each.b}, by\n{typed}")
        found += [f"{line} removes nothing" for line in unfit]
    return found


@pytest.mark.parametrize("one_in", [2, pytest.param(1, marks=pytest.mark.deep)])
@pytest.mark.parametrize("name", DEVICES)
def test_the_commands_of_a_change_make_the_changed_device(name: str, one_in: int) -> None:
    assert len(changed(name)) > 5
    for change, texts in sample(changed(name).items(), one_in, name=lambda each: name + each[0]):
        found = typed_differently(DEVICES[name].nos, texts)
        assert found == [], change


@pytest.mark.parametrize("example", cases(examples("fixed"), 12))
def test_the_commands_of_a_corrected_page_make_the_corrected_device(example: Example) -> None:
    for _, nos, texts in corrected(example):
        found = typed_differently(nos, texts)
        assert (found == []) is (str(example) not in PRINTED_TWICE | CHOICE), found


@pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.deep)])
def test_the_commands_restore_the_clean_sample(whole: bool) -> None:
    """Devices with one changed statement get that statement back."""
    known, compared = everything(), 0
    for mutant in known if whole else sample(sampled_mutants(known), 2, lambda m: m.device):
        clean = clean_device(mutant.device)
        nos = all_nos()[clean.nos]
        made = [x for x in load(mutant.planted(CLEAN)).devices if x.hostname == mutant.device]
        if nos.typed is None or not made:
            continue
        texts = [render(nos, RenderRequest(each)).lines for each in (made[0], clean)]
        if stated(clean.nos, texts[0]) != stated(clean.nos, texts[1]):
            compared += 1
            assert typed_differently(clean.nos, (texts[0], texts[1])) == [], mutant
    assert compared > 20


# Programs that know nothing of roce-lint.

PLATFORMS = {"eos": "ARISTA_EOS", "nxos": "CISCO_NXOS", "iosxr": "CISCO_XR"}


@pytest.mark.parametrize("nos", PLATFORMS)
def test_hier_config_finds_what_was_typed(nos: str) -> None:
    """Another model of these systems has, after the commands, all lines of the second print."""
    hier_config = pytest.importorskip("hier_config")
    platform = getattr(hier_config.Platform, PLATFORMS[nos])
    typed = all_nos()[nos].typed
    assert typed is not None
    for before, after in changed(nos).values():
        chains = [statements(text, typed) for text in (before, after)]
        headers = {chain[:-1] for known in chains for chain in known}
        lines, mode = [], ()
        prints = [RenderedFiles({}, lines=text) for text in (before, after)]
        for line in commands(all_nos()[nos], *prints).splitlines():
            if line in {*typed.begin, *typed.end}:
                continue
            if line == typed.leave or line.startswith("end-"):
                mode = mode[:-1]
                continue
            word = line.replace("default ", "no ", 1)
            lines += ["  " * len(mode) + each for each in numbers(word)]
            if (*mode, line) in headers:
                mode = (*mode, line)
        texts = [
            "\n".join("  " * (len(c) - 1) + c[-1] for c in in_order(known)) for known in chains
        ]
        old, new = (hier_config.get_hconfig(platform, text) for text in texts)
        made = old.future(hier_config.get_hconfig(platform, "\n".join(lines)))
        found, wanted = ({tuple(x.text for x in each.lineage()) for each in config.all_children()}
                         for config in (made, new))  # fmt: skip
        # To it a line undoes its negation, and states nothing else.
        undone = {(*c[:-1], f"no {c[-1]}".removeprefix("no no ")) for c in chains[0]}
        lost = {c for c in wanted - found if c not in undone and not c[-1].startswith("no ")}
        assert lost == set(), lines


def in_order(chains: dict[Chain, None], above: Chain = ()) -> Iterator[Chain]:
    """Statements, each followed by those below it."""
    for chain in chains:
        if chain[:-1] == above:
            yield chain
            yield from in_order(chains, chain)


@pytest.mark.deep
def test_the_nvue_schema_has_what_is_set(root: Path, tmp_path: Path) -> None:
    pytest.importorskip("nvueschema", reason="the schema is no dependency")
    tool = root.parent / "shared" / "nvue-schema" / "nvue_yaml_check.py"
    if not tool.is_file():
        pytest.skip("no NVUE schema beside the project (../shared/nvue-schema)")
    for number, texts in enumerate(changed("cumulus").values()):
        prints = [RenderedFiles({}, lines=text) for text in texts]
        typed = commands(all_nos()["cumulus"], *prints)
        file = tmp_path / f"{number}.yaml"
        file.write_text(document(typed, DEVICES["cumulus"]) or "- set: {}\n")
        words = [sys.executable, tool, "--release", "5.13", file]
        done = subprocess.run(words, capture_output=True, check=False)
        assert done.returncode == 0, (typed, done.stdout, done.stderr)


# Details.

LEAF = """\
class-map type qos match-any ROCE
  match dscp 24-26,48
policy-map type qos IN
  class ROCE
    set qos-group 3
interface Ethernet1/1
  mtu 9216
  service-policy type qos input IN
  no shutdown
router bgp 65001
  router-id 10.0.0.1
"""


def typed_at(nos: str, before: str, after: str) -> list[str]:
    """Typed lines without those that begin and end."""
    typed = all_nos()[nos].typed
    assert typed is not None
    pair = [RenderedFiles({}, lines=text) for text in (before, after)]
    lines = commands(all_nos()[nos], *pair).splitlines()
    return lines[len(typed.begin) : len(lines) - len(typed.end)]


def test_nothing_is_typed_where_nothing_differs() -> None:
    assert typed_at("nxos", LEAF, f"! a comment\n{LEAF}") == []


def test_numbers_of_a_list_are_typed_one_by_one() -> None:
    after = LEAF.replace("24-26,48", "26,46,48")
    assert typed_at("nxos", LEAF, after) == [
        "class-map type qos match-any ROCE", "match dscp 46", "no match dscp 24-25", "exit",
    ]  # fmt: skip


def test_a_value_is_typed_over_the_old_one() -> None:
    after = LEAF.replace("9216", "9214")
    assert typed_at("nxos", LEAF, after) == ["interface Ethernet1/1", "mtu 9214", "exit"]


def test_a_port_is_shut_before_all_and_opened_after_all() -> None:
    after = LEAF.replace("no shutdown", "shutdown").replace("9216", "9214")
    there = typed_at("nxos", LEAF, after)
    assert there.index("shutdown") < there.index("mtu 9214")
    back = typed_at("nxos", after, LEAF)
    assert back.index("mtu 9216") < back.index("no shutdown")


def test_objects_come_before_their_users_and_go_after_them() -> None:
    after = LEAF.replace("qos IN", "qos NEW").replace("input IN", "input NEW")
    assert typed_at("nxos", LEAF, after) == [
        "policy-map type qos NEW", "class ROCE", "set qos-group 3", "exit", "exit",
        "interface Ethernet1/1",
        "no service-policy type qos input IN", "service-policy type qos input NEW", "exit",
        "no policy-map type qos IN",
    ]  # fmt: skip


def test_classes_are_typed_in_their_order() -> None:
    """Of several classes that match, the first decides."""
    one, two = ("  class ONE\n    set qos-group 1\n", "  class TWO\n    set qos-group 2\n")
    last = "  class class-default\n    set qos-group 0\n"
    head = "policy-map type qos IN\n"
    assert typed_at("nxos", head + one + last, head + two + one + last) == [
        "policy-map type qos IN", "no class ONE",
        "class TWO", "set qos-group 2", "exit", "class ONE", "set qos-group 1", "exit", "exit",
    ]  # fmt: skip
    assert typed_at("nxos", head + one + last, head + one + two + last) == [
        "policy-map type qos IN", "class TWO", "set qos-group 2", "exit", "exit",
    ]  # fmt: skip
    assert typed_at("nxos", head + two + one, head + one) == [
        "policy-map type qos IN", "no class TWO", "exit",
    ]  # fmt: skip


def test_a_router_gives_way_to_another() -> None:
    after = LEAF.replace("65001", "65002")
    assert typed_at("nxos", LEAF, after) == [
        "no router bgp 65001", "router bgp 65002", "router-id 10.0.0.1", "exit",
    ]  # fmt: skip


def test_a_port_stays_and_a_vlan_interface_goes() -> None:
    vlan = "interface Vlan10\n  mtu 9216\n"
    port = "interface Ethernet1/2\n  mtu 9216\n"
    assert typed_at("nxos", LEAF + vlan, LEAF) == ["no interface Vlan10"]
    assert typed_at("nxos", LEAF + port, LEAF) == ["interface Ethernet1/2", "no mtu 9216", "exit"]


def test_words_that_close_a_stanza_are_typed() -> None:
    before = "hostname leaf1\n"
    after = f"{before}route-policy PASS\n  pass\nend-policy\n!\n"
    assert typed_at("iosxr", before, after) == ["route-policy PASS", "pass", "end-policy"]


def test_what_no_is_a_setting_of_is_set_to_its_default() -> None:
    after = "interface Ethernet1/1\n   mtu 9214\n"
    before = f"{after}   no switchport\n   qos trust dscp\n"
    assert typed_at("eos", before, after) == [
        "interface Ethernet1/1", "default qos trust", "default switchport", "exit",
    ]  # fmt: skip


def test_values_that_stand_beside_each_other_are_removed_one_by_one() -> None:
    both = [f"   error-correction encoding {word}\n" for word in ("fire-code", "reed-solomon")]
    port = "interface Ethernet1/1\n"
    assert typed_at("eos", port + "".join(both), port + both[1])[1:-1] == [
        "no error-correction encoding fire-code"
    ]
    assert typed_at("eos", port + both[0], port + both[1])[1:-1] == [
        "default error-correction encoding", "error-correction encoding reed-solomon",
    ]  # fmt: skip


def test_bits_are_no_numbers() -> None:
    old = "set class-of-service classifiers dscp A forwarding-class B loss-priority low code-points"
    assert typed_at("junos", "", f"{old} 011010\n") == [f"{old} 011010"]


def test_an_object_is_removed_as_a_whole() -> None:
    kept = "nv set qos mapping default-global trust l3\n"
    more = "nv set qos mapping 'A B' trust l3\nnv set qos mapping 'A B' dscp 26 switch-priority 3\n"
    assert typed_at("cumulus", kept + more, kept) == ["nv unset qos mapping 'A B'"]


def test_lines_of_one_file_alone_do_not_remove_a_port() -> None:
    line = "set interfaces et-0/0/1 mtu 9216"
    assert typed_at("junos", f"{line}\n", "") == ["delete interfaces et-0/0/1 mtu 9216"]


# Hosts.

SCRIPT = """\
#!/bin/sh
set -eu
ls -d /sys/class/net/e0/device/infiniband/mlx5_0 > /dev/null
mlnx_qos -i e0 --dscp2prio=set,26,5 --dscp2prio=set,48,6
mlnx_qos -i e0 --pfc 0,0,0,0,0,0,0,0
mkdir -p /sys/kernel/config/rdma_cm/mlx5_0
echo 106 > /sys/kernel/config/rdma_cm/mlx5_0/ports/1/default_roce_tos
# name: no confirmed wording
"""


def at_host(before: dict[str, str], after: dict[str, str]) -> list[str]:
    pair = [
        RenderedFiles({f"gpu1/{name}": text for name, text in each.items()})
        for each in (before, after)
    ]
    return commands(all_nos()["linux"], *pair).splitlines()


def test_new_lines_of_a_script_are_run() -> None:
    after = SCRIPT.replace("set,26,5", "set,26,3").replace("0,0,0,0,0,0,0,0", "0,0,0,1,0,0,0,0")
    kept = "# /usr/local/sbin/roce-setup.sh: the same lines, which stay over a restart"
    assert at_host({"roce-setup.sh": SCRIPT}, {"roce-setup.sh": after}) == [
        "mlnx_qos -i e0 --dscp2prio=set,26,3", "mlnx_qos -i e0 --pfc 0,0,0,1,0,0,0,0", kept,
    ]  # fmt: skip


def test_a_folder_of_a_setting_is_made() -> None:
    after = SCRIPT.replace("106", "104")
    assert at_host({"roce-setup.sh": SCRIPT}, {"roce-setup.sh": after})[:2] == [
        "mkdir -p /sys/kernel/config/rdma_cm/mlx5_0",
        "echo 104 > /sys/kernel/config/rdma_cm/mlx5_0/ports/1/default_roce_tos",
    ]


def test_what_no_line_takes_back_is_named() -> None:
    after = SCRIPT.replace(" --dscp2prio=set,48,6", "")
    assert at_host({"roce-setup.sh": SCRIPT}, {"roce-setup.sh": after}) == [
        "# no command takes back: mlnx_qos -i e0 --dscp2prio=set,48,6"
    ]


def test_an_entry_of_a_table_is_deleted() -> None:
    line = "dcb app add dev e0 dscp-prio 26:3\n"
    assert at_host({"roce-setup.sh": line}, {"roce-setup.sh": "set -eu\n"}) == [
        "dcb app del dev e0 dscp-prio 26:3"
    ]


def test_files_are_named_with_their_new_lines() -> None:
    plan = 'network:\n  ethernets:\n    "e0":\n      mtu: 1500\n'
    before = {"60-roce.yaml": plan, "nccl.conf": "NCCL_IB_TC=0\nNCCL_DEBUG=INFO\n"}
    after = {"60-roce.yaml": plan.replace("1500", "9000"), "nccl.conf": "NCCL_IB_TC=106\n"}
    assert at_host(before, after) == [
        "ip link set dev e0 mtu 9000",
        '# /etc/netplan/60-roce.yaml: network: ethernets: "e0": mtu: 9000',
        "# /etc/nccl.conf: NCCL_IB_TC=106",
        "# /etc/nccl.conf: without NCCL_DEBUG=INFO",
    ]
