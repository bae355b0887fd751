"""What a packet of a class meets on a port, in order, and what follows from a stage that is broken.

On a host an application chooses what it sends, its NIC is a port like any other, and obeys marks
or does not. A packet that comes in is classified (trust, binding, code point), belongs to a class
that is paused or not (switch, group, pause), has room while its sender stops (cable, buffer), and
leaves by a queue that is served, marks or drops (queue, scheduler, marking).
"""

from __future__ import annotations

import enum
from typing import Literal

Acts = Literal["arriving", "leaving", "both"]
"""Which packets of a port something is about."""


class Stage(enum.IntEnum):
    """A stage of the way through a port; the lower ones are met first."""

    APPLICATION = enum.auto()  # an application of a host sends what is protected
    UNASKED = enum.auto()  # and so does what its settings do not reach
    NAME = enum.auto()  # what a line refers to is defined
    PROFILE = enum.auto()  # what configures a port as a whole is attached
    BINDING = enum.auto()  # a classification is applied
    TRUST = enum.auto()  # it looks at what the packets carry
    CODE_POINT = enum.auto()  # and puts them into the class that is meant for them
    SWITCH = enum.auto()  # nothing switches pause off, or leaves what switches it on unattached
    GROUP = enum.auto()  # the maps of the box agree about group and queue of the class
    ENABLED = enum.auto()  # PFC is on, and for some priority
    MATCHED = enum.auto()  # which has a class that packets get into
    PAUSE = enum.auto()  # pause is sent for the priority of the class
    LOSSLESS = enum.auto()  # and so, all together, its packets are paused
    STOP = enum.auto()  # the other end stops the class when it is paused
    CABLE = enum.auto()  # the length from which the device computes headroom
    BUFFER = enum.auto()  # room for what is in flight
    ROOM = enum.auto()  # of which something is left when pause is sent
    RESERVED = enum.auto()  # and which nobody else takes
    RECEIVE = enum.auto()  # a NIC's is as large
    SHARED = enum.auto()  # and keeps nothing that is not paused
    POLICED = enum.auto()  # nothing drops what exceeds a rate
    QUEUES = enum.auto()  # policies for the queues are attached
    QUEUE = enum.auto()  # the class has a queue of its own
    SCHEDULER = enum.auto()  # which is served
    STRICT = enum.auto()  # and leaves something to others
    SHAPED = enum.auto()  # up to the rate of the link
    DROPPING = enum.auto()  # and does not drop early
    MARKING = enum.auto()  # but marks
    LIMIT = enum.auto()  # may keep what is lossless
    TRIMMED = enum.auto()  # whole
    DEPTHS = enum.auto()  # at depths that are usual
    REACTION = enum.auto()  # what a NIC does about marks
    REWRITE = enum.auto()  # the code point leaves as the next hop expects it
    WATCHDOG = enum.auto()  # what frees a stuck queue is set up as a whole
    WATCH_LIST = enum.auto()  # for the priorities that are paused
    WATCHED = enum.auto()  # and is there at all
    EQUALS = enum.auto()  # the port is like its equals

    @property
    def words(self) -> str:
        """What the stage is called."""
        return self.name.lower().replace("_", " ")

    @property
    def acts(self) -> Acts:
        """Which packets of the port a fault hurts: those that are classified, paused and kept as
        they arrive, or those that wait to leave.
        """
        if self is Stage.GROUP:
            return "both"
        if self <= Stage.UNASKED:
            return "leaving"
        return "arriving" if self <= Stage.POLICED else "leaving"

    @property
    def loses(self) -> bool:
        """True where a fault alone makes a class that must not lose packets lose them."""
        return self in _LOSING

    @property
    def of_port(self) -> bool:
        """True where a fault concerns all that the port carries, whichever class it is told of."""
        return self in _OF_PORT

    @property
    def of_host(self) -> bool:
        """True where only a host has it: of a switch there is nothing to be known."""
        return self in _OF_HOST

    def explains(self, later: Stage) -> bool:
        """Whether a fault of a later stage follows from one of this stage on the same port, in the
        same class.
        """
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
"""What follows from each; any other fault of the port stands for itself."""
