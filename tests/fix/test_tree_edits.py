"""Edits in JSON and YAML, measured on mistakes whose correction is known: the wanted values are
those of the right text, and the edited text must be read as the right one.
"""

from __future__ import annotations

import difflib
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pytest

from roce_lint.errors import RoceLintError
from roce_lint.fix.files import ConfigFile
from roce_lint.fix.tree_edits import CannotEditError, Writer, is_tree, tree_edits
from roce_lint.model.change import Change, Safety
from roce_lint.model.device import Device
from roce_lint.model.diff import differences
from roce_lint.model.path import parse
from roce_lint.nos.cumulus.printing import document
from roce_lint.nos.registry import all_nos
from roce_lint.remedy.effect import effect
from roce_lint.text.splice import splice
from roce_lint.text.tree import TreeForm, yaml_lines
from tests.bench import Files, load
from tests.mutation import answers
from tests.mutation.mutants import mutants
from tests.rules.examples import examples
from tests.sampling import sample
from tests.small_fabrics.made import made

# Mistakes and their corrections.

SYSTEMS = ("sonic", "cumulus")
SWITCHES = ("leaf3", "spine1", "leaf6")

NO_VALUES = {
    "DEVICE_NEIGHBOR": "the planned cable is no value of the configuration that is printed",
    "LNK001-bad": "the same",
    "LNK010-bad": "the same",
    "PORT_QOS_MAP|global": "the row is about ports without rows, which are not printed",
}
"""Cases without an edit, with the reasons."""

SPARE = 4
"""Lines that an edit may change more than the correction."""


@dataclass(frozen=True)
class Case:
    """A file of a device with a mistake, and the right one; both in the fabric around it."""

    name: str
    device: str
    place: str
    wrong: Files = field(hash=False, repr=False)
    right: Files = field(hash=False, repr=False)

    def __str__(self) -> str:
        return self.name

    def fault(self) -> str | None:
        """Reason that the edits are not those of the right text; None if they are."""
        text, right = self.wrong[self.place], self.right[self.place]
        wrong, wanted = (device_of(files, self.device) for files in (self.wrong, self.right))
        found = differences(wrong, wanted, stated=True)
        changes = [
            Change(each.path, each.b, Safety.SAFE, each.a, default=each.b_where.citation)
            for each in found
        ]
        try:
            made = edited(wrong, self.place, text, changes) if found else text
        except RoceLintError as error:
            return str(error)
        left = differences(device_of({**self.wrong, self.place: made}, self.device), wanted)
        if left:
            return f"differs in {left[0].path}"
        more = changed_lines(text, made) - changed_lines(text, right)
        return f"{more} lines more" if more > SPARE else None


def edited(device: Device, place: str, text: str, changes: list[Change]) -> str:
    """The text of a file with the changes of its device."""
    ref = next(ref for ref in device.src.files if ref.name == place)
    file = ConfigFile(device, ref, text, [])
    return splice(text, tree_edits(all_nos()[device.nos], file, effect(device, changes)))


def device_of(files: Files, name: str) -> Device:
    """A device of a fabric."""
    return next(device for device in load(files).devices if device.hostname == name)


def changed_lines(before: str, after: str) -> int:
    """Removed and added lines."""
    both = difflib.unified_diff(before.split("\n"), after.split("\n"), n=0)
    return sum(line[0] in "+-" for line in both) - 2


def of_pages() -> Iterator[Case]:
    """Each tree of the page examples that the corrected example has otherwise."""
    fixed = {(each.rule, each.case): each.files for each in examples("fixed")}
    for bad in examples("bad"):
        wrong = {name: block.text for name, block in bad.files.items()}
        files = fixed.get((bad.rule, bad.case), {})
        right = {name: block.text for name, block in files.items()}
        for device in load(wrong).devices:
            for ref in device.src.files:
                text = wrong[ref.name]
                known = device.nos in SYSTEMS and is_tree(text)
                if known and text != right.get(ref.name, text):
                    yield Case(f"{bad} {ref.name}", device.hostname, ref.name, wrong, right)


def of_sample() -> Iterator[Case]:
    """Mutants of the clean sample."""
    for each in answers.everything():
        if each.device in SWITCHES:
            files = each.planted(answers.CLEAN)
            yield Case(str(each), each.device, each.place, files, answers.CLEAN)


def of_small_fabrics() -> Iterator[Case]:
    """Mutants of the fabrics of one system; that of NVUE as YAML."""
    for nos in SYSTEMS:
        own = made(nos)
        for name, place in own.files.items():
            text = own.texts.pop(place)
            if nos == "sonic":
                own.texts[place] = json.dumps(json.loads(text), indent=4) + "\n"
            else:
                device = device_of({place: text}, name)
                own.texts[place.replace(".txt", ".yaml")] = document(text, device)
        for each in mutants(own.texts):
            yield Case(str(each), each.device, each.place, each.planted(own.texts), own.texts)


