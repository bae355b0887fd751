"""QoS of an IOS-XR port: its policies, and the PFC profile of its line card."""

from __future__ import annotations

from dataclasses import dataclass

from roce_lint.model.buffer import IngressBuffer
from roce_lint.model.qos import (
    EgressPolicy,
    Forwarding,
    Marking,
    PfcConfig,
    PfcMode,
    PortQos,
    QosObjects,
    Queue,
    QueueKind,
    SystemQos,
    Trust,
)
from roce_lint.model.sourced import Part
from roce_lint.nos.iosxr import defaults
from roce_lint.nos.iosxr.policies import (
    CLASSES,
    POLICY,
    ClassMap,
    PolicyClass,
    Profile,
    class_maps,
    classifier,
    policies,
    profile_of,
)
from roce_lint.nos.quantities import MODES, code_map, paused_priorities, same
from roce_lint.nos.reading import Reading, Value
from roce_lint.nos.stanzas import CONFIG, first
from roce_lint.nos.switch_ports import Port


@dataclass(slots=True)
class Qos:
    """Named QoS structures, and the objects already built for ports."""

    reading: Reading
    objects: QosObjects
    maps: dict[str, ClassMap]
    policies: dict[str, list[PolicyClass]]
    profiles: list[Profile]

    @classmethod
    def read(cls, reading: Reading) -> Qos:
        """All class maps, policies and profiles."""
        for lines in reading.groups(CONFIG, "watchdog"):
            lines.text("watchdog")
        maps, found = class_maps(reading), policies(reading)
        profiles = [profile_of(lines) for lines in reading.groups(CONFIG, "pfc_profile")]
        return cls(reading, QosObjects(), maps, found, profiles)

    def system(self) -> SystemQos:
        """Device-wide QoS."""
        return self.reading.build(SystemQos, has_qos=bool(self.policies or self.profiles))

    def of_port(self, port: Port) -> PortQos:
        """QoS in force on the port."""
        made = self.reading.build(PortQos, port.reader.begin)
        port.reader.text("watchdog")
        into, out = (port.refer(POLICY, port.text(way)) for way in ("input", "output"))
        profile = next((p for p in self.profiles if p.covers(port.name)), None)
        if into.value is not None:
            made.at["classifier"] = made.at["trust"] = into.position
            made.trust = Trust.DSCP
            if into.value in self.policies:
                made.classifier = self._classifier(into.value)
        made.forwarding = self._forwarding(profile)
        made.at["forwarding"] = profile.begin if profile else made.at.get("", 0)
        self._bind_egress(made, out, profile)
        made.pfc = self._pfc(port, profile)
        if profile is not None and profile.buffers:
            made.ingress_buffer = self._buffers(profile)
            made.at["ingress_buffer"] = profile.begin
        return made

    def _classifier(self, name: str) -> str:
        if name not in self.objects.classifiers:
            self.objects.classifiers[name] = classifier(
                self.reading, name, self.policies[name], self.maps
            )
        return name

    def _forwarding(self, profile: Profile | None) -> str:
        name = profile.location if profile else "no profile"
        if name not in self.objects.forwardings:
            sent = {tc: Value(tc, line) for tc, line in profile.classes.items()} if profile else {}
            begin = profile.begin if profile else 0
            table = code_map(self.reading, begin, sent)
            table.at |= {Part("number", tc): line.position for tc, line in sent.items()}
            table.at["otherwise"] = self.reading.default(defaults.NO_PROFILE).position
            self.objects.forwardings[name] = self.reading.build(
                Forwarding,
                begin,
                name=name,
                tc_to_queue=same(self.reading, 0, defaults.CLASS_IS_QUEUE, CLASSES),
                tc_to_pg=same(self.reading, 0, defaults.CLASS_IS_GROUP, CLASSES),
                tc_to_pfc_priority=table,
                pfc_priority_to_queue=code_map(self.reading, begin, sent),
            )
        return name

    def _bind_egress(self, made: PortQos, out: Value[str], profile: Profile | None) -> None:
        """Bind the queues of the output policy, with ECN marking by the policy or the profile."""
        marked = profile is not None and bool(profile.ecn)
        if not out.position and not marked:
            return  # the default of a port without an output policy is unknown
        if out.value is not None and out.value not in self.policies:
            made.at["egress"] = out.position
            return
        name = " + ".join(n for n in (out.value, profile.location if profile else None) if n)
        if name not in self.objects.egress:
            self.objects.egress[name] = self._egress(name, out, profile)
        made.egress = name
        made.at["egress"] = out.position or (profile.begin if profile else 0)

    def _egress(self, name: str, out: Value[str], profile: Profile | None) -> EgressPolicy:
        begin = self.reading.names.position(POLICY, out.value or "")
        begin = begin or (profile.begin if profile else 0)
        policy = self.reading.build(EgressPolicy, begin, name=name, complete=out.value is not None)
        for entry in self.policies.get(out.value or "", ()):
            known = self.maps.get(entry.name)
            classes = known.classes.value if known is not None else None
            if entry.name == "class-default":
                classes = frozenset({0})
            if classes is None:
                policy.complete = False
                continue
            for tc in sorted(classes):
                queue = self.reading.build(
                    Queue, entry.begin, number=tc, scheduler=entry.scheduler, marking=entry.marking
                )
                if known is not None and known.classes.position:
                    queue.at["number"] = known.classes.position
                policy.queues.setdefault((QueueKind.UNICAST, tc), queue)
        for tc, depth in profile.ecn.items() if profile else ():
            key = QueueKind.UNICAST, tc
            own = self.reading.build(Queue, depth.position, number=tc)
            queue = policy.queues.setdefault(key, own)
            stated = queue.marking
            if stated is None or (stated.ecn and stated.kmin is stated.kmax is None):
                at = stated.at.get("ecn", 0) if stated is not None else 0
                marks = Value(True, at or depth.position)
                queue.marking = self.reading.build(Marking, depth.position, ecn=marks, kmin=depth)
                queue.marking.at["kmax"] = self.reading.default(defaults.ECN_UPPER).position
        for queue in policy.queues.values():
            if queue.marking is None:
                off = self.reading.default(defaults.NO_MARKING)
                queue.marking = self.reading.build(Marking, ecn=off)
        return policy

    def _pfc(self, port: Port, profile: Profile | None) -> PfcConfig:
        mode: Value[PfcMode] = port.inherit(
            lambda lines: lines.convert(lines.text("pfc_mode"), MODES.__getitem__, "a PFC mode")
        )
        mode = first(mode, self.reading.default(defaults.PFC_OFF))
        named: Value[frozenset[int]] = self.reading.default(defaults.NO_PROFILE)
        if profile is not None:
            named = Value(frozenset(profile.classes), profile.begin)
        sent = paused_priorities(mode, named)
        made = port.reader.build(PfcConfig, mode=mode, generate=sent, honour=sent)
        made.at |= profile.classes.items() if profile else ()
        return made

    def _buffers(self, profile: Profile) -> str:
        name = profile.location
        if name not in self.objects.ingress_buffers:
            made = self.reading.build(
                IngressBuffer, profile.begin, name=name, groups=profile.buffers, complete=False
            )
            made.at |= profile.classes.items()
            self.objects.ingress_buffers[name] = made
        return name
