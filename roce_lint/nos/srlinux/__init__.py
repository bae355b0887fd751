"""Declaration of Nokia SR Linux; facts and their sources are in docs/nos/srlinux.md."""

from __future__ import annotations

import re

from roce_lint.model.qos import ShareKind, WatchdogAction
from roce_lint.nos.base import Offer, Printing, Typed, WatchdogOffer, switch
from roce_lint.nos.declare import Form, Ignored, Section, Signature, Source
from roce_lint.nos.lldp import Blocks, Columns, Tree, kinds, neighbors
from roce_lint.nos.platforms import defaults_of
from roce_lint.nos.refusals import Bounds, bounds_in

defaults = defaults_of("srlinux")

CONFIG, JSON = "config", "config-json"
"""Names of the sources."""


# LLDP outputs.
_STATE = r"info(?: (?:flat|detail))*(?: from state)(?: (?:flat|detail))* /? ?system[ /]+lldp\b[^|]*"
_TOP = r'\A\s*\{\s*"(?:[\w-]+:)?system": *\{\s*"(?:[\w-]+:)?lldp": *\{'
_TITLES = r"^[ \t]*\|[^\n]*\| +Neighbor System Name +\| +Neighbor Chassis ID"
_NAMES = kinds(
    "chassis-id=chassis, system-name=system, port-id=port_id, port-description=description"
)

LLDP = (
    neighbors(
        "lldp-json",
        rf"{_STATE}\| *as json",
        Tree(("system", "lldp", "interface", "*", "neighbor", "*"), {"name": "port", **_NAMES}),
        Signature(_TOP, 14, "state of LLDP"),
        run="info from state system lldp | as json",
    ),
    neighbors(
        "lldp-state",
        _STATE,
        Blocks(
            _NAMES,
            above=r"interface (?P<port>\S+) \{",
            begins=r"neighbor \S+ \{",
            line=re.compile(r"(?P<key>[a-z-]+) (?P<value>.*)"),
            value=r'"(.*)"|(.*)',
        ),
        Signature(r"^[ \t]*neighbor [0-9A-Fa-f:]{17} \{", 14, "a neighbour of a port"),
    ),
    neighbors(
        "lldp-neighbor",
        r"show /? ?system[ /]+lldp neighbor(?: interface \S+)?",
        Columns(
            "Name=port, Neighbor System Name=system, Neighbor Chassis ID=chassis,"
            " Neighbor Port=port_id"
        ),
        Signature(_TITLES, 14, "titles of the neighbours"),
    ),
)


# Documented bounds and word lists.

REFUSALS = "docs/nos/srlinux.md#what-the-device-refuses"
_DESIGN = "docs/nos/srlinux.md#what-a-design-may-use"

# Design settings; the sources are in docs/nos/srlinux.md.

OFFER = Offer(
    port="ethernet-1/{n}",
    split="ethernet-1/{n}/{s}",
    loopback="system0",
    share_of=ShareKind.WEIGHT,
    threshold=Bounds("threshold", 1, 2**32 - 1, _DESIGN, "bytes"),
    pmax_percent=bounds_in("srlinux", "max-drop-probability-percent"),
    ip_mtu=Bounds("ip-mtu", 1280, 9398, _DESIGN, "bytes"),
    watchdog=WatchdogOffer(
        detection_ms=bounds_in("srlinux", "detection-timer"),
        restoration_ms=bounds_in("srlinux", "recovery-timer"),
        actions=frozenset({WatchdogAction.FORWARD}),
        source=REFUSALS,
    ),
    source=_DESIGN,
)


# Sources of the configuration.
_WORDS = "network-instance|interface|system|qos|routing-policy|acl|tunnel-interface|platform"

_INFO = r"info(?: from (?:running|candidate))?(?: flat)?(?: (?!from |flat)[^|]*)?"
"""Command that prints a configuration; `from state` does not."""

CLI = Source(
    CONFIG,
    form=Form.RAW,
    command=_INFO,
    signatures=(
        Signature(rf"^set / (?:{_WORDS}) ", 8, "set line with its path"),
        Signature(r"^set / interface (?:ethernet-\d+/\d+|mgmt0|lag\d|irb\d)", 8, "interface names"),
        Signature(r"^[ \t]*interface ethernet-\d+/\d+(?:/\d+)? \{[ \t\r]*$", 8, "interface block"),
        Signature(r"^[ \t]*subinterface \d+ \{[ \t\r]*$", 4, "subinterface block"),
        Signature(r"^[ \t]*network-instance \S+ \{[ \t\r]*$", 6, "network instance"),
    ),
    base=True,
    hostname=r"^(?:set / system name |[ \t]+)host-name \"?(?P<name>[^\s\"]+)\"?[^\S\n]*$",
)

TREE = Source(
    JSON,
    form=Form.JSON,
    command=rf"{_INFO} *\| *as json",
    run="info from running | as json",
    signatures=(
        Signature(r"\"srl_nokia-[\w-]+:[\w-]+\"", 10, "module names"),
        Signature(r"\"name\": *\"ethernet-\d+/\d+", 4, "interface names"),
    ),
    sections=(Section("interface", r"(?:.*:)?interface$"), Section("qos", r"(?:.*:)?qos$")),
    ignored=(Ignored(r".*\|(?:.*:)?(?:oper-|last-|statistics)", "state"),),
    base=True,
    hostname=r"\"host-name\": *\"(?P<name>[^\"\s]+)\"",
)

NOS = switch(
    "srlinux",
    "Nokia SR Linux",
    (*LLDP, CLI, TREE),
    netmiko_type="nokia_srl",
    offer=OFFER,
    printing=Printing(files={"config.j2": "{name}.conf"}, comment="#"),
    typed=Typed(
        take="delete /",
        put="set /",
        begin=("enter candidate",),
        end=("commit stay",),
        keys=r"network-instance \S+ interface \S+$|.+ (?:address|neighbor) \S+$|"
        r""".+?(?= (?:"[^"]*"|\[.*\]|\S+)$)""",
        objects=r"qos (?:classifiers|\S+) \S+ \S+",
    ),
)
