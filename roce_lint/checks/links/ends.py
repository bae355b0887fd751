"""Settings that have to match at both ends of a cable and on all members of a channel."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator
from typing import Literal

from roce_lint.analysis.cable import contradict
from roce_lint.analysis.equal_switches import legs_of_bonds
from roce_lint.analysis.port_parts import link_note, needs, ports_like, turn_of
from roce_lint.analysis.result import Analysis, JudgedPort, RoceClass
from roce_lint.engine.api import Given, Outcome, Problem, Unknown, at_port, fabric_check, link_check
from roce_lint.model.fabric import Endpoint, Fabric, Link
from roce_lint.model.interface import Fec, Interface
from roce_lint.model.units import spell_speed
from roce_lint.text.source import Origin, Where

_FEC_WORDS = {Fec.NONE: "no FEC", Fec.RS: "Reed-Solomon FEC", Fec.FC: "fire-code FEC"}

Field = Literal["speed_gbps", "fec"]


@link_check("links.ends_incompatible")
def speed_or_fec_differing_on_link(link: Link, given: Given) -> Iterator[Outcome]:
    """Ends of a link with different configured speed or FEC."""
    analysis = given.analysis
    if any(analysis.port(*end.key) is None for end in link.ends):
        return
    if any(end.interface.autoneg for end in link.ends):
        return  # the configured values are not those negotiated
    fields: tuple[Field, ...] = ("speed_gbps", "fec")
    for field in fields:
        runs = [end.interface for end in link.ends if end.interface.live_gbps]
        if field == "speed_gbps" and any(port.autoneg is not False for port in runs):
            continue  # the link is up: LNK011 compares its speed
        mine, theirs = (_value_in_line(end.interface, field) for end in link.ends)
        if mine is None or theirs is None or mine == theirs:
            continue
        odd = _rarer(analysis, link, field)
        other = link.other(odd)
        what = _spell(odd.interface, field)
        yield Problem(
            f"{odd} is set to {what}, its peer {other} to {_spell(other.interface, field)}",
            "the link does not come up: traffic takes the remaining paths, or none",
            [odd.interface.where(field), other.interface.where(field)],
            *at_port(odd),
            value="/".join(_value(end.interface, field) for end in (odd, other)),
            assumed=link_note(assumed=link.assumed),
            changes=needs(odd, {"fec": Fec.RS}) if other.interface.fec is Fec.RS else (),
            compares=True,
        )
        return  # the FEC follows the actual speed


@link_check("links.live_speed_below_configured")
def live_speed_below_configured(link: Link, given: Given) -> Iterator[Outcome]:
    """A link that runs below its planned speed, or not at the speed configured at its peer."""
    for end in link.ends:
        live, other = end.interface.live_gbps, link.other(end)
        if live is None or given.analysis.port(*end.key) is None:
            continue
        expected = other.interface.speed_gbps if other.interface.live_gbps is None else None
        fixed = other.interface.autoneg is False or not other.interface.stated("autoneg")
        where = other.interface.where("speed_gbps")
        by = f"its peer {other} is set to"
        if link.speed_gbps is not None and link.where:
            expected, where, by, fixed = link.speed_gbps, link.where[0], "the plan states", False
        elif end.interface.autoneg is False and fixed:
            continue  # both are set: LNK002
        if expected is None or where.origin is not Origin.STATED or live == expected:
            continue
        above = live > expected
        if above and not fixed:
            continue
        yield Problem(
            f"{end} runs at {spell_speed(live)}, but {by} {spell_speed(expected)}",
            "both cannot be true: one value is outdated or of another link"
            if above
            else "the link carries less than intended: it congests first and slows down all others",
            [end.interface.where("live_gbps"), where],
            *at_port(end),
            value=f"{live:g}/{expected:g}",
            assumed=link_note(assumed=link.assumed),
        )


PAM4_LANE = 50.0
"""Gb/s of a lane from which it uses PAM4 and requires Reed-Solomon FEC (IEEE 802.3cd)."""

PAM4_ALWAYS = 400.0
"""Gb/s of a port from which its lanes use PAM4, whatever their number."""


@link_check("links.no_fec_on_pam4")
def fec_required_but_off(link: Link, given: Given) -> Iterator[Outcome]:
    """A PAM4 link with FEC off at both ends."""
    analysis = given.analysis
    if any(analysis.port(*end.key) is None for end in link.ends):
        return
    if any(_value_in_line(end.interface, "fec") is not Fec.NONE for end in link.ends):
        return
    a, b = link.ends
    gbps = min((end.interface.speed_gbps or 0 for end in link.ends), key=lambda n: n or 1e9)
    lanes = a.interface.lanes or b.interface.lanes
    if gbps == 0 or (PAM4_LANE <= gbps < PAM4_ALWAYS and not lanes):
        missing = "the speed and lane count of a link without FEC"
        yield Unknown(missing, [a.interface.where("fec")], *at_port(a))
        return
    if gbps < PAM4_ALWAYS and gbps / (lanes or 1) < PAM4_LANE:
        return
    yield Problem(
        f"{a} and {b} have FEC off at {spell_speed(gbps)}",
        "lanes of 50G and more require FEC: the link does not come up, or loses packets",
        [a.interface.where("fec"), b.interface.where("fec")],
        *at_port(a),
        value=f"{gbps:g}",
        assumed=link_note(assumed=link.assumed),
        changes=tuple(c for end in link.ends for c in needs(end, {"fec": Fec.RS})),
    )


@link_check("links.cable_lengths_differ")
def cable_length_differing_on_link(link: Link, given: Given) -> Iterator[Outcome]:
    """Ends of a cable that are configured with different lengths."""
    if link.cable_m is not None or any(given.analysis.port(*end.key) is None for end in link.ends):
        return  # BUF011 compares the ends with a planned length
    cables = given.analysis.cables
    lengths = [(length, end) for end in link.ends if (length := cables.length_at(end)) is not None]
    if len(lengths) != 2:
        return
    (short, near), (long, far) = sorted(lengths, key=lambda pair: pair[0].metres)
    if short.metres == long.metres or not contradict(short, near, long, far):
        return
    yield Problem(
        f"{near} is configured for {short.metres:g} m of cable, its peer {far} for "
        f"{long.metres:g} m",
        f"if {long.metres:g} m is right, the headroom of {near} is too small: in-flight packets "
        "after a pause are dropped",
        [short.where, long.where],
        *at_port(near),
        value=f"{short.metres:g}/{long.metres:g}",
        assumed=link_note(assumed=link.assumed),
    )


def _value_in_line(port: Interface, field: Field) -> Hashable:
    """Configured value of a field; None where it is missing or automatic."""
    value = getattr(port, field)
    return value if port.stated(field) and value is not Fec.AUTO else None


def _value(port: Interface, field: Field) -> str:
    """Value as it enters the fingerprint; it must not follow changes of the wording."""
    return _spell(port, field) if field == "fec" else f"{port.speed_gbps:g} Gb/s"


def _spell(port: Interface, field: Field) -> str:
    if field == "fec":
        return _FEC_WORDS.get(port.fec or Fec.NONE, "")
    return spell_speed(port.speed_gbps or 0)


def _rarer(analysis: Analysis, link: Link, field: Field) -> Endpoint:
    """End whose value is the rarer one among similar ports."""

    def share(end: Endpoint) -> float:
        ports = ports_like(analysis, end)
        same = [
            port
            for port in ports
            if _value_in_line(port, field) == _value_in_line(end.interface, field)
        ]
        return len(same) / len(ports)

    return min(link.ends, key=share)


@fabric_check("links.members_differ")
def channel_members_differing(fabric: Fabric, given: Given) -> Iterator[Outcome]:
    """Channel members that treat a RoCE class differently, or differing legs of a bond."""
    analysis = given.analysis
    channels: dict[tuple[str, str], list[JudgedPort]] = defaultdict(list)
    for port in analysis.ports:
        if port.interface.lag is not None:
            channels[port.device.hostname, port.interface.lag].append(port)
    for members in channels.values():
        for traffic in (*analysis.data_classes, *analysis.cnp_classes):
            treated = [(port, _steps(analysis, traffic, port)) for port in members]
            on = f"channel {members[0].interface.lag}"
            yield from _odd_members(treated, on, traffic.name)
    for legs in legs_of_bonds(analysis):
        mixed = len({leg.device.nos for leg in legs}) > 1
        settings = [(leg, _settings(leg)[mixed:]) for leg in legs]  # systems count MTUs differently
        yield from _odd_members(settings, "the bond")


Step = tuple[str, Hashable, Where | None]
"""Step of a class's treatment: words, value (None: unknown) and place.

