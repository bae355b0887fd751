"""Declaration of SONiC: config_db.json in all notations, LLDP output, headroom lookup tables."""

from __future__ import annotations

from roce_lint.model.qos import HeadroomModel, ShareKind, WatchdogAction
from roce_lint.nos.base import Later, Offer, Printing, WatchdogOffer, switch
from roce_lint.nos.declare import Form, Ignored, Section, Signature, Source
from roce_lint.nos.lldp import Columns, neighbors
from roce_lint.nos.lldpcli import COMMAND, lldpcli_sources, read_text
from roce_lint.nos.platforms import defaults_of
from roce_lint.nos.refusals import Bounds, bounds_in
from roce_lint.nos.sonic import tables

defaults = defaults_of("sonic")

# Documented bounds and word lists.
_PAGE = "docs/nos/sonic.md#what-the-device-refuses"

# Design settings; the sources are in docs/nos/sonic.md.
_WATCHDOG = "docs/nos/sonic.md#watchdog"

OFFER = Offer(
    port="Ethernet{lane}",
    split="Ethernet{lane}",
    loopback="Loopback0",
    share_of=ShareKind.WEIGHT,
    pmax_percent=bounds_in("sonic", "WRED_PROFILE green_drop_probability"),
    ip_mtu=bounds_in("sonic", "PORT mtu"),
    watchdog=WatchdogOffer(
        polling_ms=Bounds("POLL_INTERVAL", 100, 1000, _WATCHDOG, "ms"),
        detection_ms=Bounds("detection_time", 100, 5000, _WATCHDOG, "ms"),
        restoration_ms=Bounds("restoration_time", 100, 60_000, _WATCHDOG, "ms"),
        actions=frozenset({WatchdogAction.DROP, WatchdogAction.FORWARD, WatchdogAction.ALERT}),
        source=_WATCHDOG,
    ),
    headroom=HeadroomModel.STATIC,
    lossy_group=0,
    lossless_queue=tables.LOSSLESS_QUEUE,
    source="docs/nos/sonic.md#names-of-ports-breakouts-and-lags",
)


# LLDP outputs.
_TREE, _, _KEYVALUE = lldpcli_sources(r"Ethernet\d+")

LLDP = (
    neighbors(
        "lldp-table",
        r"show lldp table",
        Columns(
            "LocalPort=port, RemoteDevice=system, RemotePortID=port_id, RemotePortDescr=description"
        ),
        Signature(r"^[ \t]*LocalPort +RemoteDevice +RemotePortID", 10, "titles of the neighbours"),
        Signature(r"^Capability codes: \(R\) Router", 4, "meaning of the letters"),
        run="show lldp table",
        file_name=r"show[-_ ]lldp[-_ ]table",
    ),
    neighbors(
        "lldp-neighbors",
        rf"show lldp neighbors(?: \S+)?|{COMMAND}(?!.* -f).*",
        read_text,
        Signature(r"^Interface: +Ethernet\d+, via: LLDP", 14, "a port EthernetN that heard LLDP"),
    ),
    _TREE,
    _KEYVALUE,
)


# Sources of the configuration.
_QOS_NAMES = "|".join((*tables.QOS_TABLES, *tables.BUFFER_TABLES, "CABLE_LENGTH", *tables.RENAMED))


