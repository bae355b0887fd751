"""Defaults of SONiC for keys missing from config_db.json, each with its source."""

from __future__ import annotations

from roce_lint.model.qos import Trust, WatchdogAction
from roce_lint.nos.base import Default
from roce_lint.text.source import Confidence

_PAGE = "docs/nos/sonic.md"
_UNCONFIRMED = Confidence.UNCONFIRMED

PORT_DOWN = Default(False, "SONiC default: a port without admin_status is down", f"{_PAGE}#ports")
VLAN_UP = Default(True, "SONiC default: a VLAN without admin_status is up", f"{_PAGE}#ports")
MTU = Default(9100, "SONiC default: mtu 9100", f"{_PAGE}#how-mtu-is-counted")
NOT_TRUSTED = Default(
    Trust.NONE,
    "SONiC default: a port without dscp_to_tc_map or dot1p_to_tc_map trusts nothing",
    f"{_PAGE}#classification",
)
DEFAULT_TC = Default(
    0, "SAI default: packets of an untrusted port are in traffic class 0", f"{_PAGE}#classification"
)
UNTAGGED_PCP = Default(
    0, "SAI default: an untagged packet has 802.1p priority 0", f"{_PAGE}#classification"
)
NOT_IN_MAP = Default(
    0,
    "SAI default: a code point that the map does not list is in traffic class 0",
    f"{_PAGE}#classification",
    _UNCONFIRMED,
    unfilled=True,
)
QUEUE_0 = Default(
    0, "SAI default: without tc_to_queue_map every packet goes to queue 0", f"{_PAGE}#class-maps"
)
CLASS_NOT_IN_MAP = Default(
    0,
    "SAI default: a traffic class that the map does not list goes to queue 0",
    f"{_PAGE}#class-maps",
    _UNCONFIRMED,
)
GROUP_0 = Default(
    0,
    "SAI default: without tc_to_pg_map every packet is in priority group 0",
    f"{_PAGE}#class-maps",
    _UNCONFIRMED,
)
SAME_GROUP = Default(
    None,
    "SONiC default: without pfc_to_pg_map priority n pauses priority group n",
    f"{_PAGE}#class-maps",
    _UNCONFIRMED,
)
NO_PFC = Default(frozenset(), "SONiC default: no PFC on a port without pfc_enable", f"{_PAGE}#pfc")
NO_DCBX = Default("off", "SONiC has no DCBX", f"{_PAGE}#pfc", _UNCONFIRMED)
NOT_WATCHED = Default(
    False, "SONiC default: no PFC watchdog on a port without a PFC_WD row", f"{_PAGE}#watchdog"
)
NO_WATCHED_PRIORITY = Default(
    frozenset(),
    "SONiC default: the watchdog watches nothing without pfcwd_sw_enable",
    f"{_PAGE}#watchdog",
)
WATCHDOG_ACTION = Default(
    WatchdogAction.DROP, "SONiC default: watchdog action drop", f"{_PAGE}#watchdog"
)
NO_MARKING = Default(
    None,
    "SONiC default: a queue without wred_profile neither marks nor drops early",
    f"{_PAGE}#queues",
)
ECN_NONE = Default(
    False, "SONiC default: ecn_none, packets are dropped and not marked", f"{_PAGE}#queues"
)
WHOLE_BUFFER = Default(
    False,
    "SAI default: without green_min_threshold marking begins when the whole buffer is used",
    f"{_PAGE}#queues",
)
NO_EARLY_DROP = Default(False, "SONiC default: wred_green_enable false", f"{_PAGE}#queues")
_OWN = "SONiC, as proposed: packets that can carry a mark are marked"
OWN_KMIN = Default(
    None,
    f"{_OWN} from green_ect_min_threshold on, where the platform has it",
    f"{_PAGE}#queues",
    _UNCONFIRMED,
)
OWN_KMAX = Default(
    None,
    f"{_OWN} always from green_ect_max_threshold on, where the platform has it",
    f"{_PAGE}#queues",
    _UNCONFIRMED,
)
OWN_PMAX = Default(
    None,
    f"{_OWN} by green_ect_mark_probability, where the platform has it",
    f"{_PAGE}#queues",
    _UNCONFIRMED,
)
DROP_PROBABILITY = Default(100.0, "SONiC default: green_drop_probability 100", f"{_PAGE}#queues")
SCHEDULER_TYPE = Default("WRR", "SONiC default: scheduler type WRR", f"{_PAGE}#queues")
SCHEDULER_WEIGHT = Default(1.0, "SONiC default: scheduler weight 1", f"{_PAGE}#queues")
STATIC_MODEL = Default(
    "traditional", "SONiC default: the static buffer model", f"{_PAGE}#buffers-and-headroom"
)

FORWARDS = Default(
    frozenset({"ipv4", "ipv6"}),
    "SONiC: it routes between ports with addresses, without a row",
    f"{_PAGE}#routing",
    _UNCONFIRMED,
)
LLDP_ON = Default(True, "SONiC default: the lldp feature is enabled", f"{_PAGE}#routing")
OWN_AS_AT_TOR = Default(
    1, "SONiC: a ToRRouter takes routes that hold its own AS once", f"{_PAGE}#routing"
)
NO_OWN_AS = Default(
    0, "BGP refuses a route whose path holds the own AS (RFC 4271, 9.1.2)", f"{_PAGE}#routing"
)

DEFAULTS = tuple(each for each in vars().values() if isinstance(each, Default))
