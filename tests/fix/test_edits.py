"""Edits put a corrected model into the files of its device: read again they mean just that, and no
other line has changed.

`python -m tests.fix.test_edits [NOS]` reports the share that works, by system.
"""

from __future__ import annotations

import difflib
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

import pytest

from roce_lint.fix.edits import CannotEditError, edits, is_tree
from roce_lint.fix.files import ConfigFile, outline
from roce_lint.model.change import Change, Safety
from roce_lint.model.device import Device
from roce_lint.model.diff import differences
from roce_lint.model.path import Path, PathError, parse
from roce_lint.nos.registry import all_nos
from roce_lint.remedy.effect import effect
from roce_lint.text.source import Origin
from roce_lint.text.splice import splice
from tests.bench import Files, load
from tests.mutation.answers import CLEAN, everything
from tests.mutation.change import NUMBER, WORDS, digit
from tests.mutation.mutants import Mutant, mutants
from tests.rules.examples import examples
from tests.sampling import sample
from tests.small_fabrics.made import made

LINES = ("eos", "nxos", "junos", "cumulus", "os10", "esonic", "iosxr", "srlinux", "aoscx", "vrp",
         "comware")  # fmt: skip
"""Systems with configurations in lines or braces."""

MORE = 3
"""Changed lines that an edit may have beyond those of the page or of the mutation."""


@dataclass(frozen=True)
class Case:
    """A device in a wrong and in a right state; the files are those of the wrong one."""

    name: str
    nos: str
    wrong: Device = field(repr=False, hash=False, compare=False)
    right: Device = field(repr=False, hash=False, compare=False)
    files: Files = field(repr=False, hash=False, compare=False)
    size: int = field(hash=False, compare=False)  # lines of the true difference

    def __str__(self) -> str:
        return self.name


def devices(files: Files) -> dict[str, Device]:
    """The devices of a fabric by name."""
    return {device.hostname: device for device in load(files).devices}


def changes(wrong: Device, right: Device) -> list[Change]:
    """The wanted changes: everything in which the right state differs."""
    return [
        Change(
            each.path,
            each.b,
            Safety.SAFE,
            default=None if each.b_where.origin is Origin.STATED else each.b_where.citation,
        )
        for each in differences(wrong, right, stated=True)
    ]


def config_files(device: Device, files: Files) -> list[ConfigFile]:
    """The files of a device that can be corrected."""
    return [
        ConfigFile(device, ref, files[ref.name], outline(files[ref.name]))
        for ref in device.src.files
        if ref.name in files and not files[ref.name].lstrip().startswith("# command:")
    ]


def corrected(device: Device, files: Files, wanted: list[Change]) -> Files:
    """The files of a fabric with the changes of a device."""
    made = edits(all_nos()[device.nos], config_files(device, files), effect(device, wanted))
    return files | {name: splice(files[name], splices) for name, splices in made.items()}


def distance(before: Files, after: Files) -> int:
    """The number of changed lines."""
    return sum(
        line[:1] in "+-" and line[:3] not in ("+++", "---")
        for name, text in before.items()
        for line in difflib.unified_diff(
            text.split("\n"), after.get(name, text).split("\n"), lineterm="", n=0
        )
    )


def outcome(case: Case) -> str:
    """`ok`, or what is wrong with the edits."""
    try:
        files = corrected(case.wrong, case.files, changes(case.wrong, case.right))
    except (CannotEditError, PathError) as error:
        return f"refused: {error}"
    read = devices(files).get(case.wrong.hostname)
    if read is None:
        return "unread"
    left = differences(read, case.right)
    if left:
        return "left: " + "; ".join(
            f"{each.path.inside}: {each.a} not {each.b}" for each in left[:3]
        )
    size = distance(case.files, files)
    return "ok" if size <= case.size + MORE else f"{size} lines, not {case.size}"


@cache
def of_pages() -> list[Case]:
    """The bad examples of the rule pages, with their fixed ones."""
    fixed = {(each.rule, each.case): each for each in examples("fixed")}
    found = []
    for each in examples("bad"):
        texts = {name: block.text for name, block in each.files.items()}
        other = fixed.get((each.rule, each.case))
        if other is None:
            continue
        right = {name: block.text for name, block in other.files.items()}
        wrong, states = devices(texts), devices(right)
        for name, device in wrong.items():
            if name not in states or not _is_about_lines(device, texts):
                continue
            if differences(device, states[name]):
                size = distance(texts, right)
                title = f"{each} {device.nos} {name}"
                found.append(Case(title, device.nos, device, states[name], texts, size))
    return found


