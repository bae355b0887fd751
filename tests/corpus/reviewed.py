"""Reviewed errors and warnings of real files, each with its justification.

The corpus consists of published configurations and captures, each checked alone. The platforms are
rendered stock templates of SONiC boards: the configuration is the vendor's, the neighbours (and so
roles, facing and cable lengths) are made up by the rendering.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Reviewed:
    """Findings of one rule in one file (or folder of a platform), by their deciding lines.

    More than MANY lines are listed as the first and last with their `number`. `made_up` marks findings
    that depend on made-up neighbours: no rule is to be tuned to them.
    """

    path: str
    severity: str
    rule: str
    lines: tuple[int, ...]
    why: str
    number: int = 0
    made_up: bool = False


MANY = 20


OTHER_SIDE = "the vendor's template uses a profile of a pool of the other direction"
NO_ROWS = (
    "no port has a PFC_WD row: the device writes them when `pfcwd start_default` runs, and the "
    "template does not start it; the host-facing ports are made up"
)
OWN_GROUPS = (
    "port 512 and 513 have a lossy group map and no pfc_enable: their own rows exclude the class"
)

LED_ASIDE = (
    "pfc_enable is 4,5 and the group map leads TC 4 and 5 to groups 1 and 2: priorities 4 and 5 "
    "pause groups that no packet enters"
)

PLATFORMS = (
    *(
        Reviewed(platform, severity, rule, lines, why)
        for platform, line in (("Delta-et-c032if_32x100", 629), ("Midstone-200i", 1045))
        for severity, rule, lines, why in (
            ("warning", "SRC002", (4, 56), OTHER_SIDE),
            (
                "error",
                "PFC009",
                (line,),
                LED_ASIDE,
            ),
        )
    ),
    Reviewed(
        "E3224F",
        "warning",
        "BUF004",
        (398, 427),
        "24 ports of 1G have pfc_enable, and the board's table begins at 10G: no headroom is made "
        "there; a warning, as 1G beside 100G is hardly meant for RoCE",
        24,
    ),
    Reviewed("E3224F", "warning", "PFC020", (1007, 1210), NO_ROWS, 22, made_up=True),
    Reviewed(
        "Quanta-IX9-32X",
        "warning",
        "PFC009",
        (1072, 1289),
        "pfc_enable is 3,4 and the DSCP map leads every code point to TC 0",
        32,
    ),
    Reviewed("Quanta-IX9-32X", "warning", "PFC020", (1070, 1287), NO_ROWS, 24, made_up=True),
    Reviewed("SN5600-O128", "warning", "PFC020", (4546, 5570), NO_ROWS, 96, made_up=True),
    Reviewed(
        "Z9332f-O32",
        "warning",
        "BUF004",
        (468, 469),
        "the two 10G ports have pfc_enable, and the board's table has rows for 100G and 400G alone; "
        "a warning, as 10G beside 400G is hardly meant for RoCE",
    ),
    Reviewed(
        "aurora-750",
        "warning",
        "BUF001",
        (4,),
        "groups 3 and 4 are paused and have a profile without xoff; a warning, as the buffer "
        "manager writes rows of its own when it loads the file",
    ),
    Reviewed("aurora-750", "warning", "PFC020", (1317, 1821), NO_ROWS, 48, made_up=True),
    Reviewed("d64p512t_64x800G-2x10G", "warning", "SRC002", (4, 844), OTHER_SIDE),
    Reviewed(
        "d64p512t_64x800G-2x10G", "warning", "PFC020", (2790, 3304), NO_ROWS, 49, made_up=True
    ),
)

CORPUS = (
    Reviewed(
        "eos/avd-ethernet-interfaces.cfg",
        "error",
        "PFC003",
        (55,),
        "`priority-flow-control on`, and the only priority is `drop`: half a configuration, nothing "
        "is lossless on the port",
    ),
    Reviewed(
        "eos/avd-ethernet-interfaces.cfg",
        "warning",
        "LNK013",
        (74,),
        "`switchport` and `ip address` on one port, to show the form of both: the address answers "
        "to nobody",
    ),
    Reviewed(
        "eos/avd-qos.cfg",
        "error",
        "SRC007",
        (278,),
        "`watchdog action no-drop`: the generator had it until its release 6.0, EOS never; the "
        "watchdog of a switch that marks keeps its action errdisable",
    ),
    Reviewed(
        "eos/rocm-doc-7388-dcqcn.cfg",
        "warning",
        "CLS005",
        (11,),
        "queues are strict unless `no priority` says otherwise, and nothing limits RoCE",
    ),
    Reviewed(
        "junos/bf-apply-groups.conf",
        "warning",
        "SRC002",
        (9, 10),
        "apply-groups of groups that are not in the file: what they would state is missing",
    ),
    Reviewed(
        "junos/bf-juniper-class-of-service.conf",
        "warning",
        "SRC002",
        (13,),
        "apply-groups of a group that is not in the file: what it would state is missing",
    ),
    Reviewed(
        "junos/bf-class-of-service-comprehensive.conf",
        "warning",
        "SRC002",
        (13, 20),
        "one code point in two classes of one classifier (`be` is 000)",
    ),
    Reviewed(
        "junos/mebs-cr1-ptx10001.conf",
        "warning",
        "SRC002",
        (30,),
        "the device notes itself that it ignores the statement",
    ),
    Reviewed(
        "nxos/azlocal-fc-tor1a.config",
        "warning",
        "PFC020",
        (*range(495, 706, 14), 959, 968),
        "storage and compute ports pause priority 3; the published design has no watchdog",
    ),
    Reviewed(
        "nxos/azlocal-fc-tor1a.config",
        "warning",
        "PFC009",
        (962, 971),
        "`match cos` on a routed channel, where no packet has a tag: nothing is ever paused",
    ),
    Reviewed(
        "nxos/azlocal-switched-full.cfg",
        "error",
        "MAP003",
        (121, 124, 126),
        "the generator gives network-qos classes names that no class-map has: PFC is on on 33 "
        "ports and nothing is paused",
    ),
    Reviewed(
        "nxos/azlocal-switched-full.cfg",
        "warning",
        "PFC009",
        (535,),
        "compute ports with PFC on and without the input policy of the storage ports; a warning, "
        "since nothing states that RoCE comes in there",
    ),
    Reviewed(
        "os10/azlocal-tor-1a.cfg",
        "error",
        "MAP003",
        (393,),
        "the 18 host ports bind a no-drop policy by the name of the queue map, with hyphens: it is "
        "not defined, and PFC is not on there either",
    ),
    Reviewed(
        "os10/azs-reference.conf",
        "error",
        "MAP003",
        (33,),
        "the network-qos policy names a class that no class-map defines: of the two classes it "
        "pauses, one has no packets",
    ),
    Reviewed(
        "os10/azs-reference.conf",
        "warning",
        "SRC002",
        (35,),
        "two classes of one policy claim pfc-cos 3",
    ),
    Reviewed(
        "os10/azs-reference.conf",
        "error",
        "PFC003",
        (135,),
        "ethernet1/1/2 has PFC on, and no network-qos policy names a priority there",
    ),
    Reviewed(
        "sonic/mock-config-db-flat.json",
        "warning",
        "BUF002",
        (38,),
        "PFC is on for 3 and 4, and a file with buffer rows has no CABLE_LENGTH table",
    ),
    Reviewed(
        "sonic/mock-config-db-flat.json",
        "warning",
        "BUF014",
        (2499,),
        "a pool of 139 MB on a switch with 42 MB in all",
    ),
    Reviewed(
        "sonic/mock-config-db-flat.json",
        "error",
        "PFC022",
        (2328,),
        "a PFC_WD row without pfcwd_sw_enable watches nothing",
    ),
    Reviewed(
        "sonic/mock-config-db-flat.json",
        "error",
        "MAP003",
        (2551,),
        "the port's PORT_QOS_MAP row names a scheduler that no table has: orchagent holds the whole "
        "row up, pfc_enable with it",
    ),
    Reviewed(
        "sonic/mock-config-db-flat.json",
        "warning",
        "PFC009",
        (2554,),
        "PFC is on for 3 and 4, and no map leads a packet to these groups",
    ),
    *(
        Reviewed(
            f"sonic/qos-tables-{name}.json",
            "warning",
            "PFC020",
            (1668, 2123),
            "the file has PFC on and no PFC_WD table, and default_pfcwd_status is disable",
            66,
        )
        for name in ("v3.0.1-oldrefs", "v3.0.3-newrefs")
    ),
)


Causes = dict[tuple[str, str], tuple[int, tuple[int, ...]]]
"""Number of deciding lines and the listed lines, by severity and rule."""


def reviewed(entries: Iterable[Reviewed], path: str) -> Causes:
    """Reviewed findings of a file or folder."""
    return {
        (entry.severity, entry.rule): (entry.number or len(entry.lines), entry.lines)
        for entry in entries
        if entry.path == path
    }
