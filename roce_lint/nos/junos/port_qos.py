"""QoS of a port: the bindings of the port, its unit or its channel, as model objects."""

from __future__ import annotations

from collections.abc import Hashable

from roce_lint.model.qos import Classifier, CodeMap, Match, MatchKind, PortQos, QosObjects, Trust
from roce_lint.model.units import DSCPS, PRIORITIES
from roce_lint.nos.junos import defaults
from roce_lint.nos.junos.bindings import CLASS_SET, Bindings, PortBinding
from roce_lint.nos.junos.classes import (
    DSCP,
    PCP,
    UNPAUSED,
    Classes,
    Classifiers,
    CodeClass,
    CodePoints,
    Pair,
)
from roce_lint.nos.junos.context import Context
from roce_lint.nos.junos.filters import IN, OUT, FilterOutcome, Filters
from roce_lint.nos.junos.interfaces import Port
from roce_lint.nos.junos.naming import is_pattern, kind_of, place_of
from roce_lint.nos.junos.pause import (
    Forwardings,
    Pauses,
    Profile,
    missing_pause_line,
    read_profiles,
    unpaused_codes,
    unwatched,
)
from roce_lint.nos.junos.queues import Egress
from roce_lint.nos.junos.vlans import Vlans
from roce_lint.nos.reading import ABSENT, Value
from roce_lint.nos.statements import Branch
from roce_lint.text.statements import Word

PFC = "congestion-notification-profile"


