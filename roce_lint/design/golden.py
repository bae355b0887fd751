"""Makes golden devices of an intent, or says which of its wishes cannot be met and why."""

from __future__ import annotations

from dataclasses import dataclass

from roce_lint.catalog.profiles import files, profile
from roce_lint.design import device_list, numbers, tiers
from roce_lint.design.classes import DesignClass, classes_of
from roce_lint.design.hosts import host_of, see_that_marks_are_answered
from roce_lint.design.layout import Layout
from roce_lint.design.queues import Wish
from roce_lint.design.refusals import Loc, Refusals
from roce_lint.design.switches import switch_of
from roce_lint.intent.read import Intent
from roce_lint.intent.schema import IntentMarking, IntentSchema
from roce_lint.model.fabric import Endpoint, Fabric, Link, LinkSource
from roce_lint.model.qos import HeadroomModel
from roce_lint.text.source import Where


@dataclass(slots=True)
class Design:
    """A fabric as it is wished: golden devices and their links, and how they were laid out."""

    intent: Intent
    layout: Layout
    fabric: Fabric
    classes: tuple[DesignClass, ...]


def design(intent: Intent) -> Design:
    """Make the golden devices of an intent.

    Raises:
        IntentError: a wish cannot be met; each is told with its line, the device or system and
            the limit.
        LinksError: the cable plan that the intent names is wrong.
    """
    wanting = Refusals()
    made = try_design(intent, wanting)
    if made is None:
        raise intent.refusal(list(wanting.found))
    return made


def try_design(intent: Intent, wanting: Refusals) -> Design | None:
    """The golden devices of an intent; None where a wish cannot be met, which is told.

    Raises:
        LinksError: the cable plan that the intent names is wrong.
    """
    schema = intent.schema
    layout = _lay_out(intent, wanting)
    if not wanting:
        fabric = schema.fabric
        if fabric is not None:
            numbers.number(layout, fabric, schema.addressing, wanting)
        numbers.override(layout, schema.overrides, wanting)
        numbers.see_that_nothing_is_twice(layout, wanting)
        _see_that_systems_are_there(schema, layout, wanting)
    classes = classes_of(schema, wanting)
    marking, keys = _marking(schema, wanting)
    if wanting:
        return None
    wish = Wish(schema, classes, marking, keys, intent.src, wanting)
    made = _fabric(wish, layout)
    if wanting:
        return None
    return Design(intent, layout, made, classes)


def _lay_out(intent: Intent, wanting: Refusals) -> Layout:
    schema = intent.schema
    if schema.fabric is None:
        wanting.add((), "fabric is missing: nothing says which devices are wanted")
        return Layout()
    if schema.fabric.devices:
        return device_list.lay_out(schema.fabric, schema.hosts, intent.path.parent, wanting)
    if schema.fabric.links:
        message = "fabric.links are for listed devices: fabric.devices is missing"
        wanting.add(("fabric", "links"), message)
    return tiers.lay_out(schema.fabric, schema.hosts, wanting)


def _marking(schema: IntentSchema, wanting: Refusals) -> tuple[tuple[IntentMarking, ...], Loc]:
    """The thresholds that hold, and where the intent speaks of them."""
    if schema.thresholds is None:
        return schema.marking, ("marking",)
    keys: Loc = ("thresholds", "profile")
    name = schema.thresholds.profile
    if schema.marking:
        wanting.add(keys, "thresholds.profile and marking: one of them")
    known = sorted(files())
    if name not in known:
        wanting.unknown(keys, "there is no profile", name, known)
        return (), keys
    entries = profile(name).marking
    if not entries:
        wanting.add(keys, f"profile {name} states no thresholds")
    per_speed = [entry.speed_gbps for entry in entries]
    if len(set(per_speed)) != len(per_speed):
        wanting.add(keys, f"profile {name} has several thresholds for one speed: give marking")
    made = (
        IntentMarking(
            speed_gbps=entry.speed_gbps,
            kmin_bytes=entry.kmin_bytes,
            kmax_bytes=entry.kmax_bytes,
            pmax_percent=entry.pmax_percent,
        )
        for entry in entries
    )
    return tuple(made), keys


def _see_that_systems_are_there(schema: IntentSchema, layout: Layout, wanting: Refusals) -> None:
    there = sorted({switch.nos for switch in layout.switches.values()})
    told = [s for s in layout.switches.values() if s.offer.headroom is HeadroomModel.STATIC]
    if schema.buffers and not told:
        wanting.add(
            ("buffers",), f"none of {', '.join(there)} has to be told buffers: leave them out"
        )
    numbered = any(switch.asn is not None for switch in layout.switches.values())
    if schema.balancing is not None and schema.balancing.max_paths is not None and not numbered:
        wanting.add(("balancing", "max_paths"), "paths of BGP, and no switch has an asn")
    for name in schema.watchdog.systems if schema.watchdog is not None else ():
        if name not in there:
            keys: Loc = ("watchdog", "systems", name)
            wanting.unknown(keys, "no switch of the design has the system", name, there)


def _fabric(wish: Wish, layout: Layout) -> Fabric:
    """All golden devices and links; empty where a wish cannot be met, which is told.

    What a system cannot be told shows on the first switch with it: of a large fabric the others
    need not be made to say so.
    """
    made = Fabric()
    for switch in {(each.nos, each.role): each for each in layout.switches.values()}.values():
        switch_of(wish, layout, switch)
    if wish.wanting:
        return made
    for switch in layout.switches.values():
        made.devices[switch.name] = switch_of(wish, layout, switch)
    if layout.hosts:
        see_that_marks_are_answered(wish)
    for host in layout.hosts.values():
        made.devices[host.name] = host_of(wish, host)
    for cable in layout.cables:
        a, b = (
            Endpoint(made.devices[device], made.devices[device].interfaces[port])
            for device, port in (cable.a, cable.b)
        )
        place = Where(wish.src, wish.at(*cable.keys))
        link = Link(a, b, LinkSource.PLAN, (place,), cable.cable_m, cable.speed_gbps, cable.rail)
        made.links.append(link)
        made.by_port[cable.a] = made.by_port[cable.b] = link
    return made
