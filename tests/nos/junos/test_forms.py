"""One model from every form of a configuration: braces, `set` lines, with and without noise."""

from __future__ import annotations

from pathlib import Path

import pytest

from roce_lint.model.dump import dump
from roce_lint.text.source import LineState
from roce_lint.text.statements import Word, parse
from tests.nos.junos.reading import HOST, pfc, read
from tests.nos.reader import line, notes, states

HERE = Path(__file__).resolve().parent
LEAF = (HERE / "leaf" / "leaf4.conf").read_text()


def values(item: object) -> object:
    """`dump` output without positions."""
    if isinstance(item, dict):
        kept = {key: values(value) for key, value in item.items() if key not in ("@", "lines")}
        return {key: value for key, value in kept.items() if key not in ("references", "notes")}
    if isinstance(item, list):
        plain = [each for each in item if not (isinstance(each, str) and each.startswith("@"))]
        return [values(each) for each in plain]
    return item


def as_sets(text: str) -> str:
    """The same statements as `set` lines, one for each leaf."""
    found = []
    stack: list[tuple[Word, list[str]]] = [(parse(text.split("\n")).root, [])]
    while stack:
        word, path = stack.pop()
        for name, below in reversed(word.below.items()):
            stack.append((below, [*path, f'"{name}"' if " " in name else name]))
        if not word.below:
            found.append("set " + " ".join(path))
    return "\n".join(found) + "\n"


def test_braces_and_set_lines_give_one_model() -> None:
    both = values(dump(read(LEAF))), values(dump(read(as_sets(LEAF))))
    assert both[0] == both[1]


@pytest.mark.parametrize("name", ["llq-cr1-ptx10001", "bbe-sw2-qfx5210"])
def test_captures_in_both_forms_give_one_model(corpus: Path, name: str) -> None:
    texts = [(corpus / "junos" / f"{name}.{form}").read_text() for form in ("conf", "set")]
    first, second = (read(text) for text in texts)
    assert sorted(first.interfaces) == sorted(second.interfaces)
    assert first.interfaces == second.interfaces
    assert first.qos == second.qos
    assert (first.system, first.pools, first.asn) == (second.system, second.pools, second.asn)
    kinds = [[(s.kind, s.name, len(s.references)) for s in d.structures] for d in (first, second)]
    assert kinds[0] == kinds[1]


@pytest.mark.parametrize(
    "changed",
    [
        "root@leaf4> show configuration | no-more\n" + LEAF + "\n{master:0}\nroot@leaf4>\n",
        "\n\n" + LEAF,
        LEAF.replace("\n", "\r\n"),
        LEAF.replace("    ", "\t"),
        LEAF.replace("    ", ""),
        LEAF.replace("    ", "  "),
        LEAF.replace("interfaces {", "replace: interfaces {"),
        LEAF.replace("    et-0/0/0 {", "    /* first port */\n    protect: et-0/0/0 {"),
        LEAF.replace("        mtu 9216;", "        ##\n        ## 'mtu' was inherited\n        mtu 9216;"),
        LEAF.replace(" {", "\n{"),
        LEAF.replace("[ 55 90 ]", "[\n 55\n 90\n]"),
    ],
    ids=range(11),
)  # fmt: skip
def test_text_around_the_configuration_has_no_effect(changed: str) -> None:
    found = read(changed)
    assert values(dump(found)) == values(dump(read(LEAF)))
    assert notes(found) == []
    assert states(found, LineState.UNRECOGNISED) == []


def test_a_blank_behind_one_brace_changes_nothing() -> None:
    """An unread block ends at its own brace, not at the next identical one."""
    lines = LEAF.split("\n")
    whole = values(dump(read(LEAF)))
    for number in (n for n, text in enumerate(lines) if text.strip() == "}"):
        changed = [text + " " * (n == number) for n, text in enumerate(lines)]
        found = read("\n".join(changed))
        assert values(dump(found)) == whole, f"line {number + 1}"
        assert notes(found) == []