def _is_about_lines(device: Device, files: Files) -> bool:
    if device.nos not in LINES:
        return False
    own = config_files(device, files)
    return bool(own) and not any(is_tree(file.text) for file in own)


def of_mutants(files: Files, known: Iterator[Mutant] | tuple[Mutant, ...]) -> Iterator[Case]:
    """Mutants of a fabric, with the fabric as the right state."""
    right = devices(files)
    for mutant in known:
        planted = mutant.planted(files)
        wrong = devices(planted).get(mutant.device)
        state = right[mutant.device]
        if wrong is None or not _is_about_lines(wrong, planted) or not differences(wrong, state):
            continue
        size = distance(planted, files)
        yield Case(str(mutant), wrong.nos, wrong, state, planted, size)


def of_lines(nos: str) -> Iterator[Case]:
    """A leaf of a small fabric with one digit or word of a line changed, or without the line."""
    own = made(nos)
    name, files = own.files["leaf1"], own.texts
    right = devices(files)["leaf1"]
    lines = files[name].split("\n")
    for number, line in enumerate(lines):
        others = [digit(line, found) for found in NUMBER.finditer(line)]
        others += [line.replace(w, WORDS[w], 1) for w in re.findall(r"[\w-]+", line) if w in WORDS]
        removed = [] if line.rstrip().endswith("{") else [lines[:number] + lines[number + 1 :]]
        for changed in removed + [[*lines[:number], x, *lines[number + 1 :]] for x in others]:
            planted = files | {name: "\n".join(changed)}
            wrong = devices(planted).get("leaf1")
            if wrong is not None and differences(wrong, right):
                size = distance(planted, files)
                yield Case(f"line {number + 1}: {line}", nos, wrong, right, planted, size)


EXCEPTIONS = {
    "CLS008-bad-eos eos leaf1": "no print of a policer: its burst is not in the model",
    "CLS030-bad junos leaf1": "the default names of forwarding classes are not in the model",
    "LNK001-bad-outputs eos leaf1": "neighbours are no configuration",
    "LNK006-bad eos leaf1": "neighbours are no configuration",
    "TOP011-bad eos leaf3": "the release is no configuration",
    "MAP003-bad eos leaf1": "a binding to an undefined profile: what it would give is unknown",
    "MAP003-bad-cumulus cumulus leaf1": "a binding to an undefined profile",
    "MAP004-bad-system-qos nxos leaf1": "a policy that nothing binds is not in the model",
    "MAP004-bad-junos junos leaf1": "a map that nothing binds is not in the model, and made again",
    "MAP012-bad junos leaf2": "a group that nothing applies is not in the model",
}
"""Examples whose correction no print can state, with the reasons."""


@pytest.mark.parametrize("one_in", [8, pytest.param(1, marks=pytest.mark.deep)])
def test_the_examples_are_corrected(one_in: int) -> None:
    cases = sample(of_pages(), one_in, lambda case: case.nos)
    wrong = {case.name: told for case in cases if (told := outcome(case)) != "ok"}
    assert wrong.keys() == EXCEPTIONS.keys() & {case.name for case in cases}, wrong


def test_every_exception_is_an_example() -> None:
    known = {case.name for case in of_pages()}
    assert set(EXCEPTIONS) <= known


SHARES = {
    "eos": 0.97, "nxos": 0.9, "junos": 0.59, "cumulus": 1.0, "os10": 0.82, "esonic": 0.96,
    "iosxr": 0.81, "srlinux": 0.89, "aoscx": 0.93, "vrp": 1.0, "comware": 0.92,
}  # fmt: skip
"""Least share of the mutants of a small fabric that the edits bring back. Among the rest are
headers and braces taken away, so that lines fall into another block, numbers of Junos forwarding
classes, which name the class in the model, and class maps of OS10 and IOS XR without a match."""

ONE_IN = 8


@pytest.mark.parametrize("nos", LINES)
def test_mutants_are_corrected(nos: str) -> None:
    assert share(nos, ONE_IN) >= SHARES[nos] - 0.12


@pytest.mark.deep
@pytest.mark.parametrize("nos", LINES)
def test_all_mutants_are_corrected(nos: str) -> None:
    assert share(nos, 1) >= SHARES[nos]


@pytest.mark.deep
def test_mutants_of_the_sample_are_corrected() -> None:
    found = [outcome(case) for case in of_mutants(CLEAN, everything())]
    assert found.count("ok") >= 0.85 * len(found)


