"""Inheritance from groups: precedence, wildcards, nesting, exceptions."""

from __future__ import annotations

import pytest

from roce_lint.model.device import NoteKind
from roce_lint.text.source import LineState
from tests.nos.junos.reading import HOST, read
from tests.nos.reader import line, notes, states

PORTS = """
set interfaces et-0/0/0 unit 0 family inet
set interfaces xe-0/0/1 unit 0 family inet
set interfaces ae1 unit 0 family inet
""".lstrip()


def mtus(*lines: str) -> dict[str, int | None]:
    found = read(HOST + PORTS + "".join(f"set {each}\n" for each in lines))
    return {name: port.frame_mtu for name, port in found.interfaces.items()}


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("<*>", ["et-0/0/0", "xe-0/0/1", "ae1"]),
        ("<et-*>", ["et-0/0/0"]),
        ("<[ex][te]-*>", ["et-0/0/0", "xe-0/0/1"]),
        ("<ae*>", ["ae1"]),
        ("<ge-*>", []),
        ("xe-0/0/1", ["xe-0/0/1"]),
    ],
)
def test_wildcards_stand_for_names_that_exist(pattern: str, names: list[str]) -> None:
    found = mtus(f'groups G interfaces "{pattern}" mtu 9192', "apply-groups G")
    assert sorted(found) == ["ae1", "et-0/0/0", "xe-0/0/1"]
    assert [name for name, mtu in found.items() if mtu == 9192] == names


def test_a_name_without_wildcard_comes_to_be() -> None:
    assert mtus("groups G interfaces et-0/0/9 mtu 9192", "apply-groups G")["et-0/0/9"] == 9192


def test_nothing_is_in_force_until_it_is_applied() -> None:
    assert mtus("groups G interfaces <*> mtu 9192") == {"et-0/0/0": None, "xe-0/0/1": None, "ae1": None}  # fmt: skip


def test_what_is_written_wins() -> None:
    lines = ("interfaces et-0/0/0 mtu 9000", "groups G interfaces <*> mtu 9192", "apply-groups G")
    assert mtus(*lines)["et-0/0/0"] == 9000
    assert mtus(*reversed(lines))["et-0/0/0"] == 9000


def test_the_group_named_first_wins() -> None:
    groups = ("groups A interfaces <*> mtu 9001", "groups B interfaces <*> mtu 9002")
    assert mtus(*groups, "apply-groups A", "apply-groups B")["ae1"] == 9001
    assert mtus(*groups, "apply-groups [ B A ]")["ae1"] == 9002


def test_the_group_applied_nearest_wins() -> None:
    groups = ("groups A interfaces <*> mtu 9001", "groups B interfaces <*> mtu 9002")
    found = mtus(*groups, "apply-groups A", "interfaces ae1 apply-groups B")
    assert (found["ae1"], found["et-0/0/0"]) == (9002, 9001)


def test_an_exception_ends_inheritance() -> None:
    groups = ("groups A interfaces <*> mtu 9001", "apply-groups A")
    found = mtus(*groups, "interfaces ae1 apply-groups-except A")
    assert (found["ae1"], found["et-0/0/0"]) == (None, 9001)


def test_groups_apply_groups() -> None:
    found = read(
        """
        set system host-name apply-groups-chain
        set groups G1 apply-groups G2
        set groups G2 interfaces <*> unit 0 apply-groups G3
        set groups G3 interfaces <*> unit <*> family inet address 1.1.1.1/31
        set interfaces em0 description "for test"
        set apply-groups G1
        """
    )
    port = found.interfaces["em0"]
    assert (port.addresses, line(port, "addresses")) == (("1.1.1.1/31",), 4)


def test_a_group_that_applies_itself_ends() -> None:
    assert mtus("groups A apply-groups A", "groups A interfaces <*> mtu 9001", "apply-groups A")["ae1"] == 9001  # fmt: skip


def test_nested_wildcards_have_to_fit_at_each_level() -> None:
    found = read(
        """
        set system host-name wildcard-nesting
        set groups g interfaces <*> unit <1*> family inet address 1.0.0.1/31
        set groups g interfaces <xe-*> unit <2*> family inet address 2.0.0.1/31
        set interfaces xe-0/0/0 unit 20 apply-groups g
        """
    )
    assert found.interfaces["xe-0/0/0"].addresses == ("2.0.0.1/31",)
    assert states(found, LineState.IGNORED) == [2, 5]


