"""Priority maps of Comware switches: DSCP to 802.1p priority to local precedence."""

from __future__ import annotations

from roce_lint.model.qos import Classifier, Forwarding
from roce_lint.model.units import DSCPS, PRIORITIES
from roce_lint.nos.comware import defaults
from roce_lint.nos.quantities import (
    by_values,
    code_map,
    inverse,
    read_numbers,
    same,
    upto,
    whole,
    write_ranges,
)
from roce_lint.nos.reading import Reader, Reading, Value
from roce_lint.nos.stanzas import CONFIG

LOCAL = (2, 0, 1, 3, 4, 5, 6, 7)
"""Local precedence of each 802.1p priority unless a line states another."""

KEPT = 24
"""From this DSCP on, dot1p-lp and the dscp-lp table of other models give the same result."""

Entries = dict[int, Value[int]]


def tables(reading: Reading) -> dict[str, Entries]:
    """The stated entries of every map table."""
    found = reading.merge(CONFIG, "map_table", "table")
    return {name: _entries(name, reader) for name, reader in found}


def classifier(reading: Reading, begin: int, stated: dict[str, Entries]) -> Classifier:
    """Classifier of ports that trust; the same for all of them."""
    local = local_precedences(reading, stated)
    at = reading.default(defaults.DSCP_TO_DOT1P).position
    dot1p: Entries = {code: Value(code >> 3, at) for code in DSCPS}
    dot1p |= stated.get("dscp-dot1p", {})
    dscp = {code: _through(value, local) for code, value in dot1p.items()}
    direct = stated.get("dscp-lp")
    if direct:  # a model that does not go by way of 802.1p
        dscp = {code: value for code, value in dscp.items() if code >= KEPT} | direct
    return reading.build(
        Classifier,
        begin,
        name="maps",
        builtin=not stated,
        dscp_to_tc=code_map(reading, begin, dscp),
        pcp_to_tc=code_map(reading, begin, local),
    )


def forwarding(reading: Reading, begin: int, stated: dict[str, Entries]) -> Forwarding | None:
    """Queue and PFC priority of each local precedence; None if two priorities share one.

    The PFC priority is the 802.1p priority that maps to the local precedence.
    """
    local = local_precedences(reading, stated)
    priority = inverse(local)
    if len(priority) < len(PRIORITIES):
        return None
    return reading.build(
        Forwarding,
        begin,
        name="maps",
        tc_to_queue=same(reading, begin, defaults.LP_IS_QUEUE, PRIORITIES),
        tc_to_pg=code_map(reading, begin, priority),
        tc_to_pfc_priority=code_map(reading, begin, priority),
        pfc_priority_to_queue=code_map(reading, begin, local),
    )


def local_precedences(reading: Reading, stated: dict[str, Entries]) -> Entries:
    """Local precedence by 802.1p priority."""
    high = reading.default(defaults.HIGH_TO_LP).position
    low = reading.default(defaults.LOW_TO_LP).position
    default: Entries = {
        code: Value(local, high if code == local else low) for code, local in enumerate(LOCAL)
    }
    return default | stated.get("dot1p-lp", {})


def _through(first: Value[int], table: Entries) -> Value[int]:
    """A value looked up in a second table, with the second table's line if that is stated or
    changes the value, else with the line of the first.
    """
    if first.value is None:
        return first
    second = table[first.value]
    decides = second.position > 0 or second.value != first.value
    return Value(second.value, second.position if decides else first.position)


def _entries(name: str, reader: Reader) -> Entries:
    reader.take()
    reader.text("table")
    left, _, right = name.partition("-")
    lines = []
    for entry in reader.children("entry"):
        text = entry.text("codes").map(write_ranges)
        highest = 63 if left == "dscp" else 7
        codes = read_numbers(reader.reading, text, upto(highest), "a list of code points", left)
        value = whole(entry, entry.text("value"), 63 if right == "dscp" else 7, right)
        lines.append((codes, value))
    return by_values(lines)