_ASIDE = (
    ("|".join(tables.TABLES), "NULL", "marks an empty row"),
    (
        "DEVICE_METADATA",
        (
            "mac|platform|default_bgp_status|deployment_id|docker_routing_config_mode|region"
            "|cloudtype|peer_switch|suppress-fib-pending|synchronous_mode|switch_type|switch_id"
            "|max_cores|frr_mgmt_framework_config|default_config_profile|timezone|asic_name|asic_id"
            "|sub_role|subtype|resource_type|orch_.*|mgmt_type|cluster|bgp_router_id|nexthop_group"
            "|downstream_subrole|storage_device|yang_config_validation|buffer_model"
            "|default_pfcwd_status|rack_mgmt_map|dhcp_server|bgp_asn"
        ),
        "identity or services; not QoS",
    ),
    (
        "PORT|MGMT_PORT",
        (
            "index|subport|tpid|mode|dhcp_rate_limit|adv_.*|interface_type|link_training"
            "|override_unreliable_los|valid_speeds|mux_cable|macsec|tx_power|laser_freq|core_.*"
            "|num_voq|dom_polling|asic_port_name|alias|autoneg|mtu|speed|fast_linkup|media_type"
            "|unreliable_los|standard_ln_speeds|pfc_asym"
        ),
        "does not change how packets of a class are treated",
    ),
    (
        "PORTCHANNEL",
        (
            "min_links|tpid|system_mac|fallback|fast_rate|lacp_key|mix_speed|mode|static"
            "|graceful_shutdown_mode"
        ),
        "link aggregation protocol",
    ),
    (
        "LOSSLESS_TRAFFIC_PATTERN",
        "mtu|small_packet_percentage",
        "input of the headroom computation; shipped by the vendor",
    ),
    ("MCLAG_DOMAIN", ".*", "link aggregation protocol"),
    ("VLAN", "dhcp_.*|dhcpv6_.*|mac|members@?|host_ifname", "not QoS"),
    ("|".join(tables.ADDRESS_TABLES), ".*", "routing of the interface"),
    ("ACL_TABLE|ACL_RULE", ".*", "lists that are not bound to data ports"),
    ("DEVICE_NEIGHBOR_METADATA|DEVICE_NEIGHBOR", ".*", "about the neighbour"),
    ("WRED_PROFILE", "(?:yellow|red|wred_yellow|wred_red)_.*", "RoCE packets are green"),
    ("SCHEDULER", "cir|cbs|pbs|priority|weight", "guaranteed rate and bursts"),
    ("BUFFER_POOL", "percentage", "share of the buffer, before it is computed"),
    ("BUFFER_PROFILE", "mode|xon_offset", "not modelled"),
    ("PFC_WD", "pfc_stat_history", "statistics"),
    ("DEFAULT_LOSSLESS_BUFFER_PARAMETER", "max_headroom_size", "port limit"),
    ("TUNNEL", ".*", "only its maps matter"),
    ("VXLAN_TUNNEL_MAP", "vni", "the number of the segment"),
    ("VXLAN_TUNNEL", "dst_ip", "the other end"),
    ("MUX_CABLE|PEER_SWITCH", ".*", "the forwarding switch of the two is chosen at run time"),
    ("|".join(("BGP_NEIGHBOR", *tables.BGP_TABLES)), ".*", "the session itself"),
    ("SWITCH_HASH", "lag_hash.*|ecmp_hash_algorithm|ecmp_hash", "hashing"),
)
"""Tables with their irrelevant fields, in nested (`TABLE|field`) and flat notation."""

CONFIG_DB = Source(
    tables.CONFIG,
    form=Form.JSON,
    command=r"(?:sudo )?(?:show runningconfiguration all|sonic-cfggen -d --print-data"
    r"|cat /etc/sonic/config_db(?P<asic>\d*)\.json)",
    run="show runningconfiguration all",
    file_name=r"config_db(?P<asic>\d*)\.json",
    signatures=(
        Signature(r'"DEVICE_METADATA(?:\|localhost)?"\s*:\s*\{', 8, "DEVICE_METADATA"),
        Signature(rf'"(?:{_QOS_NAMES})(?:\|[^"\n]*)?"\s*:\s*\{{', 10, "a SONiC QoS table"),
        Signature(r'"PORT(?:\|Ethernet\d+)?"\s*:\s*\{\s*"', 5, "the PORT table"),
        Signature(r'"(?:[^"\n]*\|)?Ethernet\d+"\s*:\s*\{', 2, "a row of port EthernetN"),
        Signature(r'"hwsku"\s*:\s*"', 3, "hwsku"),
        # Of the databases in a tech-support archive only one is the configuration.
        Signature(r'"expireat"\s*:', -2, "a dump of a database"),
    ),
    sections=tuple(
        Section(table, rf"{table}(?:\||$)") for table in (*tables.TABLES, *tables.RENAMED)
    ),
    ignored=tuple(
        Ignored(rf"(?:{names})\|(?:.*\|)?(?:{fields}|\d+)$", why) for names, fields, why in _ASIDE
    ),
    base=True,
    hostname=r'"(?:DEVICE_METADATA\|)?localhost"\s*:\s*\{(?:[^{}]*?"value"\s*:\s*\{)?[^{}]*?"hostname"\s*:\s*"(?P<name>[^"\\]+)"',
)

PG_PROFILE_LOOKUP = Source(
    tables.LOOKUP,
    form=Form.RAW,
    command=r"cat /usr/share/sonic/\S*pg_profile_lookup\.ini",
    file_name=r"pg_profile_lookup\.ini",
    signatures=(
        Signature(r"^# ?PG lossless profiles", 8, "heading of pg_profile_lookup.ini"),
        Signature(r"^# ?speed +cable +size +xon", 8, "columns of pg_profile_lookup.ini"),
    ),
)

NOS = switch(
    "sonic",
    "SONiC",
    (CONFIG_DB, *LLDP, PG_PROFILE_LOOKUP),
    netmiko_type="linux",
    offer=OFFER,
    printing=Printing(
        files={"config.j2": "{name}.json"},
        comment="#",
        finish=Later("roce_lint.nos.sonic.printing", "tables"),
        members=Later("roce_lint.nos.sonic.printing", "members"),
        functions=Later("roce_lint.nos.sonic.printing", "functions"),
    ),
    commands=Later("roce_lint.nos.sonic.commands", "commands"),
)
