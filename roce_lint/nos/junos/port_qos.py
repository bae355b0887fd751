"""QoS of a port: the bindings of the port, its unit or its channel, as model objects."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from roce_lint.model.device import NoteKind
from roce_lint.model.qos import (
    Classifier,
    CodeMap,
    Match,
    MatchKind,
    PfcWatchdog,
    PortQos,
    QosObjects,
    Rewrite,
    Trust,
)
from roce_lint.nos.junos import defaults
from roce_lint.nos.junos.bindings import Bindings, PortBinding
from roce_lint.nos.junos.classes import (
    CODES,
    PRIORITIES,
    UNPAUSED,
    Classes,
    Classifiers,
    CodeClass,
)
from roce_lint.nos.junos.codes import DSCP, PCP, CodePoints
from roce_lint.nos.junos.context import Context
from roce_lint.nos.junos.filters import FilterOutcome, Filters
from roce_lint.nos.junos.interfaces import Port
from roce_lint.nos.junos.naming import is_pattern
from roce_lint.nos.junos.pause import Forwardings, Profile, missing_pause_line, unpaused_codes
from roce_lint.nos.junos.policers import Policers
from roce_lint.nos.junos.port_filters import IN, OUT
from roce_lint.nos.junos.port_pause import Pauses, link_pause
from roce_lint.nos.junos.queues import Egress
from roce_lint.nos.reading import ABSENT, Value


@dataclass(slots=True)
class Binder:
    """Binds QoS to ports; ports with the same bindings share the objects."""

    context: Context
    ports: dict[str, Port]
    bindings: Bindings
    classes: Classes
    classifiers: Classifiers
    profiles: dict[str, Profile]
    forwardings: Forwardings
    egress: Egress
    rewrites: dict[str, Rewrite]
    codes: CodePoints
    filters: Filters
    policers: Policers
    made: dict[str, Classifier] = field(default_factory=dict)
    _shared: dict[Hashable, PortQos] = field(default_factory=dict)
    _entries: frozenset[int] = field(init=False)
    _pauses: Pauses = field(init=False)
    _unwatched: dict[int, PfcWatchdog] = field(default_factory=dict)
    _after: dict[tuple[int, str], CodeClass] = field(default_factory=dict)
    _noted: set[tuple[str, str]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._entries = frozenset(
            each.begin for each in self.bindings.by_name.values() if not is_pattern(each.name)
        )
        self._pauses = Pauses(
            self.context, self.bindings, self.classes, self.classifiers, self.profiles
        )

    def bind(self, port: Port) -> PortQos:
        """QoS of a port; ports without their own entry share it if their bindings are the same."""
        own = self._binding(port)
        if not own.begin or port.lag or own.begin in self._entries:
            return self._bind(port, own)
        filtered = (
            id(self.filters.deciding(port)),
            self.policers.of(port, IN),
            self.policers.of(port, OUT),
        )
        key = (id(own), link_pause(port), filtered, port.is_untagged)
        made = self._shared.get(key)
        if made is None:
            made = self._shared[key] = self._bind(port, own)
        return made

    def _bind(self, port: Port, own: PortBinding) -> PortQos:
        """QoS of a port; a channel member has its channel's QoS and its own profile."""
        bound = own
        channel = self.ports.get(port.lag.value or "")
        if port.lag:
            bound = self._of_member(own, channel)
        begin = own.begin or bound.begin or port.branch.begin
        if port.lag and channel is None:  # in a file that is not here
            return self.context.reading.build(PortQos, begin)
        profile = self._profile(own, bound)
        known = profile.value is None or profile.value in self.profiles
        paused = profile.value in self.profiles if profile else self.context.whole
        pauses = self.profiles.get(profile.value or "")
        kind, dscp = bound.kind("classifiers", DSCP)
        _, pcp = bound.kind("classifiers", PCP)
        classifier, trust = self._classifier(port, kind, dscp, pcp, pauses)
        fixed = bound.get("forwarding-class")
        default_tc: Value[int] = ABSENT
        if fixed and not dscp and not pcp:
            given = self.classes.find(fixed)
            default_tc = Value(given.tc if given else None, fixed.position)
            trust, classifier = Value(Trust.NONE, fixed.position), ABSENT
        _, rewrite = bound.kind("rewrite-rules", DSCP)
        pcp_default = self.context.reading.default(defaults.UNTAGGED_PCP)
        made = self.context.reading.build(
            PortQos,
            begin,
            trust=trust,
            classifier=classifier,
            forwarding=self.forwardings.of(pauses) if known else ABSENT,
            pfc=self._pauses.of(port, channel, profile, kind, dscp, pcp, begin) if paused else None,
            egress=self.egress.bind(self._maps(bound), bound.get("shaping-rate")),
            rewrite=rewrite if rewrite.value in self.rewrites else ABSENT,
            watchdog=self._watchdog(pauses, begin) if paused else None,
            default_pcp=pcp_default if pcp else ABSENT,
            default_tc=default_tc,
            policing=self.policers.of(channel or port, IN),
            policing_out=self.policers.of(channel or port, OUT),
        )
        gone = (maps for maps in self._maps(bound) if maps.value not in self.egress.maps)
        named = {
            "egress": next(gone, ABSENT),
            "classifier": dscp or pcp,
            "rewrite": rewrite,
            "pfc": profile,
        }
        for word, name in named.items():
            if name and getattr(made, word) is None:
                made.at[word] = name.position  # its name is undefined
        return made

    def objects(self) -> QosObjects:
        """Named objects that ports refer to, and unbound classifiers."""
        for (kind, name), stated in self.classifiers.stated.items():
            if kind in DSCP and name not in self.made:
                self.made[name] = self._make(name, stated, None, None, [])
        return QosObjects(
            classifiers=self.made,
            forwardings=self.forwardings.made,
            egress=self.egress.policies,
            rewrites=self.rewrites,
            policing=self.policers.objects(),
            tc_names=self.classes.names(),
        )

    def _binding(self, port: Port) -> PortBinding:
        """Bindings of the port, and those of the unit with its traffic, if all units agree."""
        found = {id(bound): bound for bound in (self._of_unit(port, n) for n in port.units)}
        if len(found) == 1:
            return next(iter(found.values()))
        own = self.bindings.of(port.name, None)
        if not found:
            return own
        common = {  # common to several units
            word: values
            for word, values in next(iter(found.values())).settings.items()
            if all(_names(each.settings.get(word)) == _names(values) for each in found.values())
        }
        return PortBinding(
            {**common, **own.settings}, own.begin or next(iter(found.values())).begin
        )

    def _of_unit(self, port: Port, number: str) -> PortBinding:
        return self.bindings.of(port.name, number)

    def _of_member(self, own: PortBinding, channel: Port | None) -> PortBinding:
        """Bindings of a channel member: classifiers of its channel, else its own; no unit."""
        if channel is None:
            return own
        above = self._binding(channel)
        return PortBinding({**own.settings, **above.settings}, above.begin or own.begin)

    def _profile(self, own: PortBinding, bound: PortBinding) -> Value[str]:
        word = "congestion-notification-profile"
        return own.get(word) or bound.get(word)

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
        self,
        port: Port,
        kind: str,
        dscp: Value[str],
        pcp: Value[str],
        profile: Profile | None,
    ) -> tuple[Value[str], Value[Trust]]:
        """Key of the classifier, and the field it uses."""
        default = self.context.reading.default
        if not dscp and not pcp:
            unit_only = port.lag and self.bindings.states_unit(port.name)
            if unit_only or not self.context.whole:
                return ABSENT, ABSENT  # whether it holds without a unit is not documented
            plain = default(defaults.CLASSIFIER)
            stated = self.classifiers.get("dscp", "default")
            key = self._key(str(plain.value), stated, None, profile, port)
            return Value(key, plain.position), default(defaults.TRUST)
        trust = Trust.BOTH if dscp and pcp else Trust.DSCP if dscp else Trust.PCP
        first = dscp or pcp
        looks = Value(trust, first.position)
        by_dscp = self.classifiers.get(kind, dscp.value or "") if dscp else None
        by_pcp = self.classifiers.get("ieee-802.1", pcp.value or "") if pcp else None
        if (dscp and by_dscp is None) or (pcp and by_pcp is None):
            return ABSENT, looks  # undefined, which is reported, or not here
        name = " + ".join([dscp.value or ""] * bool(dscp) + [f"{pcp.value} (802.1p)"] * bool(pcp))
        key = self._key(name, by_dscp, by_pcp, profile, port)
        return Value(key, first.position), looks

    def _key(
        self,
        name: str,
        by_dscp: CodeClass | None,
        by_pcp: CodeClass | None,
        profile: Profile | None,
        port: Port,
    ) -> str:
        """Key of the classifier of a port with this profile; created on first use."""
        decided = self.filters.deciding(port)
        if decided is not None and decided.exact and by_dscp is not None:
            by_dscp = self._apply_filters(by_dscp, decided)
        if profile is not None and profile.dscps and by_dscp is not None:
            split = unpaused_codes(by_dscp, profile)
            if split:
                name += f" with {profile.name}"
            if by_dscp.name != "default" and decided is None:
                self._compare(by_dscp, profile)
        else:
            profile = None
        if decided is not None:
            name += f" and filter {decided.name}"
        if name not in self.made:
            unsure = self._unsure(decided, by_dscp, by_pcp)
            self.made[name] = self._make(name, by_dscp, by_pcp, profile, unsure)
        return name

    def _unsure(
        self, decided: FilterOutcome | None, by_dscp: CodeClass | None, by_pcp: CodeClass | None
    ) -> list[Match]:
        """Possible exceptions to the classification by DSCP: filters with unknown effects, and the
        802.1p classifier, which applies to tagged packets.
        """
        build, begin = self.context.reading.build, self.context.begin
        unsure = []
        if decided is not None and not decided.exact:
            text = f"filter {decided.name}"
            unsure.append(build(Match, begin, kind=MatchKind.OTHER, text=text))
        if by_dscp is not None and by_pcp is not None:
            tagged = frozenset(range(1, PRIORITIES))
            text = f"of classifier {by_pcp.name}"
            unsure.append(build(Match, by_pcp.begin, kind=MatchKind.PCP, text=text, values=tagged))
        return unsure

    def _apply_filters(self, by_dscp: CodeClass, decided: FilterOutcome) -> CodeClass:
        """A classifier with the overrides of filters."""
        key = (id(by_dscp), decided.name)
        if key not in self._after:
            made = self._after[key] = CodeClass(
                f"{by_dscp.name} and filter {decided.name}",
                by_dscp.begin,
                dict(by_dscp.classes),
                {**by_dscp.undefined, **decided.unclear},
                list(by_dscp.matches),
            )
            for code, name in decided.classes.items():
                named = self.classes.find(name)
                made.undefined.pop(code, None)
                if named is None:
                    made.undefined[code] = name.position
                    made.classes.pop(code, None)
                else:
                    made.classes[code] = (named, name.position)
            for code in decided.unclear:
                made.classes.pop(code, None)
        return self._after[key]

    def _make(
        self,
        name: str,
        by_dscp: CodeClass | None,
        by_pcp: CodeClass | None,
        profile: Profile | None,
        unsure: list[Match],
    ) -> Classifier:
        first = by_dscp or by_pcp
        rest = self.classifiers.rest(
            defaults.CLASSIFIER
            if first is not None and first.name == "default"
            else defaults.NOT_NAMED
        )
        empty = CodeMap(src=self.context.reading.src)
        table = by_dscp.code_map(CODES, rest, self.context) if by_dscp else empty
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
            builtin=first is not None and first.name == "default",
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
            if (entry is None or entry[0].priority.value is None) and (
                (profile.name, str(code)) not in self._noted
            ):
                self._noted.add((profile.name, str(code)))
                where = f"class {entry[0].name}, which is lossy" if entry else "no class"
                message = (
                    f"profile {profile.name} pauses DSCP {code}, and classifier {by_dscp.name} "
                    f"puts it into {where}"
                )
                places = [entry[1]] if entry else [*odd, by_dscp.begin]
                if entry and not self.classes.lossless:
                    places.insert(0, entry[0].begin)  # the class is to blame
                self.context.reading.note(NoteKind.CONFLICT, message, paused.begin, *places)

    def _watchdog(self, pauses: Profile | None, begin: int) -> PfcWatchdog:
        """The watchdog of the profile; disabled without a profile."""
        if pauses is not None and pauses.watchdog is not None:
            return pauses.watchdog
        begin = begin if pauses is None else pauses.begin
        made = self._unwatched.get(begin)
        if made is None:
            off = self.context.reading.default(defaults.NOT_WATCHED)
            made = self.context.reading.build(PfcWatchdog, begin, enabled=off)
            self._unwatched[begin] = made
        return made


def _names(values: list[Value[str]] | None) -> list[str | None]:
    return [value.value for value in values or ()]