def test_lists_of_both_sides_add_up() -> None:
    found = read(
        HOST
        + "set vlans a vlan-id 10\nset vlans b vlan-id 20\n"
        + "set groups G interfaces <*> unit 0 family ethernet-switching vlan members a\n"
        + "set interfaces et-0/0/0 unit 0 family ethernet-switching interface-mode trunk\n"
        + "set interfaces et-0/0/0 unit 0 family ethernet-switching vlan members b\n"
        + "set apply-groups G\n"
    )
    assert found.interfaces["et-0/0/0"].tagged_vlans == frozenset({10, 20})


def test_class_of_service_comes_by_groups_too() -> None:
    """Both kinds of wildcards at once: `<...>` of groups, and the patterns of class-of-service."""
    found = read(
        HOST
        + PORTS
        + "set groups Q class-of-service interfaces et-* unit * classifiers dscp C\n"
        + "set class-of-service classifiers dscp C forwarding-class best-effort loss-priority low code-points ef\n"
        + "set class-of-service apply-groups Q\n"
    )  # fmt: skip
    qos = found.interfaces["et-0/0/0"].qos
    assert qos is not None
    assert (qos.classifier, line(qos, "classifier")) == ("C", 5)


def test_an_undefined_group_is_reported() -> None:
    found = read(HOST + "set apply-groups GONE\nset interfaces apply-groups re0\n")
    assert notes(found) == [(2, "apply-groups GONE: no such group is in the configuration")]


def test_a_conditional_group_is_left_out_and_reported() -> None:
    found = read(
        HOST
        + PORTS
        + "set groups G when chassis lcc0\nset groups G interfaces <*> mtu 9192\nset apply-groups G\n"
    )
    assert found.interfaces["ae1"].frame_mtu is None
    message = "group G is conditional (when) and is left out"
    assert notes(found, NoteKind.REMARK) == [(5, message)]


def test_overruled_group_statements_are_not_an_error() -> None:
    found = read(
        HOST
        + "set groups G interfaces <*> mtu 9192\nset apply-groups G\n"
        + "set interfaces et-0/0/0 mtu 9000\n"
    )
    assert (states(found, LineState.SHADOWED), states(found, LineState.IGNORED)) == ([], [2, 5])


def test_inheritance_ends_where_memory_would() -> None:
    groups = "".join(
        f"set groups G{n} apply-groups [ G{n + 1} H{n + 1} ]\nset groups H{n} apply-groups [ G{n + 1} H{n + 1} ]\n"
        for n in range(12)
    )
    found = read(
        HOST + PORTS + groups + "set groups G12 interfaces <*> mtu 9192\nset apply-groups G0\n"
    )
    assert found.interfaces["ae1"].frame_mtu == 9192


def test_a_name_that_the_system_expands_is_not_a_missing_group() -> None:
    found = read(HOST + 'set groups node0 interfaces ae1 mtu 9000\nset apply-groups "${node}"\n')
    assert notes(found) == []
    missing = read(HOST + "set apply-groups NODE\n")
    assert notes(missing) == [(2, "apply-groups NODE: no such group is in the configuration")]


@pytest.mark.parametrize(
    ("lines", "groups"),
    [
        (["groups G class-of-service schedulers S"], [("configuration group with QoS", "G", 0)]),
        (["groups G interfaces <*> mtu 9192"], [("configuration group", "G", 0)]),
        (
            ["groups G interfaces <*> mtu 9192", "interfaces ae1 apply-groups G"],
            [("configuration group", "G", 1)],
        ),
        (["groups G system ntp server 10.0.0.1"], []),
        (["groups re0 interfaces fxp0 unit 0"], []),
        (["groups member0 class-of-service schedulers S"], []),
    ],
)
def test_groups_are_named_with_their_uses(
    lines: list[str], groups: list[tuple[str, str, int]]
) -> None:
    found = read(HOST + PORTS + "".join(f"set {each}\n" for each in lines))
    named = [s for s in found.structures if s.kind.startswith("configuration group")]
    assert [(s.kind, s.name, len(s.references)) for s in named] == groups