def test_text_among_set_lines_has_no_effect() -> None:
    lines = as_sets(LEAF).split("\n")
    noise = [
        "root@leaf4> show configuration | display set | no-more",
        *lines[:40],
        "",
        "# a comment, and the note of an operator",
        'annotate interfaces et-0/0/0 "first { port; set"',
        "protect interfaces et-0/0/0",
        *lines[40:],
        "{master:0}",
        "root@leaf4>",
    ]
    found = read("\n".join(noise))
    assert values(dump(found)) == values(dump(read(LEAF)))
    assert notes(found) == []
    assert states(found, LineState.UNRECOGNISED) == []


def test_inherited_statements_as_the_device_shows_them() -> None:
    """`display inheritance` omits the groups and names the source of statements in comments."""
    plain = read(
        """
        groups { CORE { interfaces { <et-*> { mtu 9192; } } } }
        apply-groups CORE;
        system { host-name leaf1; }
        interfaces { et-0/0/0 { unit 0 { family inet; } } }
        """
    )
    shown = read(
        """
        system { host-name leaf1; }
        interfaces {
            et-0/0/0 {
                ##
                ## '9192' was inherited from group 'CORE'
                ##
                mtu 9192;
                unit 0 { family inet; }
            }
        }
        """
    )
    assert plain.interfaces == shown.interfaces
    assert plain.interfaces["et-0/0/0"].frame_mtu == 9192


def test_two_files_of_one_device_add_up() -> None:
    ports = "set interfaces et-0/0/0 unit 0 family inet address 10.0.0.0/31\n"
    found = read(
        HOST + ports,
        """
        class-of-service {
            forwarding-classes { class X queue-num 4 no-loss pfc-priority 3; }
            classifiers { dscp C { forwarding-class X { loss-priority low code-points 011010; } } }
            congestion-notification-profile { P { input { dscp { code-point 011010 { pfc; } } } } }
            interfaces { et-* { congestion-notification-profile P; unit * { classifiers { dscp C; } } } }
        }
        """,
    )  # fmt: skip
    assert pfc(found).generate == frozenset({3})
    assert line(pfc(found), "generate") == 4
    assert found.src.files[found.src.file_of(pfc(found).at["generate"])].name == "1.conf"


def test_a_text_that_ends_early_is_read_as_far_as_it_goes() -> None:
    cut = LEAF[: LEAF.index("    congestion-notification-profile {\n") + 60]
    found = read(cut)
    assert notes(found) == [
        (342, "the text ends inside 3 open braces: the rest is missing"),
    ]
    assert found.interfaces["et-0/0/0"].ip_mtu == 9170


def test_lines_that_the_device_ignores_are_reported_and_left_out() -> None:
    found = read(
        """
        system { host-name leaf1; }
        interfaces {
            et-0/0/0 {
                ##
                ## Warning: statement ignored: unsupported platform (qfx5240-64od)
                ##
                mtu 9216;
                unit 0 { family inet; }
            }
        }
        """
    )
    assert found.interfaces["et-0/0/0"].ip_mtu == 1500
    assert notes(found) == [(7, "the device ignores `mtu 9216` (it says so in a comment)")]
    assert states(found, LineState.IGNORED) == [4, 5, 6, 7, 11]


def test_inactive_statements_are_not_in_force() -> None:
    found = read(
        """
        system { host-name leaf1; }
        interfaces {
            inactive: et-0/0/0 {
                mtu 9216;
            }
            et-0/0/1 {
                inactive: mtu 9216;
                unit 0 { family inet; }
            }
        }
        """
    )
    assert sorted(found.interfaces) == ["et-0/0/1"]
    assert found.interfaces["et-0/0/1"].frame_mtu is None
    same = read(
        HOST
        + "set interfaces et-0/0/0 mtu 9216\nset interfaces et-0/0/1 mtu 9216\n"
        + "set interfaces et-0/0/1 unit 0 family inet\n"
        + "deactivate interfaces et-0/0/0\ndeactivate interfaces et-0/0/1 mtu\n"
    )
    assert same.interfaces == found.interfaces
    assert states(same, LineState.IGNORED) == [2, 3, 7]


def test_of_two_values_the_last_holds_and_the_other_is_shadowed() -> None:
    found = read(HOST + "set interfaces et-0/0/0 mtu 9000\nset interfaces et-0/0/0 mtu 9216\n")
    port = found.interfaces["et-0/0/0"]
    assert (port.frame_mtu, line(port, "frame_mtu")) == (9216, 3)
    assert states(found, LineState.SHADOWED) == [2]