KINDS = {
    "pages": (of_pages, 8, 50),
    "sample": (of_sample, 60, 800),
    "small": (of_small_fabrics, 60, 600),
}


@cache
def cases(kind: str) -> tuple[Case, ...]:
    """All cases of a kind that have a value."""
    return tuple(case for case in KINDS[kind][0]() if not any(n in case.name for n in NO_VALUES))


@pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.deep)])
@pytest.mark.parametrize("kind", KINDS)
def test_the_edited_text_is_read_as_the_right_one(kind: str, *, whole: bool) -> None:
    known = cases(kind)
    assert len(known) > KINDS[kind][2]
    known = known if whole else tuple(sample(known, KINDS[kind][1]))
    faults = {str(case): fault for case in known if (fault := case.fault())}
    assert faults == {}


# Forms of files.


def changed(text: str, *values: tuple[str, Any], name: str = "leaf1.json") -> str:
    """A text of a device with other values."""
    (device,) = load({name: text}).devices
    changes = [
        Change(parse(f"{device.hostname}:{path}"), value, Safety.SAFE) for path, value in values
    ]
    made = edited(device, name, text, changes)
    after = effect(device, changes).after
    assert not differences(device_of({name: made}, device.hostname), after)
    return made


PORTS = """{
\t"PORT": {
\t\t"Ethernet0": {"lanes": "1", "mtu": "9100"},
\t\t"Ethernet4": {
\t\t\t"lanes": "2",
\t\t\t"mtu": 9100
\t\t}
\t},
\t"DEVICE_METADATA": {"localhost": {"hostname": "leaf1", "hwsku": "x"}}
}"""


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_other_bytes_of_json_stay(end: str) -> None:
    text = PORTS.replace("\n", end)
    made = changed(text, ("Ethernet0 ip_mtu", 9000), ("Ethernet4 ip_mtu", 9216))
    assert made == text.replace('"9100"', '"9000"').replace(" 9100", " 9216")


def test_members_are_added_with_commas() -> None:
    made = changed(PORTS, ("Ethernet0 enabled", True), ("Ethernet4 enabled", False))
    assert made == PORTS.replace(
        '"lanes": "1", "mtu": "9100"', '"admin_status": "up", "lanes": "1", "mtu": "9100"'
    ).replace('\t\t\t"lanes": "2"', '\t\t\t"admin_status": "down",\n\t\t\t"lanes": "2"')


def test_a_table_is_added() -> None:
    made = changed(PORTS, ("Ethernet0 cable_m", 5.0))
    table = ',\n\t"CABLE_LENGTH": {\n\t\t"AZURE": {\n\t\t\t"Ethernet0": "5m"\n\t\t}\n\t}\n}'
    assert made == PORTS.removesuffix("\n}") + table


FLAT = """{
  "DEVICE_METADATA|localhost": {"type": "hash", "value": {"hostname": "leaf1", "hwsku": "x"}},
  "PORT|Ethernet0": {
    "expireat": 1700000000.0,
    "ttl": -0.001,
    "type": "hash",
    "value": {
      "lanes": "1",
      "mtu": "9100"
    }
  }
}
"""


def test_a_database_dump_is_changed_inside_its_rows() -> None:
    made = changed(FLAT, ("Ethernet0 ip_mtu", 9000), ("Ethernet0 cable_m", 5.0))
    table = '{\n  "CABLE_LENGTH|AZURE": {\n    "Ethernet0": "5m"\n  },\n'
    assert made == FLAT.replace("{\n", table, 1).replace("9100", "9000")


SHARED = """{
    "PORT": {
        "Ethernet0": {"lanes": "1"},
        "Ethernet4": {"lanes": "2"}
    },
    "SCHEDULER": {
        "slow": {"type": "DWRR", "weight": "10"},
        "fast": {"type": "DWRR", "weight": "90"}
    },
    "QUEUE": {
        "Ethernet0,Ethernet4|3-4": {
            "scheduler": "[SCHEDULER|slow]"
        }
    },
    "DEVICE_METADATA": {"localhost": {"hostname": "leaf1", "hwsku": "x"}},
    "VERSIONS": {"DATABASE": {"VERSION": "version_1_0_1"}}
}
"""


def test_a_row_of_several_ports_and_queues_is_split() -> None:
    share = "qos.egress.queues[{}].scheduler.share"
    made = json.loads(changed(SHARED, (f"Ethernet0 {share.format(3)}", 20.0)))
    queues = {key: row["scheduler"] for key, row in made["QUEUE"].items()}
    (own,) = {queues.pop("Ethernet0|3").strip("[]").removeprefix("SCHEDULER|")}
    assert made["SCHEDULER"][own] == {"type": "DWRR", "weight": "20"}
    assert queues == dict.fromkeys(
        ("Ethernet0|4", "Ethernet4|3", "Ethernet4|4"), "[SCHEDULER|slow]"
    )


