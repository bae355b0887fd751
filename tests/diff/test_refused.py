"""A value that the reader refuses is a difference: it is in a line and in no field of the model."""

from __future__ import annotations

from pathlib import Path

import pytest

from roce_lint.model.diff import refusals
from tests.diff.compared import devices
from tests.diff.test_command import entries, run
from tests.small_fabrics.made import made
from tests.small_fabrics.test_refusals import REFUSED, UNSURE

POOL = """\
set system host-name leaf1
set interfaces et-0/0/0 mtu 9216
set interfaces et-0/0/0 unit 0 family inet address 10.1.1.0/31
set interfaces et-0/0/0 unit 0 family inet mtu {mtu}
"""


def states(folder: Path, *mtus: str) -> list[Path]:
    found = []
    for number, mtu in enumerate(mtus):
        (folder / str(number)).mkdir()
        found.append(folder / str(number) / "leaf1.set")
        found[-1].write_text(POOL.format(mtu=mtu))
    return found


def test_a_value_above_the_one_of_the_port(tmp_path: Path) -> None:
    right, wrong = states(tmp_path, "9202", "9216")
    (entry,) = entries(right, wrong)
    assert run(right, wrong).exit_code == 1
    assert entry["paths"] == ["leaf1 interfaces[et-0/0/0].stated_and_refused"]
    (value,) = entry["values"]  # type: ignore[misc]
    assert (value["field"], value["a"]) == ("stated_and_refused", None)
    assert value["b"].startswith("family inet mtu '9216' is refused")
    for side in "ab":
        (place,) = entry[side]  # type: ignore[misc]
        assert place["line"] == 4
    (back,) = entries(wrong, right)
    assert back["values"] == [{"field": value["field"], "a": value["b"], "b": None}]
    assert run(wrong, wrong).exit_code == 0


def test_two_values_that_are_refused(tmp_path: Path) -> None:
    (entry,) = entries(*states(tmp_path, "9216", "9300"))
    (value,) = entry["values"]  # type: ignore[misc]
    assert ("'9216'" in value["a"], "'9300'" in value["b"]) == (True, True)


def test_the_line_of_the_value_is_no_difference(tmp_path: Path) -> None:
    one, other = states(tmp_path, "9216", "9216")
    other.write_text(f"# saved\n{other.read_text()}")
    assert entries(one, other) == []


@pytest.mark.parametrize("system", sorted({row[0] for row in REFUSED}))
def test_refused_values_of_every_system(system: str, tmp_path: Path) -> None:
    own = made(system)
    name = own.files["leaf1"]
    right = own.texts[name]
    cases = [row[1:] for row in (*REFUSED, *UNSURE) if row[0] == system and row[1] in right]
    assert cases
    a = devices({name: right}, tmp_path / "right")["leaf1"]
    assert [*refusals(a, a)] == []
    for number, (old, new) in enumerate(cases):
        b = devices({name: right.replace(old, new, 1)}, tmp_path / str(number))["leaf1"]
        assert [each for each in refusals(a, b) if each.a is None and each.b], new
