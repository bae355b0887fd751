"""Drafts the intent of a fabric: one that can be designed, and comes near what is there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roce_lint._version import __version__
from roce_lint.analysis.result import Analysis
from roce_lint.catalog.refusals import Loc, Refusal
from roce_lint.design.drafting import traffic
from roce_lint.design.drafting.comparison import find_leftovers, put_overrides
from roce_lint.design.drafting.draft import Draft
from roce_lint.design.drafting.fabric import DeviceEntries, put_fabric
from roce_lint.design.drafting.numbers import put_numbers
from roce_lint.design.drafting.text import text_of
from roce_lint.design.golden import Design, try_design
from roce_lint.design.refusals import Refusals
from roce_lint.intent.read import faults_of, of_text
from roce_lint.nos.registry import all_nos
from roce_lint.text.excerpts import Excerpts

ROUNDS = 6
"""How often wishes that cannot be met are taken out before a draft is given as it is."""


@dataclass(frozen=True, slots=True)
class IntentDraft:
    """The text of an intent; `whole` is False where something of the fabric had to be left out,
    `left_out` what that is, and `refused` what keeps it from being designed.
    """

    text: str
    whole: bool
    left_out: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()


def draft_of(analysis: Analysis, excerpts: Excerpts, name: str) -> IntentDraft:
    """The intent of a fabric that was read and analysed; `name` is what the design is called."""
    draft = Draft(excerpts)
    draft.put(("name",), name)
    listed = put_fabric(analysis, draft)
    put_numbers(analysis, listed, draft)
    traffic.put_classes(analysis, draft)
    traffic.put_thresholds(analysis, draft)
    traffic.put_buffers(analysis, draft)
    traffic.put_watchdogs(analysis, draft)
    traffic.put_balancing(analysis, draft)
    _settle_thresholds(listed, draft)
    head = _head(analysis, draft)
    design, refused = _design(draft, head)
    if design is not None:
        put_overrides(design, listed, draft)
        design, refused = _design(draft, head)
    whole = not draft.incomplete and design is not None
    left_out = tuple(draft.left)
    if design is not None:
        for text in find_leftovers(design, listed, draft):
            draft.leave(text)
    return IntentDraft(text_of(draft, head), whole, left_out, tuple(refused))


def _head(analysis: Analysis, draft: Draft) -> list[str]:
    lines = [
        f"drafted by roce-lint {__version__} from a fabric that exists: what most ports do, with",
        "what is otherwise as overrides and the line each comes from. QUESTION: look at it.",
    ]
    for each in analysis.classes:
        said = [draft.line(where) for where in each.where[:1]]
        more = f", {said[0]}" if said and said[0] else ""
        lines.append(f"{each.name}: {each.basis.value}{more}")
    return lines


def _settle_thresholds(listed: DeviceEntries, draft: Draft) -> None:
    """See that each speed of each system has thresholds, where a class is marked."""
    classes = draft.tree.get("classes", {})
    if not any(each["marked"] for each in classes.values()):
        draft.drop(("marking",))
        return
    needed = set()
    for name, unit, speed in _speeds(draft):
        if name in listed.switches:
            needed.add((speed, unit))
    lacking = traffic.complete_thresholds(draft, needed)
    kept = {unit for _, unit in needed} - lacking
    if lacking and not kept:
        for name, each in classes.items():
            if each["marked"]:
                each["marked"] = False
                draft.note(("classes", name), "QUESTION: it is marked; by which thresholds?")
        draft.drop(("marking",))
        return
    for name in list(draft.tree.get("fabric", {}).get("devices", {})):
        unit = _unit(draft, name)
        if unit in lacking:
            draft.leave(f"{name}: nothing tells marking thresholds in {unit}")
            _drop_device(draft, name)


def _unit(draft: Draft, name: str) -> str:
    offer = all_nos()[draft.tree["fabric"]["devices"][name]["nos"]].offer
    return traffic.UNITS.get(offer.unit, "") if offer is not None else ""


def _speeds(draft: Draft) -> list[tuple[str, str, float]]:
    """Each switch that has a port of a speed, with the unit in which it states thresholds."""
    fabric = draft.tree.get("fabric", {})
    devices, found = fabric.get("devices", {}), []
    for entry in fabric.get("links", []):
        for end in ("a", "b"):
            name = entry[end].partition(":")[0]
            if name in devices:
                found.append((name, _unit(draft, name), entry["speed_gbps"]))
    for name, made in devices.items():
        ports = made.get("ports", {}).values()
        found += [(name, _unit(draft, name), port["speed_gbps"]) for port in ports]
    return found


def _drop_device(draft: Draft, name: str) -> None:
    draft.drop(("fabric", "devices", name))
    _drop_links(draft, lambda entry: name not in {entry[end].partition(":")[0] for end in "ab"})


def _drop_links(draft: Draft, keep: Callable[[dict[str, Any]], bool]) -> None:
    links = [entry for entry in draft.tree.get("fabric", {}).get("links", []) if keep(entry)]
    if links:
        draft.put(("fabric", "links"), links)
    else:
        draft.drop(("fabric", "links"))


def _design(draft: Draft, head: list[str]) -> tuple[Design | None, list[str]]:
    """The design of a draft, once what cannot be met is taken out of it, and told."""
    said: list[str] = []
    for _ in range(ROUNDS):
        wanting, faults = Refusals(), faults_of(draft.tree)
        if not faults:
            design = try_design(of_text(text_of(draft, head), Path("intent.yaml")), wanting)
            if design is not None:
                return design, []
            faults = list(wanting.found)
        said = [each.message for each in faults]
        if not _take_all_out(draft, faults):
            break
    draft.incomplete = True
    return None, said


def _take_all_out(draft: Draft, faults: list[Refusal]) -> bool:
    """Take out all wishes that are refused: of a list the last first, and each entry once."""
    places: dict[Loc, Refusal] = {}
    for each in faults:
        numbers = [n for n, key in enumerate(each.keys) if isinstance(key, int)]
        place = each.keys[: numbers[0] + 1] if numbers else each.keys
        places.setdefault(place, each)
    order = sorted(places, key=_number)
    done = [_take_out(draft, places[place]) for place in reversed(order)]
    return all(done)


def _number(place: Loc) -> int:
    """Of an entry of a list, where it stands there; a refusal of the whole has no place at all."""
    last = place[-1] if place else None
    return last if isinstance(last, int) else -1


def _take_out(draft: Draft, refusal: Refusal) -> bool:
    """Take a wish that is refused out of a draft; False where a design cannot do without it."""
    keys: Loc = refusal.keys
    match keys:
        case ("fabric", "links", int(number), *_):
            links = draft.tree["fabric"]["links"]
            gone = links[number]
            draft.leave(f"the link {gone['a']} to {gone['b']}: {refusal.message}")
            _drop_links(draft, lambda entry: entry is not gone)
            return True
        case ("fabric", "devices", str(name), "asn", *_):
            taken = draft.drop(("fabric", "devices", name, "asn"))
        case ("fabric", "devices", str(name), *_):
            taken = name in draft.tree["fabric"].get("devices", {})
            _drop_device(draft, name)
        case ("watchdog" | "overrides" | "addressing" | "balancing" | "mtu", *_):
            taken = draft.drop(keys)
        case ("buffers",):
            taken = draft.drop(keys)
        case ("marking" | "buffers" as name, int(number), *_):
            entries = draft.tree[name]
            taken = number < len(entries)
            draft.put((name,), [each for n, each in enumerate(entries) if n != number])
        case _:
            return False
    if taken:
        draft.leave(f"{'.'.join(map(str, keys))}: {refusal.message}")
    return taken