def share(nos: str, one_in: int) -> float:
    """The share of corrected mutants of a system."""
    found = [outcome(case) for case in cases_of(nos, one_in)]
    return found.count("ok") / len(found)


def cases_of(nos: str, one_in: int) -> list[Case]:
    """Mutants of a small fabric of a system."""
    files = made(nos).texts
    known = list(mutants(files))
    if not known:  # its form is not one of those that are mutated
        return sample(of_lines(nos), one_in)
    return list(of_mutants(files, iter(sample(known, one_in) if one_in > 1 else known)))


# What an edit touches, and what it refuses.

EOS = """! Command: show running-config
hostname leaf1
!
qos profile ROCE
   qos trust dscp
   priority-flow-control on
   priority-flow-control priority 3 no-drop
!
interface Ethernet1/1
   mtu 9000
   no switchport
   service-profile ROCE
!
interface Ethernet2/1
   mtu 9000
   no switchport
   service-profile ROCE
!
end
"""


def changed(text: str, *wanted: tuple[str, object], name: str = "leaf1.cfg") -> str:
    """A configuration with values at paths of its device."""
    files = {name: text}
    (device,) = load(files).devices
    asked = [Change(_path(device, path), value, Safety.SAFE) for path, value in wanted]
    return corrected(device, files, asked)[name]


def _path(device: Device, inside: str) -> Path:
    return Path(device.hostname, parse(f"{device.hostname} {inside}").steps)


def test_one_line_is_replaced() -> None:
    new = changed(EOS, ("interfaces[Ethernet1/1].ip_mtu", 9214))
    assert new == EOS.replace("mtu 9000", "mtu 9214", 1)


@pytest.mark.parametrize(
    ("old", "new"),
    [("\n", "\r\n"), ("\n   ", "\n\t"), ("mtu 9000", "mtu 9000  "), ("!\nend\n", "!\nend")],
    ids=["returns", "tabs", "blanks", "no-end"],
)
def test_all_other_bytes_stay(old: str, new: str) -> None:
    text = EOS.replace(old, new)
    wanted = changed(text, ("interfaces[Ethernet1/1].ip_mtu", 9214))
    assert wanted == text.replace("mtu 9000", "mtu 9214", 1)


def test_a_new_line_stands_behind_its_neighbour() -> None:
    text = EOS.replace("   mtu 9000\n", "", 1)
    assert changed(text, ("interfaces[Ethernet1/1].ip_mtu", 9000)) == EOS


def test_a_shared_block_is_changed_for_all_its_ports() -> None:
    both = [f"interfaces[Ethernet{n}/1].qos.pfc.generate" for n in (1, 2)]
    new = changed(EOS, *((path, frozenset({3, 4})) for path in both))
    line = "   priority-flow-control priority 3 no-drop\n"
    assert new == EOS.replace(line, line + line.replace("3", "4"))


def test_a_line_of_other_ports_too_is_refused() -> None:
    with pytest.raises(CannotEditError, match="more than what is changed"):
        changed(EOS, ("interfaces[Ethernet1/1].qos.pfc.generate", frozenset()))


def test_a_port_of_a_range_gets_a_stanza() -> None:
    text = EOS.replace("interface Ethernet2/1\n", "interface Ethernet2/1-3/1\n")
    new = changed(text, ("interfaces[Ethernet3/1].ip_mtu", 9214))
    stanza = "interface Ethernet3/1\n   mtu 9214\n!\n"
    assert new == text.replace("!\nend", f"!\n{stanza}end")


JUNOS = """system {
    host-name leaf1;
}
interfaces {
    et-0/0/0 {
        mtu 9216;
        unit 0 {
            family inet {
                address 10.0.0.0/31;
            }
        }
    }
}
class-of-service {
    classifiers {
        dscp ROCE {
            forwarding-class NO-LOSS {
                loss-priority low code-points [ 011010 011011 ];
            }
        }
    }
    forwarding-classes {
        class NO-LOSS queue-num 4 no-loss pfc-priority 3;
    }
    interfaces {
        et-0/0/0 {
            unit 0 {
                classifiers {
                    dscp ROCE;
                }
            }
        }
    }
}
"""


