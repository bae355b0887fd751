"""Effects and verification of changes: sources, fields of the model, read-only commands."""

from __future__ import annotations

import re

import pytest

from roce_lint.catalog.changes import KnownChange, field_of, known_change, known_changes, safety
from roce_lint.engine.page import parse_page
from roce_lint.model.change import Safety
from roce_lint.model.device import Device
from roce_lint.model.path import Path, Step, parse
from roce_lint.model.schema import fields_of
from roce_lint.nos.pull import require_read_only
from roce_lint.nos.registry import all_nos
from tests.house.listing import read, under

ENTRIES = [(nos, entry) for nos, entries in known_changes().items() for entry in entries]
IDS = [f"{nos}-{entry.fields[0]}" for nos, entry in ENTRIES]


def fields_of_pages() -> set[str]:
    """Fields that fix a rule, without keys."""
    found = set()
    for name in under("rules", suffix=".md"):
        if name != "rules/README.md":
            fixed_by = parse_page(read(name), name).head.fixed_by
            found |= {re.sub(r"\[[^\]]*\]", "", each) for each in fixed_by} if isinstance(
                fixed_by, tuple) else set()  # fmt: skip
    return found


def is_field(field: str) -> bool:
    """Whether a path without keys leads to a field of the model."""
    kind = Device
    for name in field.split("."):
        known = fields_of(kind).get(name) if kind is not None else None
        if known is None:
            return False
        kind = known.kind
    return True


@pytest.mark.parametrize(("nos", "entry"), ENTRIES, ids=IDS)
def test_an_entry_is_about_fields_of_the_model(nos: str, entry: KnownChange) -> None:
    assert nos in all_nos()
    steps = {"interfaces.qos." + name for name in ("egress", "classifier", "forwarding", "rewrite",
                                                   "ingress_buffer")}  # fmt: skip
    for field in entry.fields:
        beyond = next((each for each in steps if field.startswith(f"{each}.")), None)
        assert is_field(beyond or field), field


@pytest.mark.parametrize(("nos", "entry"), ENTRIES, ids=IDS)
def test_a_command_only_shows(nos: str, entry: KnownChange) -> None:
    system = all_nos()[nos]
    if system.is_host:
        tools = (
            "dcb pfc show ",
            "dcb app show ",
            "dcb ets show ",
            "ip addr show ",
            "ibv_devinfo -d ",
            "cat /sys/",
            "cat /etc/",
        )
        assert entry.show.startswith(tools)
        return
    assert system.pulled is not None
    require_read_only(entry.command(), system.pulled.words)
    words = " ".join(entry.show.split("{port}")[0].split()[:3])
    known = " ".join(each.text for each in system.pulled.commands)
    assert words in known + read(f"docs/nos/{nos}.md"), f"{words}: of no document of the system"


@pytest.mark.parametrize("nos", [each.name for each in all_nos().values() if each.printing])
def test_each_system_that_is_printed_has_entries(nos: str) -> None:
    assert known_changes()[nos]


def test_a_field_has_a_live_entry_or_counts_as_disruptive() -> None:
    own = {field for _, entry in ENTRIES for field in entry.fields}
    for nos in known_changes():
        for field in own | fields_of_pages():
            path = Path("leaf1", tuple(Step(name) for name in field.split(".")))
            entry = known_change(nos, path)
            live = entry is not None and entry.effect == "live"
            assert safety(nos, path) is (Safety.SAFE if live else Safety.DISRUPTIVE)


@pytest.mark.parametrize(
    ("nos", "path", "effect"),
    [
        ("nxos", "leaf1:Ethernet1/1 qos.pfc.mode", "live"),
        ("nxos", "leaf1:Ethernet1/1 qos.pfc.generate", None),
        ("nxos", "leaf1 qos.egress[OUT].queues[3].marking.kmin", "port"),
        ("cumulus", "leaf1 qos.egress[OUT].queues[3].marking.kmin", "live"),
        ("cumulus", "leaf1:swp1 qos.pfc.generate", "port"),
        ("junos", "leaf1:et-0/0/1 ip_mtu", "port"),
        ("linux", "gpu1 environment[NCCL_IB_TC]", "live"),
    ],
)
def test_the_longest_field_decides(nos: str, path: str, effect: str | None) -> None:
    entry = known_change(nos, parse(path))
    assert entry is not None
    assert entry.effect == effect
    assert safety(nos, parse(path)) is (Safety.SAFE if effect == "live" else Safety.DISRUPTIVE)


def test_what_is_not_known_counts_as_the_worst() -> None:
    assert known_change("eos", parse("leaf1 hostname")) is None
    assert safety("eos", parse("leaf1 hostname")) is Safety.DISRUPTIVE
    assert safety("no system", parse("leaf1 hostname")) is Safety.DISRUPTIVE
    assert known_change("eos", parse("leaf1:Ethernet1/1 ip_mtu_of_another")) is None


def test_an_object_of_the_device_is_one_of_its_ports() -> None:
    assert field_of(parse("leaf1 qos.classifiers[IN].dscp_to_tc[26]")) == (
        "interfaces.qos.classifier.dscp_to_tc"
    )
    assert field_of(parse("leaf1 pools[a].share_percent")) == "pools.share_percent"


def test_a_command_names_its_port() -> None:
    entry = known_change("junos", parse("leaf1:et-0/0/1 ip_mtu"))
    assert entry is not None
    assert entry.command("et-0/0/1") == "show interfaces et-0/0/1 extensive"
    assert entry.command() == "show interfaces extensive"
