"""Changes that `fix` never makes, though they would silence a rule."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from roce_lint.fix.forbidden import forbidden
from roce_lint.model.object_diff import NOWHERE, Difference
from roce_lint.model.path import of_port
from roce_lint.text.source import Origin
from tests.fix.conftest import SAMPLES, Command


def difference(field: str, a: object, b: object) -> Difference:
    return Difference(of_port("leaf1", "e1", field), a, b, NOWHERE, NOWHERE)


@pytest.mark.parametrize(
    ("field", "a", "b", "why"),
    [
        ("ip_mtu", 9216, 1500, "lower the MTU"),
        ("ip_mtu", 9216, None, "lower the MTU"),
        ("qos.pfc.generate", frozenset({3}), frozenset(), "turn PFC off"),
        ("qos.pfc.honour", frozenset({3, 4}), frozenset({4}), "turn PFC off"),
        ("qos.pfc.generate", frozenset({3}), frozenset({3, 5}), "more traffic lossless"),
        ("qos.watchdog.enabled", True, False, "turn off"),
        ("qos.marking", True, None, "turn off"),
        ("ip_mtu", 1500, 9216, ""),
        ("qos.pfc.generate", frozenset({4}), frozenset({3}), ""),
        ("qos.pfc.generate", None, frozenset({3}), ""),
        ("description", "a", None, "needs a manual decision"),
        ("addresses", ("10.0.0.1/31",), ("10.0.0.3/31",), "needs a manual decision"),
        ("policing", "HOSTS", None, "needs a manual decision"),
        ("enabled", True, False, "turn off"),
        ("qos.forwarding.tc_to_queue[3]", 3, None, "delete an entry"),
        ("rail", 1, 2, ""),
    ],
)
def test_changes_that_are_refused(field: str, a: object, b: object, why: str) -> None:
    reason = forbidden([difference(field, a, b)], frozenset({3}))
    assert why in reason
    assert bool(reason) == bool(why)


@pytest.mark.parametrize(
    ("origin", "why"), [(Origin.STATED, ""), (Origin.DEFAULT, "delete"), (Origin.ABSENT, "delete")]
)
def test_a_stated_value_is_not_left_to_a_default(origin: Origin, why: str) -> None:
    stated, after = (replace(NOWHERE, origin=each) for each in (Origin.STATED, origin))
    change = replace(difference("ip_mtu", 1500, 9216), a_where=stated, b_where=after)
    assert why in forbidden([change], frozenset())
    assert bool(forbidden([change], frozenset())) == bool(why)


def test_a_majority_without_pause_takes_it_from_nobody(command: Command, tmp_path: Path) -> None:
    """All but one host port of a leaf have PFC off: that one deviates, and is right."""
    leaf = tmp_path / "leaf2.cfg"
    shutil.copy(SAMPLES / "clean-fabric" / "switches" / "leaf2.cfg", leaf)
    text = leaf.read_text()
    on = "  priority-flow-control mode on\n"
    assert text.count(on) >= 4
    first = text.index(on) + len(on)
    leaf.write_text(text[:first] + text[first:].replace(on, on.replace("on\n", "off\n")))
    done = command("fix", str(leaf), "--disruptive")
    assert "+  priority-flow-control mode off" not in done.stdout
