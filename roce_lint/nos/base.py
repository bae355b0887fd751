"""Declaration of a NOS as data: its sources, design settings, types of edits, command syntax."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, cast

from roce_lint.model.device import Device
from roce_lint.model.qos import HeadroomModel, ShareKind, Trust, WatchdogAction
from roce_lint.model.units import ThresholdUnit
from roce_lint.nos.declare import ADDRESSES, Default, Source, named_patterns
from roce_lint.nos.platforms import defaults_of
from roce_lint.nos.pull import PullPlan, pull_plan
from roce_lint.nos.reading import Reading
from roce_lint.nos.refusals import Bounds, Limit, limits_of

# Design settings of a system: the numbers, units, names and words that a design may use. A design
# with any other setting is refused with the limit; values are never rounded.


@dataclass(frozen=True, kw_only=True)
class WatchdogOffer:
    """PFC watchdog settings; times in milliseconds, None if not configurable.

    With `polls` the detection time is a whole number of polling intervals within these bounds.
    `restores_after_poll` is True if restoring always takes one polling interval.
    """

    polling_ms: Bounds | None = None
    detection_ms: Bounds | None = None
    restoration_ms: Bounds | None = None
    polls: Bounds | None = None
    restores_after_poll: bool = False
    actions: frozenset[WatchdogAction]
    source: str


@dataclass(frozen=True, kw_only=True)
class Offer:
    """Design settings of a switch operating system.

    `port` and `split` are patterns of the names of whole and broken-out ports: {type} is the word
    of `types` for the speed in Gb/s, {n} the number on the front, {n0} one less, {s} and {s0} the
    part, {lane} its first lane counted over the switch from 0, {sublane} the same counted within
    the port from 1. With `splits_by_speed` the speed of its parts breaks a port out, and nothing
    else. `classes` are the numbers of traffic classes, whose queues and priority groups have the
    same numbers. `lossless` is how many of them may be lossless, None if undocumented.
    `lossy_group` is the priority group of all lossy classes where maps of all classes are
    configured; None: each class has its own. With `obeys_all` a port that honours PFC frames does
    so for every priority. `lossless_queue` is the platform's buffer profile for queues of lossless
    classes, where other queues have another one.
    """

    port: str
    split: str
    types: Mapping[float, str] = field(default_factory=dict)
    loopback: str
    splits_by_speed: bool = False
    classes: range = range(8)
    lossless: int | None = None
    trust: Trust = Trust.DSCP
    share_of: ShareKind
    unit: ThresholdUnit = ThresholdUnit.BYTES
    threshold: Bounds | None = None
    pmax_percent: Bounds
    ip_mtu: Bounds
    watchdog: WatchdogOffer
    headroom: HeadroomModel = HeadroomModel.PLATFORM
    lossy_group: int | None = None
    lossless_queue: str | None = None
    obeys_all: bool = False
    caps_in_percent: bool = False
    """Whether queues are shaped in percent of the link, instead of bits per second."""
    source: str
    """Heading of docs/nos/<nos>.md for names and numbers."""


# Printed configurations, configuration edits, and command syntax.

WHOLE = "all"
PARTS = (WHOLE, "roce", "underlay", "base")
"""Parts of a configuration: everything; QoS; ports, addresses and routing; the device itself."""


@dataclass(frozen=True, slots=True)
class RenderRequest:
    """A device to print, the part of it, the header lines for a comment, and a folder with
    templates `<nos>/<name>.j2` that replace single ones.
    """

    device: Device
    part: str = WHOLE
    header: tuple[str, ...] = ()
    templates: Path | None = None


@dataclass(frozen=True, kw_only=True)
class Printing:
    """Files that the templates of a system print.

    `files` has the path of each file by its template; `{name}` is the device. `comment` begins a
    comment, and `end` is the last line. `finish` makes a file of the printed lines (rows of tables,
    commands of a tree), empty for no file; `commands` is True if the lines themselves are commands.
    `functions` returns further filters. `members` relates a file that is a tree to the printed one.
    """

    files: Mapping[str, str] = field(default_factory=lambda: {"config.j2": "{name}.cfg"})
    comment: str = "!"
    end: str = ""
    finish: Later | None = None
    commands: bool = False
    functions: Later | None = None
    members: Later | None = None


@dataclass(frozen=True, slots=True)
class RenderedFiles:
    """The files of a device by path, omitted settings with reasons, the same as commands if the
    system takes single commands, and the printed lines of which the first file is made.
    """

    files: Mapping[str, str]
    left: tuple[str, ...] = ()
    commands: str = ""
    lines: str = ""


class FileEdit(NamedTuple):
    """Text of a configuration file before and after an edit."""

    before: str
    after: str


LIST_LINES = (
    r"description|(?:(?:match|redistribute|feature|network|vlan) .+|ipv6 address .+"
    r"|ip address .+ secondary|(?:neighbor|peer) \S+ (?:activate|enable|shutdown)"
    r"|(?:.+ )?(?:enable|routing|switchport))$"
)
"""`keys` of most systems: entries of lists, and switches."""


@dataclass(frozen=True)
class Typed:
    """CLI syntax to enter and remove statements of a system.

    With `put` each statement is one line that begins with the words of its headers (`set interfaces
    ...`). Without it each header is typed, and `leave` exits it.

    `keys` matches the words of a statement that name its setting, which are enough to remove it; a
    new value replaces the old one. A full match is an entry of a list, beside others; numbers at
    the end of a match are separate entries. For other statements the last word is the value. The
    old value of `exclusive` is removed before the new one is typed. `objects` matches the paths of
    objects that are removed as a whole. `default` are statements whose negation is a setting of its
    own; the word `default` removes them.
    """

    take: str = "no"
    put: str = ""
    leave: str = "exit"
    begin: tuple[str, ...] = ("configure terminal",)
    end: tuple[str, ...] = ("end",)
    keys: str = LIST_LINES
    exclusive: str = r"service-policy "
    objects: str = r"(?!)"
    default: str = ""


Normalize = Callable[[Reading], Device]

Commands = Callable[[FileEdit], str]
"""Commands that bring a running device to a corrected file; empty if no commands can."""


@dataclass(frozen=True)
class Later:
    """The function (or module) `name` of a module that is imported when it is first called.

    Every run identifies files of all systems but reads devices of a few.
    """

    module: str
    name: str = "normalize"

    def __call__(self, given: Any) -> Any:
        """Result of the function: a Device for a Reading."""
        return self.function(given)

    @cached_property
    def function(self) -> Callable[..., Any]:
        """The imported function."""
        module = importlib.import_module(self.module)
        if not hasattr(module, self.name):
            importlib.import_module(f"{self.module}.{self.name}")
        return cast("Callable[..., Any]", getattr(module, self.name))


@dataclass(frozen=True)
class Nos:
    """Declaration of one network operating system."""

    name: str
    title: str
    sources: tuple[Source, ...]
    normalize: Normalize
    patterns: Mapping[str, str] = field(default_factory=dict)  # names usable in re("NAME")
    templates: Path | None = None  # folder with parse/*.ttp; None: templates/<name> of roce-lint
    netmiko_type: str | None = None
    pulled: PullPlan | None = None  # live pull commands; None: not supported
    defaults: Iterable[Default] = ()  # all of them, for the documentation and its test
    limits: Mapping[str, Limit] = field(default_factory=dict)  # documented bounds by setting
    offer: Offer | None = None  # design settings; None: not supported by `generate`
    ports: Later | None = None  # port names: canonical, kind_of and aliases
    is_host: bool = False
    typed: Typed | None = None  # CLI syntax; None: nothing is printed as commands
    printing: Printing | None = None  # None: it has no templates for printing
    commands: Commands | None = None  # None: no commands for changes are declared

    @cached_property
    def by_source(self) -> dict[str, Source]:
        """Sources by name."""
        return {source.name: source for source in self.sources}

    @property
    def module(self) -> str:
        """Name of the module that defines `normalize`."""
        if isinstance(self.normalize, Later):
            return self.normalize.module
        return self.normalize.__module__


def switch(name: str, title: str, sources: tuple[Source, ...], **parts: Any) -> Nos:
    """Declaration of a switch system of this package, whose normalizer and tables (defaults,
    limits, pull commands) are found by its name; `parts` are other fields.
    """
    found = {
        "normalize": Later(f"roce_lint.nos.{name}.normalize"),
        "defaults": defaults_of(name),
        "limits": limits_of(name),
        "pulled": pull_plan(name),
    }
    return Nos(name, title, sources, **{**found, **parts})


def stanza_switch(name: str, title: str, sources: tuple[Source, ...], **parts: Any) -> Nos:
    """The same of one with stanzas. The names of its ports, `NAMES`, are beside its normalizer;
    `patterns` are added to those in its table.
    """
    patterns = {**ADDRESSES, **named_patterns(name), **parts.pop("patterns", {})}
    found = {
        "ports": Later(f"roce_lint.nos.{name}.normalize", "NAMES"),
        "patterns": patterns,
        "printing": Printing(),
    }
    return switch(name, title, sources, **{**found, **parts})