def test_a_row_whose_ports_and_queues_all_change_stays_one() -> None:
    (device,) = load({"leaf1.json": SHARED}).devices
    queues = {name: device.interfaces[name].qos for name in ("Ethernet0", "Ethernet4")}
    assert all(queues.values())
    share = "qos.egress.queues[{}].scheduler.share"
    values = [(f"{name} {share.format(n)}", 20.0) for name in queues for n in (3, 4)]
    assert changed(SHARED, *values) == SHARED.replace('"weight": "10"', '"weight": "20"')


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(json.loads(PORTS)),
        json.dumps({"asic0": json.loads(PORTS), "localhost": json.loads(PORTS)}, indent=4),
    ],
)
def test_what_has_no_place_of_its_own_is_refused(text: str) -> None:
    with pytest.raises(CannotEditError):
        changed(text, ("Ethernet0 ip_mtu", 9000))


NVUE = """# kept
- header:
    nvue-api-version: nvue_v1
- set:
    interface:
      swp1-3:
        link:
          mtu: '9216'  # kept
        type: swp
      swp1:
        ip:
          address:
            10.0.0.0/31: {}
    system:
      hostname: leaf1
"""


def test_a_value_of_yaml_keeps_its_quotes_and_remark() -> None:
    values = [(f"swp{n} ip_mtu", 9000) for n in (1, 2, 3)]
    assert changed(NVUE, *values, name="leaf1.yaml") == NVUE.replace("9216", "9000")


def test_a_port_leaves_the_range_that_it_shares() -> None:
    made = changed(NVUE, ("swp2 ip_mtu", 9000), name="leaf1.yaml")
    own = "      swp2:\n        link:\n          mtu: 9000\n        type: swp\n"
    assert made == NVUE.replace("swp1-3", "swp1,3").replace("      swp1:\n", f"{own}      swp1:\n")


def test_a_bare_tree_is_changed() -> None:
    lines = NVUE.split("- set:\n")[1]
    made = changed(lines, ("swp1 enabled", False), name="leaf1.yaml")
    added = "        link:\n          state:\n            down: {}\n"
    assert made == lines.replace("10.0.0.0/31: {}\n", f"10.0.0.0/31: {{}}\n{added}")


def test_nvue_as_json_keeps_its_numbers() -> None:
    tree: dict[str, Any] = {
        "interface": {"swp1": {"link": {"mtu": 9216}, "type": "swp"}},
        "qos": {"roce": {"enable": "on"}},
        "system": {"hostname": "leaf1"},
    }
    text = json.dumps([{"header": {"nvue-api-version": "nvue_v1"}}, {"set": tree}], indent=2)
    made = changed(text, ("swp1 ip_mtu", 9000), ("swp1 qos.pfc.cable_m", 30.0))
    assert text.replace("9216", "9000").split("\n")[:16] == made.split("\n")[:16]
    assert '"cable-length": 30' in made


def test_lines_of_commands_are_no_tree() -> None:
    assert not is_tree("! leaf1\nhostname leaf1\ninterface Ethernet1\n   mtu 9214\n")
    assert not is_tree("## Last commit\nsystem {\n    host-name leaf1;\n}\n")
    assert is_tree("# made\n---\ninterface:\n  swp1: {}\n")


# Any change of any tree.

NAMES = [*"abcdefgh", "Ethernet0|3", "1", "2", "10"]


def tree(choice: random.Random, depth: int) -> dict[str, Any]:
    return {
        name: tree(choice, depth - 1)
        if depth and choice.random() < 0.6
        else choice.choice(["1", "on", "x y", "a:b", {}])
        for name in choice.sample(NAMES, choice.randint(1, 4))
    }


def other(choice: random.Random, old: dict[str, Any], *, top: bool = True) -> dict[str, Any]:
    """A tree with members changed, removed, renamed and added."""
    made: dict[str, Any] = {}
    for name, value in old.items():
        kind = choice.random()
        if kind < 0.15 and not top:
            continue
        free = [n for n in NAMES if n not in old and n not in made]
        key = choice.choice(free) if kind < 0.3 and free else name
        if isinstance(value, dict) and value and choice.random() < 0.6:
            made[key] = other(choice, value, top=False)
        else:
            made[key] = choice.choice(["7", {}, {"n": "1"}]) if choice.random() < 0.3 else value
        if choice.random() < 0.2 and free[1:]:
            made[next(n for n in free if n != key)] = choice.choice(["9", tree(choice, 1)])
    return made


@pytest.mark.parametrize("form", TreeForm)
@pytest.mark.parametrize("first", range(0, 300, 100))
def test_any_change_of_a_tree_is_made(form: TreeForm, first: int) -> None:
    for seed in range(first, first + 100):
        choice = random.Random(seed)  # noqa: S311 - no secret
        old = {"top": tree(choice, 2), **tree(choice, 2)}
        text = "\n".join(yaml_lines(old, "")) + "\n"
        if form is TreeForm.JSON:
            text = json.dumps(old, indent=choice.choice([1, 2, 4])) + "\n"
        new = other(choice, old)
        made = Writer(splice(text, Writer(text, form).splices(new)), form)
        assert made.tree == new, seed
