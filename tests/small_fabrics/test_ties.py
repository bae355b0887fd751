"""As many switches protect one DSCP as another: one warning, and no side is at fault."""

from __future__ import annotations

import itertools

import pytest

from tests.bench import check, edit
from tests.fabrics.mixed import KINDS
from tests.fabrics.stable import build, switches
from tests.sampling import sampled
from tests.small_fabrics.rows import NO_PAUSE_SONIC, NO_WATCHDOG, Edit, observed
from tests.small_fabrics.rows_of_classes import NO_PAUSE_EOS, NO_PAUSE_NXOS

NAMED = {
    "aoscx": "dscp-map {} local",
    "comware": "import {} export 3",
    "eos": "qos map dscp {} to",
    "esonic": " dscp {} traffic-class 3",
    "iosxr": "match dscp {}\n",
    "junos": "code-points {:06b}",
    "nxos": "match dscp {}\n",
    "os10": "qos-group 3 dscp {}",
    "sonic": '"{}": "3"',
    "srlinux": "dscp {} forwarding-class fc3",
    "vrp": "ip-dscp-inbound {} phb",
}
MARKS_ALONE = {
    "eos": NO_PAUSE_EOS,
    "nxos": NO_PAUSE_NXOS,
    "sonic": (*NO_PAUSE_SONIC, *NO_WATCHDOG),
}
CASES = [
    *itertools.product(sorted(NAMED), (2, 4), ((34, 35), (20, 21)), (False,)),
    *itertools.product(sorted(MARKS_ALONE), (2, 4), ((34, 35), (20, 21)), (True,)),
]


def renamed(nos: str, dscp: int) -> tuple[Edit, ...]:
    if nos == "junos":
        return (("011010", f"{dscp:06b}"),)
    if nos == "sonic":
        table = f'"{dscp}": "{{}}",\n   "{dscp + 1}"'
        return (('"26": "3"', '"26": "0"'), (table.format(0), table.format(3)))
    return ((NAMED[nos].format(26), NAMED[nos].format(dscp)),)


@pytest.mark.parametrize("case", sampled(CASES, 8, lambda case: (case[1], case[3])), ids=str)
def test_a_tie_is_one_warning(case: tuple[str, int, tuple[int, int], bool]) -> None:
    nos, number, sides, marks = case
    files = build([nos] * number)
    for place, name in enumerate(switches(files).values()):
        files = edit(files, name, *renamed(nos, sides[2 * place // number]), every=True)
        files = edit(files, name, *(MARKS_ALONE[nos] if marks else ()), every=True)
    report = check(files)
    found = [severity for severity, _ in observed(report) if not severity.startswith("info")]
    assert found == ["warning CLS020"]
    assert [traffic.name for traffic in report.classes] == [f"RoCE DSCP {sides[0]}-{sides[1]}"]


def test_every_system_is_here() -> None:
    """Except Cumulus Linux, which has the DSCPs of a whole class selector in one class."""
    assert NAMED.keys() | {"cumulus"} == KINDS.keys()
