"""Declaration of H3C Comware; facts and their sources are in docs/nos/comware.md."""

from __future__ import annotations

from roce_lint.model.qos import ShareKind, WatchdogAction
from roce_lint.model.units import ThresholdUnit
from roce_lint.nos.base import LIST_LINES, Offer, Printing, Typed, WatchdogOffer, stanza_switch
from roce_lint.nos.declare import Ending, Section, Signature, Skip, stanzas
from roce_lint.nos.lldp import Blocks, Columns, neighbors
from roce_lint.nos.platforms import defaults_of
from roce_lint.nos.refusals import Bounds

defaults = defaults_of("comware")


# LLDP outputs.
_COMMAND = r"display lldp neighbor-information(?: interface \S+(?: \d\S*)?)?"
_TITLES = "titles of the neighbours"

LLDP = (
    neighbors(
        "lldp-list",
        rf"{_COMMAND} list(?: system-name .*)?",
        Columns("System Name=system, Local Interface=port, Chassis ID=chassis, Port ID=port_id"),
        Signature(r"^System Name +Local Interface +Chassis ID +Port ID", 12, _TITLES),
        Signature(r"^Local Interface +Chassis ID +Port ID +System Name", 12, _TITLES),
        run="display lldp neighbor-information list",
    ),
    neighbors(
        "lldp-detail",
        rf"{_COMMAND}(?: (?:agent \S+|verbose|brief))*",
        Blocks(
            {"chassisid/subtype": "chassis", "portid/subtype": "port_id"},
            above=r"LLDP neighbor-information of port \d+\[(?P<port>[^\]]+)\]",
            begins=r"LLDP neighbor index *:",
            value=r"(.*)/(?:MAC address|Interface (?:name|alias)|Locally assigned|Network address"
            r"(?:/\S+)?|Port component|Chassis component)|(.*)",
        ),
        Signature(r"^LLDP neighbor-information of port \d+\[", 12, "LLDP neighbours of a port"),
    ),
)


# Design settings.
_DESIGN = "docs/nos/comware.md#design-settings"

SPEEDS: dict[float, str] = {
    1: "GigabitEthernet",
    10: "Ten-GigabitEthernet",
    25: "Twenty-FiveGigE",
    40: "FortyGigE",
    50: "FiftyGigE",
    100: "HundredGigE",
    200: "TwoHundredGigE",
    400: "FourHundredGigE",
    800: "EightHundredGigE",
}
"""Types of ports by speed in Gb/s."""

OFFER = Offer(
    port="{type}1/0/{n}",
    split="{type}1/0/{n}:{s}",
    types=SPEEDS,
    loopback="LoopBack0",
    share_of=ShareKind.WEIGHT,
    unit=ThresholdUnit.CELLS,
    pmax_percent=Bounds("discard-probability", 0, 100, _DESIGN, "percent"),
    ip_mtu=Bounds("mtu", 46, 9398, _DESIGN, "bytes"),
    watchdog=WatchdogOffer(
        actions=frozenset({WatchdogAction.DROP, WatchdogAction.FORWARD}), source=_DESIGN
    ),
    source="docs/nos/comware.md#names-of-ports-breakouts-and-lags",
)


# Sources of the configuration.


RUNNING_CONFIG = stanzas(
    "display current-configuration",
    command="display (?:current|saved)-configuration",
    nos="comware",
    sections=(
        Section("access-list", r"acl (?!copy |logging |trap )"),
        Section("interface", r"interface "),
        Section(
            "qos",
            r"priority-flow-control |qos (?:map-table|wred queue table) |buffer |packet-filter "
            r"|qos (?:apply policy|vlan-policy) ",
        ),
        Section("overlay", r"vsi "),
        Section("device", r"sysname |version \d|lldp global enable|bgp \d"),
    ),
    comment=r"#|!",
    separator=r"#",
    skips=(Skip(r"header (?:shell|login|legal|motd|incoming) *(?P<end>\S)"),),
    outer=r"(?:ospf|ospfv3|isis) \d+(?: router-id .*| vpn-instance .*)?$|(?:vlan \d+|acl|local-user"
    r"|user-group|line|domain|role|snmp-agent|ntp-service|info-center|ssh|telnet|route-policy|irf|irf-port\S*"
    r"|traffic (?:classifier|behavior)|qos policy|ip vpn-instance|stp region-configuration"
    r"|return)(?: |$)",
    hostname=" ?sysname",
    ending=Ending(r"version \d.*, (?:Release|Feature|ESS) .*", "return"),
)

NOS = stanza_switch(
    "comware",
    "H3C Comware",
    (RUNNING_CONFIG, *LLDP),
    netmiko_type="hp_comware",
    offer=OFFER,
    printing=Printing(comment="#", end="return"),
    typed=Typed(
        take="undo",
        leave="quit",
        begin=("system-view",),
        end=("return",),
        keys=r"import [\d to]*\d|queue \d+ (?:drop-level \d+|weighting-constant|ecn)|mtu"
        r"|qos wfq \S+(?: group sp)?|qos (?:wred apply|trust)|jumboframe enable"
        r"|priority-flow-control(?: no-drop dot1p| deadlock (?:auto-recover )?(?:cos \d+|\S+)|)"
        rf"|peer \S+ as-number|{LIST_LINES}",
    ),
)
