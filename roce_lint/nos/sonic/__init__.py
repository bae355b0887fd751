"""SONiC: config_db.json in all its notations, LLDP output and headroom lookup tables."""

from __future__ import annotations

from roce_lint.nos.base import Form, Ignored, Later, Nos, Plane, Section, Signature, Source
from roce_lint.nos.sonic.bounds import LIMITS
from roce_lint.nos.sonic.defaults import DEFAULTS
from roce_lint.nos.sonic.lldp import LLDP
from roce_lint.nos.sonic.offer import OFFER
from roce_lint.nos.sonic.pull import PULLED
from roce_lint.nos.sonic.tables import (
    BUFFER_TABLES,
    CONFIG,
    LOOKUP,
    QOS_TABLES,
    RENAMED,
    TABLES,
)

_QOS_NAMES = "|".join((*QOS_TABLES, *BUFFER_TABLES, "CABLE_LENGTH", *RENAMED))


def _ignored_fields(tables: str, fields: str, why: str) -> Ignored:
    """Fields of tables that do not matter, in nested (`TABLE|field`) and flat notation."""
    return Ignored(rf"(?:{tables})\|(?:.*\|)?(?:{fields}|\d+)$", why)


CONFIG_DB = Source(
    CONFIG,
    form=Form.JSON,
    plane=Plane.CONFIG,
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
        # Of the databases that a tech-support archive holds only one is the configuration.
        Signature(r'"expireat"\s*:', -2, "a dump of a database"),
    ),
    sections=tuple(Section(table, rf"{table}(?:\||$)") for table in (*TABLES, *RENAMED)),
    ignored=(
        _ignored_fields("|".join(TABLES), "NULL", "stands for an empty row"),
        _ignored_fields(
            "DEVICE_METADATA",
            "mac|platform|default_bgp_status|deployment_id|docker_routing_config_mode|region"
            "|cloudtype|peer_switch|suppress-fib-pending|synchronous_mode|switch_type|switch_id"
            "|max_cores|frr_mgmt_framework_config|default_config_profile|timezone|asic_name|asic_id"
            "|sub_role|subtype|resource_type|orch_.*|mgmt_type|cluster|bgp_router_id|nexthop_group"
            "|downstream_subrole|storage_device|yang_config_validation|buffer_model"
            "|default_pfcwd_status|rack_mgmt_map|dhcp_server|bgp_asn",
            "identity or services; not QoS",
        ),
        _ignored_fields(
            "PORT|MGMT_PORT",
            "index|subport|tpid|mode|dhcp_rate_limit|adv_.*|interface_type|link_training"
            "|override_unreliable_los|valid_speeds|mux_cable|macsec|tx_power|laser_freq|core_.*"
            "|num_voq|dom_polling|asic_port_name|alias|autoneg|mtu|speed|fast_linkup|media_type"
            "|unreliable_los|standard_ln_speeds|pfc_asym",
            "does not change how packets of a class are treated",
        ),
        _ignored_fields(
            "PORTCHANNEL",
            "min_links|tpid|system_mac|fallback|fast_rate|lacp_key|mix_speed|mode|static"
            "|graceful_shutdown_mode",
            "link aggregation protocol",
        ),
        _ignored_fields(
            "LOSSLESS_TRAFFIC_PATTERN",
            "mtu|small_packet_percentage",
            "what the device computes headroom for; the vendor ships it",
        ),
        _ignored_fields("MCLAG_DOMAIN", ".*", "link aggregation protocol"),
        _ignored_fields("VLAN", "dhcp_.*|dhcpv6_.*|mac|members@?|host_ifname", "not QoS"),
        _ignored_fields(
            "INTERFACE|PORTCHANNEL_INTERFACE|VLAN_INTERFACE|VLAN_SUB_INTERFACE"
            "|LOOPBACK_INTERFACE|MGMT_INTERFACE|VOQ_INBAND_INTERFACE",
            ".*",
            "routing of the interface",
        ),
        _ignored_fields("ACL_TABLE|ACL_RULE", ".*", "lists that are not bound to ports of data"),
        _ignored_fields("DEVICE_NEIGHBOR_METADATA|DEVICE_NEIGHBOR", ".*", "about the neighbour"),
        _ignored_fields(
            "WRED_PROFILE", "(?:yellow|red|wred_yellow|wred_red)_.*", "RoCE packets are green"
        ),
        _ignored_fields("SCHEDULER", "cir|cbs|pbs|priority|weight", "guaranteed rate and bursts"),
        _ignored_fields("BUFFER_POOL", "percentage", "share of the buffer, before it is computed"),
        _ignored_fields("BUFFER_PROFILE", "mode|xon_offset", "not modelled"),
        _ignored_fields("PFC_WD", "pfc_stat_history", "statistics"),
        _ignored_fields("DEFAULT_LOSSLESS_BUFFER_PARAMETER", "max_headroom_size", "port limit"),
        _ignored_fields("TUNNEL", ".*", "only its maps matter"),
        _ignored_fields("VXLAN_TUNNEL_MAP", "vni", "the number of the segment"),
        _ignored_fields("VXLAN_TUNNEL", "dst_ip", "the other end"),
        _ignored_fields(
            "MUX_CABLE|PEER_SWITCH", ".*", "which of two switches forwards is decided at run time"
        ),
        _ignored_fields(
            "BGP_NEIGHBOR",
            "holdtime|keepalive|name|nhopself|rrclient|admin_status|peer_group_name|ebgp_multihop.*"
            "|local_asn|.*timer.*|capability_.*|min_adv_interval|auth_password|bfd|description|peer_type",
            "the session itself, not what it takes",
        ),
        _ignored_fields("SWITCH_HASH", "lag_hash.*|ecmp_hash_algorithm|ecmp_hash", "hashing"),
    ),
    base=True,
    hostname=r'"(?:DEVICE_METADATA\|)?localhost"\s*:\s*\{(?:[^{}]*?"value"\s*:\s*\{)?[^{}]*?"hostname"\s*:\s*"(?P<name>[^"\\]+)"',
)

PG_PROFILE_LOOKUP = Source(
    LOOKUP,
    form=Form.RAW,
    command=r"cat /usr/share/sonic/\S*pg_profile_lookup\.ini",
    file_name=r"pg_profile_lookup\.ini",
    signatures=(
        Signature(r"^# ?PG lossless profiles", 8, "heading of pg_profile_lookup.ini"),
        Signature(r"^# ?speed +cable +size +xon", 8, "columns of pg_profile_lookup.ini"),
    ),
)

NOS = Nos(
    name="sonic",
    title="SONiC",
    sources=(CONFIG_DB, *LLDP, PG_PROFILE_LOOKUP),
    normalize=Later("roce_lint.nos.sonic.normalize"),
    netmiko_type="linux",
    defaults=DEFAULTS,
    limits=LIMITS,
    offer=OFFER,
    pulled=PULLED,
    render=Later("roce_lint.nos.sonic.render", "render"),
    commands=Later("roce_lint.nos.sonic.commands", "commands"),
)
