"""Defaults of SONiC for keys missing from config_db.json, each with its source."""

from __future__ import annotations

from roce_lint.model.qos import Trust, WatchdogAction
from roce_lint.nos.base import Default
from roce_lint.text.source import Confidence

_PAGE = "docs/nos/sonic.md"
_UNCONFIRMED = Confidence.UNCONFIRMED

PORT_DOWN = Default(
    value=False,
    says="SONiC default: a port without admin_status is down",
    source=f"{_PAGE}#ports",
)
VLAN_UP = Default(
    value=True,
    says="SONiC default: a VLAN without admin_status is up",
    source=f"{_PAGE}#ports",
)
MTU = Default(
    value=9100,
    says="SONiC default: mtu 9100",
    source=f"{_PAGE}#how-mtu-is-counted",
)
NOT_TRUSTED = Default(
    value=Trust.NONE,
    says="SONiC default: a port without dscp_to_tc_map or dot1p_to_tc_map trusts nothing",
    source=f"{_PAGE}#classification",
)
DEFAULT_TC = Default(
    value=0,
    says="SAI default: packets of an untrusted port are in traffic class 0",
    source=f"{_PAGE}#classification",
)
UNTAGGED_PCP = Default(
    value=0,
    says="SAI default: an untagged packet has 802.1p priority 0",
    source=f"{_PAGE}#classification",
)
NOT_IN_MAP = Default(
    value=0,
    says="SAI default: a code point that the map does not list is in traffic class 0",
    source=f"{_PAGE}#classification",
    confidence=_UNCONFIRMED,
    unfilled=True,
)
QUEUE_0 = Default(
    value=0,
    says="SAI default: without tc_to_queue_map every packet goes to queue 0",
    source=f"{_PAGE}#class-maps",
)
CLASS_NOT_IN_MAP = Default(
    value=0,
    says="SAI default: a traffic class that the map does not list goes to queue 0",
    source=f"{_PAGE}#class-maps",
    confidence=_UNCONFIRMED,
)
GROUP_0 = Default(
    value=0,
    says="SAI default: without tc_to_pg_map every packet is in priority group 0",
    source=f"{_PAGE}#class-maps",
    confidence=_UNCONFIRMED,
)
SAME_GROUP = Default(
    value=None,
    says="SONiC default: without pfc_to_pg_map priority n pauses priority group n",
    source=f"{_PAGE}#class-maps",
    confidence=_UNCONFIRMED,
)
NO_PFC = Default(
    value=frozenset(),
    says="SONiC default: no PFC on a port without pfc_enable",
    source=f"{_PAGE}#pfc",
)
NO_DCBX = Default(
    value="off",
    says="SONiC has no DCBX",
    source=f"{_PAGE}#pfc",
    confidence=_UNCONFIRMED,
)
NOT_WATCHED = Default(
    value=False,
    says="SONiC default: no PFC watchdog on a port without a PFC_WD row",
    source=f"{_PAGE}#watchdog",
)
NO_WATCHED_PRIORITY = Default(
    value=frozenset(),
    says="SONiC default: the watchdog watches nothing without pfcwd_sw_enable",
    source=f"{_PAGE}#watchdog",
)
WATCHDOG_ACTION = Default(
    value=WatchdogAction.DROP,
    says="SONiC default: watchdog action drop",
    source=f"{_PAGE}#watchdog",
)
NO_MARKING = Default(
    value=None,
    says="SONiC default: a queue without wred_profile neither marks nor drops early",
    source=f"{_PAGE}#queues",
)
ECN_NONE = Default(
    value=False,
    says="SONiC default: ecn_none, packets are dropped and not marked",
    source=f"{_PAGE}#queues",
)
WHOLE_BUFFER = Default(
    value=False,
    says="SAI default: without green_min_threshold marking begins when the whole buffer is used",
    source=f"{_PAGE}#queues",
)
NO_EARLY_DROP = Default(
    value=False,
    says="SONiC default: wred_green_enable false",
    source=f"{_PAGE}#queues",
)
_OWN = "SONiC, as proposed: packets that can carry a mark are marked"
OWN_KMIN = Default(
    value=None,
    says=f"{_OWN} from green_ect_min_threshold on, where the platform has it",
    source=f"{_PAGE}#queues",
    confidence=_UNCONFIRMED,
)
OWN_KMAX = Default(
    value=None,
    says=f"{_OWN} always from green_ect_max_threshold on, where the platform has it",
    source=f"{_PAGE}#queues",
    confidence=_UNCONFIRMED,
)
OWN_PMAX = Default(
    value=None,
    says=f"{_OWN} by green_ect_mark_probability, where the platform has it",
    source=f"{_PAGE}#queues",
    confidence=_UNCONFIRMED,
)
DROP_PROBABILITY = Default(
    value=100.0,
    says="SONiC default: green_drop_probability 100",
    source=f"{_PAGE}#queues",
)
SCHEDULER_TYPE = Default(
    value="WRR",
    says="SONiC default: scheduler type WRR",
    source=f"{_PAGE}#queues",
)
SCHEDULER_WEIGHT = Default(
    value=1.0,
    says="SONiC default: scheduler weight 1",
    source=f"{_PAGE}#queues",
)
STATIC_MODEL = Default(
    value="traditional",
    says="SONiC default: the static buffer model",
    source=f"{_PAGE}#buffers-and-headroom",
)

OWN_AS_AT_TOR = Default(
    1, "SONiC: a ToRRouter takes routes that hold its own AS once", _PAGE + "#routing"
)
NO_OWN_AS = Default(
    0, "BGP refuses a route whose path holds the own AS (RFC 4271, 9.1.2)", _PAGE + "#routing"
)

DEFAULTS = (
    OWN_AS_AT_TOR,
    NO_OWN_AS,
    PORT_DOWN,
    VLAN_UP,
    MTU,
    NOT_TRUSTED,
    DEFAULT_TC,
    UNTAGGED_PCP,
    NOT_IN_MAP,
    QUEUE_0,
    CLASS_NOT_IN_MAP,
    GROUP_0,
    SAME_GROUP,
    NO_PFC,
    NO_DCBX,
    NOT_WATCHED,
    NO_WATCHED_PRIORITY,
    WATCHDOG_ACTION,
    NO_MARKING,
    ECN_NONE,
    WHOLE_BUFFER,
    NO_EARLY_DROP,
    DROP_PROBABILITY,
    SCHEDULER_TYPE,
    SCHEDULER_WEIGHT,
    STATIC_MODEL,
)
