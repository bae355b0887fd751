"""Code point to switch priority, switch priority to queue, and rewriting."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from roce_lint.model.qos import Classifier, CodeMap, Forwarding, Rewrite, Trust
from roce_lint.model.units import PRIORITIES
from roce_lint.nos.cumulus import defaults
from roce_lint.nos.cumulus.context import Context
from roce_lint.nos.cumulus.roce import PLAIN
from roce_lint.nos.cumulus.statements import GLOBAL, View
from roce_lint.nos.quantities import enter
from roce_lint.nos.reading import Value

HIGHEST_DSCP = 63
HIGHEST_PRIORITY = 7

TRUSTS = {"l2": Trust.PCP, "l3": Trust.DSCP, "both": Trust.BOTH, "port": Trust.NONE}
REWRITES_DSCP = {"l2": False, "l3": True, "both": True, "none": False}


class MappingReader:
    """Builds each classifier once, and the trust of ports with it."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.trusts: dict[str, Value[Trust]] = {}
        self.untagged: dict[str, tuple[Value[int], Value[int]]] = {}

    def classifier(self, name: str) -> str:
        """Key of a profile's classifier; none for an undefined profile."""
        context = self.context
        classifiers = context.device.qos.classifiers
        if name in classifiers:
            return name
        view = context.profile("mapping", name)
        if not view and name != GLOBAL:
            return name
        self.trusts[name] = self._trust(name, view)
        begin, dscps = context.begin(view), self._dscps(name, view)
        pcps = _table(context, begin, _SAME, context.default(defaults.PCP_IDENTITY))
        made = context.reading.build(
            Classifier,
            begin,
            name=name,
            dscp_to_tc=dscps,
            pcp_to_tc=self._entries(pcps, view, "pcp", HIGHEST_PRIORITY),
            builtin=not begin,
        )
        classifiers[name] = made
        self.untagged[name] = self._untagged_defaults(view, made.pcp_to_tc)
        return name

    def _trust(self, name: str, view: View) -> Value[Trust]:
        """Trust of the profile, else of the defaults (those without roce for a named profile)."""
        context = self.context
        stated = view.choice(TRUSTS, "trust")
        if stated.position:
            return stated
        if name != GLOBAL:
            return Value(PLAIN.trust, context.default(defaults.PROFILE_REST))
        if context.base is None:
            return Value(None)
        return Value(context.base.trust, context.cite("trust"))

    def _dscps(self, name: str, view: View) -> CodeMap:
        context = self.context
        base, position = context.base, context.cite("dscp")
        if name != GLOBAL:
            base, position = PLAIN, context.default(defaults.PROFILE_REST)
        usual = _table(context, context.begin(view), base.dscps if base else {}, position)
        return self._entries(usual, view, "dscp", HIGHEST_DSCP)

    def _entries(self, made: CodeMap, view: View, word: str, highest: int) -> CodeMap:
        """Overlay the stated entries on the defaults; a wrong entry makes its value unknown."""
        for number, entry in view.views_by_number(word, highest).items():
            value = entry.integer("switch-priority", high=HIGHEST_PRIORITY)
            enter(made, number, value)
            if value.value is None and value.position:
                made.entries.pop(number, None)
                made.at[number] = value.position
        return made

    def _untagged_defaults(self, view: View, pcps: CodeMap) -> tuple[Value[int], Value[int]]:
        """802.1p priority and switch priority of packets without a trusted header field."""
        stated = view.integer("port-default-sp", high=HIGHEST_PRIORITY)
        priority = stated.stated_or(self.context.reading.default(defaults.PORT_DEFAULT_SP))
        same = [pcp for pcp, target in pcps.entries.items() if target == priority.value]
        return Value(same[0] if same else None, priority.position), priority


_SAME = {number: number for number in PRIORITIES}


def _table(context: Context, begin: int, usual: Mapping[int, int], position: int) -> CodeMap:
    """A map with default entries, all with one citation."""
    at: dict[Hashable, int] = {"": begin, **dict.fromkeys(usual, position)}
    return CodeMap(src=context.reading.src, at=at, entries=dict(usual))


def read_forwarding(context: Context) -> str | None:
    """The one forwarding of the switch, as only `default-global` exists; None if unknown."""
    view = context.profile("egress-queue-mapping", GLOBAL)
    if not view and context.base is None:
        return None
    reading, begin = context.reading, context.begin(view)
    implied = context.base.queues if context.base is not None else {}
    queues = _table(context, begin, implied, context.cite("queue"))
    for number, entry in view.views_by_number("switch-priority", HIGHEST_PRIORITY).items():
        queue = entry.integer("traffic-class", high=HIGHEST_PRIORITY)
        enter(queues, number, queue)
        if queue.value is None and queue.position:
            queues.entries.pop(number, None)
    priorities = _table(context, begin, _SAME, context.default(defaults.PAUSE_PRIORITY))
    context.device.qos.forwardings[GLOBAL] = reading.build(
        Forwarding,
        begin,
        name=GLOBAL,
        tc_to_queue=queues,
        tc_to_pfc_priority=priorities,
        pfc_priority_to_queue=queues,
    )
    return GLOBAL


def rewrites(context: Context, used: set[str]) -> None:
    """Build the rewrites of the `used` profiles.

    The flag applies at the ingress port, the map at the egress port. So a map is certain to act
    only if every port has the flag.
    """
    flags: dict[str, Value[bool]] = {}
    what, change = "one of l2, l3, both", REWRITES_DSCP.__getitem__
    for name in sorted(used):
        view = context.profile("remark", name)
        flags[name] = view.convert(view.word("rewrite"), change, what)
    flagged = {bool(flag.value) for flag in flags.values()}
    active = flagged.pop() if len(flagged) == 1 else None
    for name in sorted(used):
        view = context.profile("remark", name)
        if view:
            place = flags[name].position or max(flag.position for flag in flags.values())
            context.device.qos.rewrites[name] = _rewrite(context, name, view, Value(active, place))


def read_remark(view: View) -> dict[int, Value[int]]:
    """DSCP by switch priority of one profile; the 802.1p map is read and not used."""
    found = {}
    for number, entry in view.views_by_number("switch-priority", HIGHEST_PRIORITY).items():
        entry.integer("pcp", high=HIGHEST_PRIORITY)
        found[number] = entry.integer("dscp", high=HIGHEST_DSCP)
    view.word("rewrite")
    return found


def _rewrite(context: Context, name: str, view: View, active: Value[bool]) -> Rewrite:
    implied = {number: 8 * number for number in PRIORITIES} if active.value else {}
    table = _table(context, view.begin, implied, context.default(defaults.REWRITTEN_DSCP))
    for number, dscp in read_remark(view).items():
        enter(table, number, dscp)
    return context.reading.build(
        Rewrite, view.begin, name=name, tc_to_dscp=table, active=active, on_trusted=True
    )