class Binder:
    """Everything that ports refer to, read once; ports with the same bindings share QoS objects."""

    def __init__(self, context: Context, ports: dict[str, Port], vlans: Vlans) -> None:
        self.context = context
        self.ports = ports
        self.codes = CodePoints(context)
        self.classes = Classes(context)
        for name, branch in context.cos.get("forwarding-class-sets").pairs():
            context.reading.names.define(CLASS_SET, name, branch.begin)
        self.classifiers = Classifiers(context, self.classes, self.codes)
        self.rewrites = self.classifiers.rewrites()
        self.profiles = read_profiles(context, self.codes)
        self.forwardings = Forwardings(context, self.classes)
        self.egress = Egress(context, self.classes)
        self.bindings = Bindings(context)
        if not context.whole:
            self._make_bound_ports()
        self.filters = Filters(context, vlans, self.codes)
        self.made: dict[str, Classifier] = {}
        self._shared: dict[Hashable, PortQos] = {}
        entries = self.bindings.by_name.values()
        self._entries = frozenset(each.begin for each in entries if not is_pattern(each.name))
        names = [name.value or "" for each in entries for name in each.own.get(PFC, ())]
        self._pauses = Pauses(context, self.classes, self.classifiers, self.profiles, names)
        self._after: dict[tuple[int, str], CodeClass] = {}
        self._noted: set[tuple[str, int]] = set()

    def _make_bound_ports(self) -> None:
        """Create ports that a partial configuration names in `class-of-service` only."""
        for name, entry in self.bindings.by_name.items():
            if name not in self.ports and place_of(name) is not None:
                stanza = Branch(self.context.reading, Word(entry.begin))
                units = dict.fromkeys(entry.units, stanza)
                self.ports[name] = Port(name, kind_of(name), stanza, units)

    def bind(self, port: Port) -> PortQos:
        """QoS of a port; ports without their own entry share it if their bindings are the same."""
        own = self._binding(port)
        if not own.begin or port.lag or own.begin in self._entries:
            return self._bind(port, own)
        policers = self.filters.police(port, IN), self.filters.police(port, OUT)
        filtered = id(self.filters.deciding(port))
        key = (id(own), port.option("flow-control"), filtered, policers, port.is_untagged)
        made = self._shared.get(key)
        if made is None:
            made = self._shared[key] = self._bind(port, own)
        return made

    def _bind(self, port: Port, own: PortBinding) -> PortQos:
        """QoS of a port; a channel member has its channel's QoS and its own profile."""
        bound = own
        channel = self.ports.get(port.lag.value or "")
        if channel is not None:  # classifiers of the channel, else its own; no unit
            above = self._binding(channel)
            bound = PortBinding({**own.settings, **above.settings}, above.begin or own.begin)
        begin = own.begin or bound.begin or port.branch.begin
        if port.lag and channel is None:  # in a file that is not here
            return self.context.reading.build(PortQos, begin)
        profile = own.get(PFC) or bound.get(PFC)
        known = profile.value is None or profile.value in self.profiles
        paused = profile.value in self.profiles if profile else self.context.whole
        pauses = self.profiles.get(profile.value or "")
        kind, dscp = bound.kind("classifiers", DSCP)
        _, pcp = bound.kind("classifiers", PCP)
        pair = Pair(
            self.classifiers.get(kind, dscp.value or "") if dscp else None,
            self.classifiers.get(PCP[0], pcp.value or "") if pcp else None,
        )
        classifier, trust = self._classifier(port, dscp, pcp, pair, pauses)
        fixed = bound.get("forwarding-class")
        default_tc: Value[int] = ABSENT
        if fixed and not dscp and not pcp:
            given = self.classes.find(fixed)
            default_tc = Value(given.tc if given else None, fixed.position)
            trust, classifier = Value(Trust.NONE, fixed.position), ABSENT
        _, rewrite = bound.kind("rewrite-rules", DSCP)
        pcp_default = self.context.reading.default(defaults.UNTAGGED_PCP)
        watchdog = pauses.watchdog if pauses is not None else unwatched(self.context, begin)
        made = self.context.reading.build(
            PortQos,
            begin,
            trust=trust,
            classifier=classifier,
            forwarding=self.forwardings.of(pauses) if known else ABSENT,
            pfc=self._pauses.of(port, channel, profile, pair, begin) if paused else None,
            egress=self.egress.bind(self._maps(bound), bound.get("shaping-rate")),
            rewrite=rewrite if rewrite.value in self.rewrites else ABSENT,
            watchdog=watchdog if paused else None,
            default_pcp=pcp_default if pcp else ABSENT,
            default_tc=default_tc,
            policing=self.filters.police(channel or port, IN),
            policing_out=self.filters.police(channel or port, OUT),
        )
        gone = (maps for maps in self._maps(bound) if maps.value not in self.egress.maps)
        lost = next(gone, ABSENT)
        named = {"egress": lost, "classifier": dscp or pcp, "rewrite": rewrite, "pfc": profile}
        for word, name in named.items():
            if name and getattr(made, word) is None:
                made.at[word] = name.position  # its name is undefined
        return made

    def objects(self) -> QosObjects:
        """Named objects that ports refer to, and unbound classifiers."""
        for (kind, name), stated in self.classifiers.stated.items():
            if kind in DSCP and name not in self.made:
                self.made[name] = self._make(name, Pair(stated, None), None, [])
        return QosObjects(
            classifiers=self.made,
            forwardings=self.forwardings.made,
            egress=self.egress.policies,
            rewrites=self.rewrites,
            policing=self.filters.objects(),
            tc_names=self.classes.names(),
        )

    def _binding(self, port: Port) -> PortBinding:
        """Bindings of the port, and those of the unit with its traffic, if all units agree."""
        found = {id(bound): bound for bound in (self.bindings.of(port.name, n) for n in port.units)}
        if len(found) == 1:
            return next(iter(found.values()))
        own = self.bindings.of(port.name, None)
        if not found:
            return own
        first = next(iter(found.values()))
        common = {  # common to several units
            word: values
            for word, values in first.settings.items()
            if all(each.names(word) == first.names(word) for each in found.values())
        }
        return PortBinding({**common, **own.settings}, own.begin or first.begin)

    def _maps(self, bound: PortBinding) -> list[Value[str]]:
        """Scheduler maps of a port: its own, or those of its traffic control profiles."""
        stated = bound.all("scheduler-map")
        if stated:
            return stated
        found: list[Value[str]] = []
        for profile in bound.all("output-traffic-control-profile"):
            named = self.egress.profiles.get(profile.value or "", [profile])
            found += [Value(each.value, profile.position) for each in named]
        return found

    def _classifier(
        self, port: Port, dscp: Value[str], pcp: Value[str], pair: Pair, profile: Profile | None
    ) -> tuple[Value[str], Value[Trust]]:
        """Key of the classifier, and the field it uses."""
        default = self.context.reading.default
        if not dscp and not pcp:
            unit_only = port.lag and self.bindings.states_unit(port.name)
            if unit_only or not self.context.whole:
                return ABSENT, ABSENT  # whether it holds without a unit is not documented
            plain = default(defaults.CLASSIFIER)
            pair = Pair(self.classifiers.get("dscp", "default"), None)
            key = self._key(str(plain.value), pair, profile, port)
            return Value(key, plain.position), default(defaults.TRUST)
        trust = Trust.BOTH if dscp and pcp else Trust.DSCP if dscp else Trust.PCP
        first = dscp or pcp
        looks = Value(trust, first.position)
        if (dscp and pair.by_dscp is None) or (pcp and pair.by_pcp is None):
            return ABSENT, looks  # undefined, which is reported, or not here
        name = " + ".join([dscp.value or ""] * bool(dscp) + [f"{pcp.value} (802.1p)"] * bool(pcp))
        key = self._key(name, pair, profile, port)
        return Value(key, first.position), looks

    def _key(self, name: str, pair: Pair, profile: Profile | None, port: Port) -> str:
        """Key of the classifier of a port with this profile; created on first use."""
        by_dscp, by_pcp = pair
        decided = self.filters.deciding(port)
        if decided is not None and decided.exact and by_dscp is not None:
            after = (id(by_dscp), decided.name)
            if after not in self._after:
                self._after[after] = self._apply_filters(by_dscp, decided)
            by_dscp = self._after[after]
        if profile is not None and profile.dscps and by_dscp is not None:
            if unpaused_codes(by_dscp, profile):
                name += f" with {profile.name}"
            if by_dscp.name != "default" and decided is None:
                self._compare(by_dscp, profile)
        else:
            profile = None
        if decided is not None:
            name += f" and filter {decided.name}"
        if name not in self.made:
            pair = Pair(by_dscp, by_pcp)
            self.made[name] = self._make(name, pair, profile, self._unsure(decided, pair))
        return name

    def _unsure(self, decided: FilterOutcome | None, pair: Pair) -> list[Match]:
        """Possible exceptions to the classification by DSCP: filters with unknown effects, and the
        802.1p classifier, which applies to tagged packets.
        """
        build, begin = self.context.reading.build, self.context.begin
        unsure = []
        if decided is not None and not decided.exact:
            text = f"filter {decided.name}"
            unsure.append(build(Match, begin, kind=MatchKind.OTHER, text=text))
        if pair.by_dscp is not None and pair.by_pcp is not None:
            tagged = frozenset(PRIORITIES[1:])
            text, begin = f"of classifier {pair.by_pcp.name}", pair.by_pcp.begin
            unsure.append(build(Match, begin, kind=MatchKind.PCP, text=text, values=tagged))
        return unsure

    def _apply_filters(self, by_dscp: CodeClass, decided: FilterOutcome) -> CodeClass:
        """A classifier with the overrides of filters."""
        made = CodeClass(
            f"{by_dscp.name} and filter {decided.name}",
            by_dscp.begin,
            {code: n for code, n in by_dscp.classes.items() if code not in decided.unclear},
            {**by_dscp.undefined, **decided.unclear},
            by_dscp.matches,
        )
        for code, name in decided.classes.items():
            named = self.classes.find(name)
            made.undefined.pop(code, None)
            if named is None:
                made.undefined[code] = name.position
                made.classes.pop(code, None)
            else:
                made.classes[code] = (named, name.position)
        return made

    def _make(
        self, name: str, pair: Pair, profile: Profile | None, unsure: list[Match]
    ) -> Classifier:
        by_dscp, by_pcp = pair
        first = by_dscp or by_pcp
        builtin = first is not None and first.name == "default"
        rest = self.classifiers.rest(defaults.CLASSIFIER if builtin else defaults.NOT_NAMED)
        empty = CodeMap(src=self.context.reading.src)
        table = by_dscp.code_map(DSCPS, rest, self.context) if by_dscp else empty
        if by_dscp is not None and profile is not None:
            place = missing_pause_line(by_dscp, profile)
            for code in unpaused_codes(by_dscp, profile):
                table.entries[code] += UNPAUSED
                table.at[code] = place
        return self.context.reading.build(
            Classifier,
            first.begin if first else self.context.begin,
            name=name,
            matches=[*unsure, *(first.matches if first is not None else ())],
            dscp_to_tc=table,
            pcp_to_tc=by_pcp.code_map(PRIORITIES, rest, self.context) if by_pcp else empty,
            exact=not unsure,
            builtin=builtin,
        )

    def _compare(self, by_dscp: CodeClass, profile: Profile) -> None:
        """Note PFC for a code point outside the lossless classes.

        The probable cause is the only line of lossless code points without PFC, else that of a
        lossless class without code points.
        """
        odd = list({by_dscp.classes[code][1]: None for code in unpaused_codes(by_dscp, profile)})
        odd = odd if len(odd) == 1 else by_dscp.empty[:1]
        for code, paused in profile.dscps.items():
            entry = by_dscp.classes.get(code)
            if code in by_dscp.undefined or (entry and entry[0].name in self.classes.doubtful):
                continue  # noted for the class
            known = (profile.name, code) in self._noted
            if not known and (entry is None or entry[0].priority.value is None):
                self._noted.add((profile.name, code))
                where = f"class {entry[0].name}, which is lossy" if entry else "no class"
                message = (
                    f"profile {profile.name} pauses DSCP {code}, and classifier {by_dscp.name} "
                    f"puts it into {where}"
                )
                places = [entry[1]] if entry else [*odd, by_dscp.begin]
                if entry and not self.classes.lossless:
                    places.insert(0, entry[0].begin)  # the class is to blame
                self.context.conflict(message, paused.begin, *places)