def test_a_value_is_taken_out_of_a_list() -> None:
    files = {"leaf1.conf": JUNOS}
    (device,) = load(files).devices
    rest = device.qos.classifiers["ROCE"].dscp_to_tc.where("otherwise").citation
    path = _path(device, "interfaces[et-0/0/0].qos.classifier.dscp_to_tc[27]")
    new = corrected(device, files, [Change(path, 0, Safety.SAFE, default=rest)])
    assert new == {"leaf1.conf": JUNOS.replace("[ 011010 011011 ]", "011010")}


def test_a_value_in_braces_is_replaced() -> None:
    new = changed(JUNOS, ("interfaces[et-0/0/0].frame_mtu", 9000), name="leaf1.conf")
    assert new == JUNOS.replace("mtu 9216;", "mtu 9000;")


def test_a_new_part_of_a_block_is_one_statement() -> None:
    new = changed(JUNOS, ("interfaces[et-0/0/0].speed_gbps", 400.0), name="leaf1.conf")
    assert new == JUNOS.replace("        mtu 9216;\n", "        mtu 9216;\n        speed 400g;\n")


def test_a_new_block_is_nested_as_others_are() -> None:
    port = "    et-0/0/1 {\n        mtu 9216;\n    }\n"
    text = JUNOS.replace("}\nclass-of", f"{port}}}\nclass-of")
    new = changed(text, ("interfaces[et-0/0/1].ip_mtu", 9000), name="leaf1.conf")
    block = (
        "        unit 0 {\n"
        "            family inet {\n"
        "                mtu 9000;\n"
        "            }\n"
        "        }\n"
    )
    assert new == text.replace(port, f"{port[:-6]}{block}    }}\n")


def test_a_value_is_added_to_a_list() -> None:
    path = "interfaces[et-0/0/0].qos.classifier.dscp_to_tc[28]"
    new = changed(JUNOS, (path, 4), name="leaf1.conf")
    assert new == JUNOS.replace("[ 011010 011011 ]", "[ 011010 011011 011100 ]")


def test_one_value_becomes_a_list() -> None:
    text = EOS.replace("!\nend", "!\nqos map dscp 26 to traffic-class 3\nend")
    paths = [f"interfaces[Ethernet{n}/1].qos.classifier.dscp_to_tc[28]" for n in (1, 2)]
    new = changed(text, *((path, 3) for path in paths))
    assert new == text.replace("dscp 26 to", "dscp 26 28 to")


NXOS = """!Command: show running-config
version 10.4(3) Bios:version 05.50
hostname leaf1
class-map type qos match-any ROCE
  match dscp 26
policy-map type qos CLASSIFY
  class ROCE
    set qos-group 3
interface Ethernet1/1
  no switchport
  mtu 9216
  service-policy type qos input CLASSIFY
interface Ethernet1/2
  no switchport
  mtu 9216
  service-policy type qos input CLASSIFY
"""


def test_a_copy_for_one_port_stands_before_it() -> None:
    new = changed(NXOS, ("interfaces[Ethernet1/1].qos.classifier.dscp_to_tc[26]", 4))
    before, after = new.split("interface Ethernet1/1\n")
    assert "policy-map type qos CLASSIFY-2\n" in before
    assert after.startswith(
        "  no switchport\n  mtu 9216\n  service-policy type qos input CLASSIFY-2\n"
    )
    assert after.endswith(NXOS.split("interface Ethernet1/2")[1])


def test_a_value_moves_from_one_list_to_another() -> None:
    text = EOS.replace("!\nend", "!\nqos map dscp 26 27 to traffic-class 3\nend")
    new = changed(
        text, *((f"interfaces[Ethernet{n}/1].qos.classifier.dscp_to_tc[27]", 4) for n in (1, 2))
    )
    moved = "qos map dscp 26 to traffic-class 3\nqos map dscp 27 to traffic-class 4\n"
    assert new == text.replace("qos map dscp 26 27 to traffic-class 3\n", moved)


def main() -> None:
    """Report the share of corrected cases, and each that is not."""
    wanted = sys.argv[1:] or LINES
    for nos in wanted:
        for kind, known in (("pages", [c for c in of_pages() if c.nos == nos]),
                            ("mutants", cases_of(nos, 2))):  # fmt: skip
            found = [(case, outcome(case)) for case in known]
            counted = Counter(text.split(":")[0].lstrip("0123456789 ") for _, text in found)
            for case, text in found:
                if text != "ok" and sys.argv[1:]:
                    sys.stdout.write(f"  {case} {text[:200]}\n")
            sys.stdout.write(f"{nos} {kind} {dict(counted)}\n")


if __name__ == "__main__":
    main()