The words enter the fingerprint: `_SHOWN` rewrites them for messages.
"""

_SHOWN = {
    "pauses": "sends PFC for",
    "does not pause": "does not send PFC for",
    "marks": "ECN-marks",
    "does not mark": "does not ECN-mark",
}


def _odd_members(
    treated: list[tuple[JudgedPort, list[Step]]], on: str, traffic: str = ""
) -> Iterator[Outcome]:
    """Members that differ from most, each at the first differing step."""
    reported: set[tuple[str, str]] = set()
    for steps in zip(*(steps for _, steps in treated), strict=True):
        known = Counter(value for _, value, _ in steps if value is not None)
        if len(known) < 2:
            continue
        usual = known.most_common(1)[0][0]
        like, example = next(
            (port, step) for (port, _), step in zip(treated, steps, strict=True) if step[1] == usual
        )
        for (port, _), (words, value, place) in zip(treated, steps, strict=True):
            if value in (None, usual) or port.key in reported:
                continue
            reported.add(port.key)
            yield Problem(
                f"{port} {_shown(words, traffic)}; "
                f"{like.interface.name if like.device is port.device else like} of {on} "
                f"{_shown(example[0])}",
                f"the treatment of {traffic or 'traffic'} depends on the member chosen by the hash",
                [where for where in (place, example[2]) if where is not None],
                *at_port(port),
                value=f"{words}/{example[0]}",
                traffic=traffic,
                compares=not traffic,
            )


def _shown(words: str, traffic: str = "") -> str:
    """Words of a step as a message shows them; `traffic` replaces the pronoun."""
    verb, it, rest = words.replace("share, ", "share ").partition(" it")
    return f"{_SHOWN.get(verb, verb)}{f' {traffic}' if it and traffic else it}{rest}"


def _settings(leg: JudgedPort) -> list[Step]:
    """Settings that both legs of a bond have to share, besides class treatment."""
    port = leg.interface
    return [
        (f"has an MTU of {port.ip_mtu}", port.ip_mtu, port.where("ip_mtu")),
        (f"is {'' if port.routed else 'not '}routed", port.routed, port.where("routed")),
        (f"is in VLAN {port.untagged_vlan}", port.untagged_vlan, port.where("untagged_vlan")),
    ]


def _steps(analysis: Analysis, traffic: RoceClass, port: JudgedPort) -> list[Step]:
    found = analysis.treat(port, traffic.dscps[0])
    into, out = found.ingress, found.egress
    scheduler, served = out.scheduler, None
    if scheduler is not None:
        served = scheduler.where("share" if scheduler.share is not None else "kind")
    priority = into.priority if into.lossless else None  # irrelevant without PFC
    return [
        (f"puts it into class {into.tc_name}", into.tc, into.tc_where[0]),
        (
            f"{'pauses' if into.lossless else 'does not pause'} it",
            into.lossless,
            into.lossless_where,
        ),
        (f"pauses it with priority {into.priority}", priority, into.priority_where),
        (f"sends it by queue {out.queue}", out.queue, out.queue_where),
        (f"{'marks' if out.marks else 'does not mark'} it", out.marks, out.marks_where),
        (f"serves it {turn_of(scheduler)}", turn_of(scheduler) or None, served),
    ]
