"""Implied settings of `qos roce` by mode and release, and the defaults without it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from roce_lint.model.qos import Trust
from roce_lint.model.units import DSCPS, PRIORITIES
from roce_lint.nos.cumulus.statements import SHOWN, View
from roce_lint.nos.declare import Default
from roce_lint.nos.reading import Value
from roce_lint.nos.refusals import Words
from roce_lint.text.numbers import whole_of
from roce_lint.text.source import Confidence

_PAGE = "docs/nos/cumulus.md#what-the-device-refuses"

STRICT = -1
"""Marks strict priority in place of a share."""


@dataclass(frozen=True)
class Marks:
    """ECN marking of a queue: thresholds in bytes, probability in percent."""

    low: int
    high: int
    percent: float


@dataclass(frozen=True)
class Base:
    """A set of QoS defaults: one mode of `qos roce`, or none. None means unknown.

    `dscps` has the switch priority of each certain DSCP; the rest are unknown. `says` describes
    each feature for its citation, one of `defaults`; `anchor` is the heading with the source.
    """

    name: str
    anchor: str
    says: Mapping[str, str]
    trust: Trust
    dscps: Mapping[int, int]
    queues: Mapping[int, int]
    shares: Mapping[int, float]
    marks: Mapping[int, Marks]
    paused: frozenset[int] = frozenset()
    cable_m: float | None = None
    share_is_weight: bool = False
    paused_everywhere: bool = True
    confidence: Confidence = Confidence.CONFIRMED
    defaults: Mapping[str, Default] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        source = f"docs/nos/cumulus.md#{self.anchor}"
        defaults = {
            feature: Default(
                self.name, f"Cumulus Linux {self.name}: {text}", source, self.confidence
            )
            for feature, text in self.says.items()
        }
        object.__setattr__(self, "defaults", defaults)


_BY_EIGHT = {dscp: dscp // 8 for dscp in DSCPS}
_IDENTITY = {number: number for number in PRIORITIES}

LOSSLESS = Base(
    name="with roce mode lossless",
    anchor="roce",
    says={
        "trust": "DSCP and 802.1p are trusted",
        "dscp": "the switch priority is the DSCP divided by 8",
        "queue": "switch priority 3 goes to queue 3, 6 to queue 6, all others to queue 0",
        "share": "queue 6 is strict, queues 3 and 0 have 50 percent each, others nothing",
        "marking": "queues 0 and 3 mark from 150000 to 1500000 bytes, probability 100;"
        " others do not",
        "pfc": "PFC sends and obeys pause for switch priority 3",
        "cable": "PFC headroom is for 100 m of cable",
    },
    trust=Trust.BOTH,
    dscps=_BY_EIGHT,
    queues=dict.fromkeys(PRIORITIES, 0) | {3: 3, 6: 6},
    shares=dict.fromkeys(PRIORITIES, 0.0) | {0: 50.0, 3: 50.0, 6: STRICT},
    marks=dict.fromkeys((0, 3), Marks(150_000, 1_500_000, 100)),
    paused=frozenset({3}),
    cable_m=100.0,
)
SINGLE_POOL = replace(LOSSLESS, name="with roce mode lossless-single-ipool")
_NO_PFC = {"pfc": "no PFC", "cable": "no PFC"}
LOSSY = replace(
    LOSSLESS,
    name="with roce mode lossy",
    says={**LOSSLESS.says, **_NO_PFC},
    paused=frozenset(),
    cable_m=None,
)

_UNSURE = range(41, 51)
"""DSCPs that the guides of 5.14 and 5.16 map to different switch priorities."""

MULTI_TC = Base(
    name="with roce mode lossy-multi-tc",
    anchor="roce",
    says={
        "trust": "DSCP and 802.1p are trusted",
        "dscp": "DSCP 1-2, 3-4, 5-6, 11-40 have switch priority 1, 2, 3, 4 (from 5.16 on 41-50: 5)",
        "queue": "each switch priority has the queue of its number",
        "share": "queues 0 to 7 have 4, 8, 18, 22, 22, 22, 4 and 0 percent",
        "marking": "queues 1 to 3 mark from 163 to 234 KB, probability 5; others do not",
        **_NO_PFC,
    },
    trust=Trust.BOTH,
    dscps=dict.fromkeys((1, 2), 1)
    | dict.fromkeys((3, 4), 2)
    | dict.fromkeys((5, 6), 3)
    | dict.fromkeys(range(11, 41), 4)
    | dict.fromkeys((0, *range(7, 11), *range(51, 64)), 0),
    queues=_IDENTITY,
    shares=dict(enumerate((4.0, 8.0, 18.0, 22.0, 22.0, 22.0, 4.0, 0.0))),
    marks=dict.fromkeys((1, 2, 3), Marks(163 * 1024, 234 * 1024, 5)),
)
MULTI_TC_514 = replace(
    MULTI_TC,
    name="with roce mode lossy-multi-tc of 5.14",
    dscps={**MULTI_TC.dscps, **dict.fromkeys(_UNSURE, 0)},
)
MULTI_TC_516 = replace(
    MULTI_TC,
    name="with roce mode lossy-multi-tc from 5.16 on",
    dscps={**MULTI_TC.dscps, **dict.fromkeys(_UNSURE, 5)},
)

PLAIN = Base(
    name="without roce",
    anchor="without-roce",
    says={
        "trust": "only 802.1p is trusted",
        "dscp": "the switch priority is the DSCP divided by 8 where DSCP is trusted",
        "queue": "each switch priority has the queue of its number",
        "share": "even queues have 12 percent, odd ones 13",
        "marking": "queue 0 marks from 150000 to 1500000 bytes, probability 100; others do not",
        **_NO_PFC,
    },
    trust=Trust.PCP,
    dscps=_BY_EIGHT,
    queues=_IDENTITY,
    shares={n: 12.0 if n % 2 == 0 else 13.0 for n in PRIORITIES},
    marks={0: LOSSLESS.marks[0]},
)

STORAGE = Base(
    name="with storage-optimized",
    anchor="storage-optimized",
    says={
        "trust": "DSCP is trusted",
        "dscp": "DSCP 26 has switch priority 3, 48 has 2, all others 0",
        "queue": "each switch priority has the queue of its number",
        "share": "queue 2 is strict, all others have weight 16",
        "marking": "queue 3 marks from 153600 to 1536000 bytes, probability 100",
        "pfc": "PFC sends and obeys pause for switch priority 3 on ports with `pfc`",
        "cable": "no cable length",
    },
    trust=Trust.DSCP,
    dscps=dict.fromkeys(DSCPS, 0) | {26: 3, 48: 2},
    queues=_IDENTITY,
    shares=dict.fromkeys(PRIORITIES, 16.0) | {2: STRICT},
    marks={3: Marks(153_600, 1_536_000, 100)},
    paused=frozenset({3}),
    share_is_weight=True,
    paused_everywhere=False,
    confidence=Confidence.UNCONFIRMED,
)

BASES = (LOSSLESS, SINGLE_POOL, LOSSY, MULTI_TC, MULTI_TC_514, MULTI_TC_516, PLAIN, STORAGE)

MODES = {
    "lossless": LOSSLESS,
    "lossless-single-ipool": SINGLE_POOL,
    "lossy": LOSSY,
    "lossy-multi-tc": MULTI_TC,
}
UNKNOWN_MODES = ("dci-1", "dci-custom")
"""Modes of 5.18 that the guides read here do not describe."""


@dataclass(slots=True)
class RoceDefaults:
    """Defaults in force, and the line that selects them (0 for none)."""

    base: Base | None  # None: not known
    line: int = 0


def choose(qos: View, release: str | None, *, stated: bool) -> RoceDefaults:
    """Defaults selected by the statements below `qos`.

    `stated` False: no file that would hold QoS was read, so nothing is known without roce.
    """
    roce = qos.get("roce")
    if not roce:
        return RoceDefaults(PLAIN if stated else None)
    enabled = roce.enabled()
    mode = roce.word("mode")
    _of_another_release(qos, roce, mode, release)
    if enabled.value is False:
        return RoceDefaults(PLAIN, enabled.position)
    line = mode.position or enabled.position or roce.begin
    if mode.value is None:
        return RoceDefaults(LOSSLESS, line)
    if mode.value in UNKNOWN_MODES:
        return RoceDefaults(None, line)
    base = MODES.get(mode.value)
    if base is None:
        known = Words("roce mode", (*MODES, *UNKNOWN_MODES), _PAGE)
        qos.reading.refuse(known, mode.value[:SHOWN], line)
    elif base is MULTI_TC and release is not None:
        if (number := _number(release)) <= (5, 14):
            base = MULTI_TC_514
        elif number >= (5, 16):
            base = MULTI_TC_516
    return RoceDefaults(base, line)


SINCE = {"lossy-multi-tc": (5, 14), "dci-1": (5, 18), "dci-custom": (5, 18)}
"""First release of a mode; other modes are as old as the command, or unknown."""
STATE = (5, 15)
"""Release that renamed `enable on` to `state enabled`."""


def _of_another_release(qos: View, roce: View, mode: Value[str], release: str | None) -> None:
    """Note statements that the file's release does not support: the device refuses them."""
    if release is None:
        return
    number = _number(release)
    since = SINCE.get(mode.value or "", number)
    present = roce.next_words()
    position = 0
    if number < since:
        message = f"roce mode {mode.value} came with release {since[0]}.{since[1]}"
        position = mode.position
    elif "state" in present and number < STATE:
        message = "roce state came with release 5.15, before it is roce enable"
    elif "enable" in present and number >= STATE:
        message = "roce enable became roce state in release 5.15"
    else:
        return
    message += f"; the file is of {release}"
    qos.reading.bad(message, position or roce.enabled().position)


def _number(release: str) -> tuple[int, int]:
    major, minor = (whole_of(part) for part in release.split(".")[:2])
    return major, minor
