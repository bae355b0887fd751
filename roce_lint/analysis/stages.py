"""Stages of a packet on a port, in order, and the consequences of a broken stage.

On a host an application chooses the DSCP; its NIC is a port like any other, and reacts to ECN marks
or not. An arriving packet is classified (trust, binding, DSCP), is in a class with PFC or without
(switch, group, pause), has buffer space until its sender stops (cable, buffer), and leaves by a
queue that is served, marks ECN or drops (queue, scheduler, marking).
"""

from __future__ import annotations

import enum
from typing import Literal

Acts = Literal["arriving", "leaving", "both"]
"""Packets of a port that something affects."""


class Stage(enum.IntEnum):
    """A stage of the path through a port; packets meet the lower ones first."""

    APPLICATION = enum.auto()  # an application of a host sends a protected DSCP
    UNASKED = enum.auto()  # so does traffic beside its settings
    NAME = enum.auto()  # referenced names are defined
    PROFILE = enum.auto()  # the profile of a port is attached
    BINDING = enum.auto()  # a classifier is applied
    TRUST = enum.auto()  # it uses the marking that packets carry
    CODE_POINT = enum.auto()  # and maps the DSCP to its intended class
    SWITCH = enum.auto()  # PFC is not disabled globally, and its enabling policy is attached
    GROUP = enum.auto()  # the maps of the device agree on group and queue of the class
    ENABLED = enum.auto()  # PFC is on for some priority
    MATCHED = enum.auto()  # which has a class with packets
    PAUSE = enum.auto()  # PFC is sent for the priority of the class
    LOSSLESS = enum.auto()  # and all together, its packets are lossless
    STOP = enum.auto()  # the other end stops the class on PFC
    CABLE = enum.auto()  # the cable length for headroom is right
    BUFFER = enum.auto()  # headroom for data in flight
    ROOM = enum.auto()  # some of it is left when PFC is sent
    RESERVED = enum.auto()  # and nothing else uses it
    RECEIVE = enum.auto()  # the receive buffer of a NIC is large enough
    SHARED = enum.auto()  # and holds no lossy traffic
    POLICED = enum.auto()  # no policer drops packets
    QUEUES = enum.auto()  # queue policies are attached
    QUEUE = enum.auto()  # the class has a separate queue
    SCHEDULER = enum.auto()  # which is served
    STRICT = enum.auto()  # and leaves bandwidth to others
    SHAPED = enum.auto()  # up to the rate of the link
    DROPPING = enum.auto()  # and does not drop early
    MARKING = enum.auto()  # but marks ECN
    LIMIT = enum.auto()  # may buffer a lossless class
    TRIMMED = enum.auto()  # without trimming packets
    DEPTHS = enum.auto()  # at usual thresholds
    REACTION = enum.auto()  # a NIC reacts to marks
    REWRITE = enum.auto()  # the DSCP leaves as the next hop expects it
    WATCHDOG = enum.auto()  # the PFC watchdog is completely configured
    WATCH_LIST = enum.auto()  # for the no-drop priorities
    WATCHED = enum.auto()  # and is enabled
    EQUALS = enum.auto()  # the port is like its peers

    @property
    def words(self) -> str:
        """Name of the stage."""
        return self.name.lower().replace("_", " ")

    @property
    def acts(self) -> Acts:
        """Packets of the port that a fault hurts: arriving ones, which are classified, paused and
        buffered, or those that wait to leave.
        """
        if self is Stage.GROUP:
            return "both"
        if self <= Stage.UNASKED:
            return "leaving"
        return "arriving" if self <= Stage.POLICED else "leaving"

    @property
    def loses(self) -> bool:
        """True where a fault alone makes a lossless class drop packets."""
        return self in _LOSING

    @property
    def of_port(self) -> bool:
        """True where a fault affects all traffic of the port, whatever class it is reported for."""
        return self in _OF_PORT

    @property
    def of_host(self) -> bool:
        """True for stages of hosts only."""
        return self in _OF_HOST

    def explains(self, later: Stage) -> bool:
        """Whether a fault of a later stage on the same port and class follows from this one."""
        return later in _FOLLOWS.get(self, ())


_LOSING = frozenset(
    {
        Stage.APPLICATION,
        Stage.BINDING,
        Stage.TRUST,
        Stage.CODE_POINT,
        Stage.GROUP,
        Stage.PAUSE,
        Stage.LOSSLESS,
        Stage.BUFFER,
        Stage.DROPPING,
    }
)
_OF_HOST = frozenset(
    {Stage.APPLICATION, Stage.UNASKED, Stage.RECEIVE, Stage.SHARED, Stage.REACTION}
)
_OF_PORT = frozenset(
    {Stage.NAME, Stage.PROFILE, Stage.BINDING, Stage.TRUST, Stage.SWITCH, Stage.ENABLED}
)
_OF_QUEUES = frozenset(
    {
        Stage.QUEUE,
        Stage.SCHEDULER,
        Stage.STRICT,
        Stage.SHAPED,
        Stage.DROPPING,
        Stage.MARKING,
        Stage.LIMIT,
        Stage.DEPTHS,
    }
)
_OF_PAUSE = frozenset({Stage.WATCH_LIST, Stage.WATCHED, Stage.EQUALS})
_UNPAUSED = _OF_PAUSE | {Stage.LOSSLESS, Stage.STOP, Stage.BUFFER}
_OF_CLASS = _OF_QUEUES | _UNPAUSED | {Stage.CODE_POINT, Stage.GROUP, Stage.REACTION}
_SWITCHED = _UNPAUSED | {Stage.ENABLED, Stage.PAUSE}

_FOLLOWS: dict[Stage, frozenset[Stage]] = {
    Stage.NAME: frozenset({Stage.EQUALS}),
    Stage.PROFILE: _OF_CLASS | _SWITCHED | {Stage.BINDING, Stage.TRUST, Stage.WATCHDOG},
    Stage.BINDING: _OF_CLASS | {Stage.TRUST, Stage.WATCHDOG},
    Stage.TRUST: _OF_CLASS,
    Stage.CODE_POINT: _OF_CLASS - {Stage.CODE_POINT},
    Stage.SWITCH: _SWITCHED,
    Stage.GROUP: _OF_QUEUES | _UNPAUSED | {Stage.MATCHED},
    Stage.ENABLED: _UNPAUSED | {Stage.PAUSE},
    Stage.MATCHED: frozenset({Stage.PAUSE, Stage.LOSSLESS, Stage.STOP}),
    Stage.PAUSE: _UNPAUSED,
    Stage.LOSSLESS: _UNPAUSED - {Stage.LOSSLESS},
    Stage.STOP: frozenset({Stage.WATCH_LIST}),
    Stage.CABLE: frozenset({Stage.BUFFER}),
    Stage.QUEUES: _OF_QUEUES | {Stage.EQUALS},
    Stage.DROPPING: frozenset({Stage.MARKING}),
    Stage.QUEUE: frozenset({Stage.SCHEDULER, Stage.STRICT, Stage.SHAPED}),
    Stage.WATCHDOG: frozenset({Stage.WATCHED}),
    Stage.WATCH_LIST: frozenset({Stage.WATCHED}),
}
"""Consequences of each stage; any other fault of the port is independent."""
