"""Configurations from templates: the files of a device, and settings without confirmed wording.

`templates/<nos>/render` has the wording of a system; every template sees the `Device` itself. All
that a device states and no template looks at is left out and reported, so that nobody takes the
file for complete. docs/printing.md describes variables and filters.
"""

from __future__ import annotations

import enum
import shlex
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any

from jinja2 import (
    ChoiceLoader,
    FileSystemBytecodeCache,
    FileSystemLoader,
    StrictUndefined,
    TemplateError,
)
from jinja2.runtime import Undefined
from jinja2.sandbox import ImmutableSandboxedEnvironment

from roce_lint._version import __version__
from roce_lint.budget import OverBudgetError, budget, memory
from roce_lint.errors import RenderError
from roce_lint.model.buffer import BufferProfile, IngressBuffer
from roce_lint.model.device import Device
from roce_lint.model.interface import Interface
from roce_lint.model.nic import Nic
from roce_lint.model.qos import (
    Classifier,
    CodeMap,
    EgressPolicy,
    Forwarding,
    Marking,
    PfcConfig,
    PortQos,
    QosObjects,
    Queue,
    Rewrite,
    Scheduler,
    SystemQos,
)
from roce_lint.model.routing import BgpSession, Routing
from roce_lint.model.sourced import Sourced
from roce_lint.model.units import ranges
from roce_lint.nos.base import WHOLE, Nos, RenderedFiles, RenderRequest
from roce_lint.nos.bgp import is_address
from roce_lint.resources import resource_dir

LONGEST = 1 << 10
"""Characters of one printed value."""

UNWORDED = ": no confirmed wording"
"""End of the remark on a value that no template reads."""

SECONDS, GIB = 20.0, 1.0
"""Processor time and memory for one device."""


def render(nos: Nos, asked: RenderRequest) -> RenderedFiles:
    """The files of a device in the wording of its system.

    Raises:
        RenderError: the system has no templates, or a template fails.
    """
    printing = nos.printing
    if printing is None:
        raise RenderError(f"{nos.title} is designed, and not printed yet")
    environment = _environment(nos, asked.templates)
    device = asked.device
    environment.begin()
    golden = device.partial and device.stated("hostname")
    values = {
        "d": device,
        "golden": golden,
        "named": golden or not device.partial,
        "base": asked.part in (WHOLE, "base"),
        "underlay": asked.part in (WHOLE, "underlay"),
        "roce": asked.part in (WHOLE, "roce"),
        "heading": "".join(f"{printing.comment} {one_line(line)}\n" for line in asked.header),
    }
    printed: dict[str, str] = {}
    with memory(GIB if asked.templates else 0), budget(SECONDS if asked.templates else 0):
        for template, name in printing.files.items():
            printed[name.format(name=device.hostname)] = environment.print_lines(template, values)
    left = list(environment.left)
    if asked.part == WHOLE:
        left += [f"{what}{UNWORDED}" for what in environment.find_unread(device)]
    first = next(iter(printed))
    for each in left[len(environment.left) :]:
        printed[first] += f"{printing.comment} {each}\n"
    printed[first] += f"{printing.end}\n" if printing.end else ""
    files = printed
    if printing.finish is not None:
        finish = printing.finish.function
        files = {name: finish(text, device) for name, text in printed.items()}
    commands = printed[first] if printing.commands else ""
    return RenderedFiles(
        {n: t for n, t in files.items() if t}, tuple(dict.fromkeys(left)), commands, printed[first]
    )


def how_to_apply(nos: Nos, part: str) -> str:
    """Instructions to apply the files of a system, in Markdown."""
    environment = _environment(nos, None)
    environment.begin()
    return environment.print_lines("apply.md.j2", {"whole": part == WHOLE})


def one_line(text: str) -> str:
    """A value that fits into a configuration: one line of printable text.

    Raises:
        RenderError: it holds a line break or another control character, or is far too long.
    """
    if not text.isprintable() or len(text) > LONGEST:
        raise RenderError(f"{text[:40]!a} is not one line of printable text")
    return text


def _environment(nos: Nos, site: Path | None) -> ConfigEnvironment:
    folder = (nos.templates or resource_dir("templates") / nos.name) / "render"
    own = (site / nos.name / "render", site / nos.name) if site is not None else ()
    folders = (*own, folder)
    if folders not in _ENVIRONMENTS:
        _ENVIRONMENTS[folders] = ConfigEnvironment(nos, folders)
    return _ENVIRONMENTS[folders]


_ENVIRONMENTS: dict[tuple[Path, ...], ConfigEnvironment] = {}


def _bytecode() -> FileSystemBytecodeCache | None:
    """Compiled templates of earlier runs, in a folder that only the user can write: compiling takes
    far longer than printing a device. None where there is no such folder.
    """
    try:
        return FileSystemBytecodeCache(pattern=f"roce-lint-{__version__}-%s")
    except (OSError, RuntimeError):
        return None


class ConfigEnvironment(ImmutableSandboxedEnvironment):
    """The sandbox of configuration templates, which records each field that a template reads."""

    def __init__(self, nos: Nos, folders: tuple[Path, ...]):
        super().__init__(
            loader=ChoiceLoader([FileSystemLoader(folder) for folder in folders]),
            undefined=StrictUndefined,
            finalize=_finalize,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            auto_reload=False,
            bytecode_cache=_bytecode(),
        )
        self.seen: set[tuple[int, str]] = set()
        self.settled: set[tuple[int, str]] = set()
        self.left: dict[str, None] = {}
        self.place = f"templates/{nos.name}/render"
        printing = nos.printing
        self.comment = printing.comment if printing is not None else ""
        self.filters |= {
            "given": self.given,
            "has": self.has,
            "ranges": lambda numbers: ranges(sorted(numbers)),
            "by_value": by_value,
            "one_word": one_word,
            "printable": printable,
            "groups": groups,
            "by_vrf": by_vrf,
            "quote": shlex.quote,
        }
        self.globals |= {"left": self.leave_out, "implied": self.imply}
        self.tests |= {"address": is_address, "ipv6": lambda text: ":" in text}
        if printing is not None and printing.functions is not None:
            further = printing.functions.function()
            self.filters |= further
            self.globals |= further
            self.tests |= further

    def begin(self) -> None:
        """Forget the device before."""
        self.seen.clear()
        self.settled.clear()
        self.left.clear()

    def print_lines(self, name: str, values: Mapping[str, Any]) -> str:
        """The lines of a template without the empty ones.

        Raises:
            RenderError: there is no such template, or it fails; the location names its line.
        """
        try:
            text = self.get_template(name).render(values)
        except RenderError:
            raise
        except (Exception, OverBudgetError) as error:
            where = _line_of(error) or name
            message = getattr(error, "message", None) or f"{type(error).__name__}: {error}"
            raise RenderError(str(message), location=f"{self.place}/{where}") from error
        lines = [line.rstrip() for line in text.split("\n")]
        for line in lines:
            if not line.isprintable():
                raise RenderError(f"{line[:40]!a} is not one line of printable text")
        return "".join(f"{line}\n" for line in lines if line)

    def leave_out(self, what: str, why: str) -> str:
        """Record a value that cannot be stated, with the reason; the text is for a comment."""
        reason = f"{what}: {why}"
        self.left[reason] = None
        return f"{self.comment} {reason}"

    def imply(self, item: Any, *names: str) -> str:
        """Fields that need no line on this system, since other lines bring them; prints nothing."""
        self.settled.update((id(item), name) for name in names)
        return ""

    # Reading of model objects. The checks of the sandbox take most of the time of a template, and
    # the fields of a model object are always safe.

    def getattr(self, obj: Any, attribute: str) -> Any:
        """A field of a model object, noted as read; anything else by the rules of the sandbox."""
        if attribute in _FIELDS[obj.__class__]:
            value = getattr(obj, attribute)
            key = id(obj), attribute
            if key not in self.seen:
                self.seen.add(key)
                _check(value)
            return value
        if attribute == "queue":  # EgressPolicy.queue
            self.seen.add((id(obj), "queues"))
        return super().getattr(obj, attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        """The same for names in `map` and `selectattr`, and for `obj[field]`."""
        if argument.__class__ is str and argument in _FIELDS[obj.__class__]:
            return self.getattr(obj, argument)
        return super().getitem(obj, argument)

    def given(self, item: Any, field: str, above: Any = None) -> Any:
        """A field that a line or an intent states; None for a default of the platform, where there
        is no object, and where the object above (a channel) has the same value.
        """
        if item is None or item.__class__ is Undefined:
            return None
        value = self.getattr(item, field)
        if item.at.get(field, 0) < 0 or (above is not None and value == getattr(above, field)):
            return None
        return value

    def has(self, item: Any, field: Any) -> bool:
        """Whether a field, or an entry of a map, has a value that is no default of the platform."""
        if item.__class__ is CodeMap and not isinstance(field, str):
            return item.entries.get(field) is not None and item.at.get(field, 0) >= 0
        return self.given(item, field) is not None

    def find_unread(self, device: Device) -> list[str]:
        """Stated fields that no template has read, each once, with their places."""
        found: dict[str, list[str]] = {}
        for name, place in self._unread(device, ""):
            found.setdefault(name, []).append(place)
        return [f"{name}{_of(places)}" for name, places in found.items()]

    def _unread(self, item: Any, place: str) -> Iterator[tuple[str, str]]:
        known = IMPLIED.get(type(item), frozenset()) | BESIDE
        at: Mapping[Hashable, int] = getattr(item, "at", {})
        for declared in fields(item):
            name = declared.name
            if name in known or at.get(name, 0) < 0 or (id(item), name) in self.settled:
                continue
            value = getattr(item, name)
            if (id(item), name) in self.seen:
                for part, where in _parts(value, name, place):
                    yield from self._unread(part, where)
            elif _states(value, declared):
                yield name, place


NAMED = 4
"""Places that a report names."""


def _of(places: list[str]) -> str:
    named = [one_line(place) for place in dict.fromkeys(places) if place]
    more = f" and {len(named) - NAMED} more" if len(named) > NAMED else ""
    return f" of {', '.join(named[:NAMED])}{more}" if named else ""


class _Fields(dict[type, frozenset[str]]):
    """Fields that templates may read without a check, by class; made on first use."""

    def __missing__(self, kind: type) -> frozenset[str]:
        if issubclass(kind, enum.Enum):
            found = frozenset({"value"})
        elif is_dataclass(kind) and kind.__module__.startswith("roce_lint.model."):
            found = frozenset(each.name for each in fields(kind))
        else:
            found = frozenset()
        self[kind] = found
        return found


_FIELDS = _Fields()


def _check(value: Any) -> None:
    """Require texts of a value of the model to be single lines, as `one_line` does."""
    kind = value.__class__
    if kind is str:
        one_line(value)
    elif kind in (tuple, frozenset, dict, list):
        for each in value:
            if each.__class__ is str:
                one_line(each)


def _finalize(value: Any) -> Any:
    """A printed value; one that is missing must never reach a device as the word `None`."""
    if value is None:
        raise RenderError("a value is missing in this line")
    return value


def _line_of(error: BaseException) -> str:
    """Template and line in which an error occurred."""
    found, trace = "", error.__traceback__
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if name.endswith(".j2"):
            found = f"{Path(name).name}:{trace.tb_lineno}"
        trace = trace.tb_next
    if not found and isinstance(error, TemplateError):
        file, line = getattr(error, "name", None), getattr(error, "lineno", None)
        found = f"{file}:{line}" if file and line else ""
    return found


# Filters and tests of all systems.


def has_value(value: Any) -> bool:
    """False for None, and for `x if condition` with a condition that does not hold."""
    return value is not None and value.__class__ is not Undefined


def by_value(table: CodeMap, numbers: int = 0) -> list[tuple[int, frozenset[int]]]:
    """Stated entries of a map by value; that of all others applies to each below `numbers`."""
    found: dict[int, set[int]] = {}
    if table.otherwise is not None and table.stated("otherwise"):
        found[table.otherwise] = {each for each in range(numbers) if each not in table.entries}
    for number, value in sorted(table.entries.items()):
        if table.at.get(number, 0) >= 0:
            found.setdefault(value, set()).add(number)
    return [(value, frozenset(given)) for value, given in found.items() if given]


def groups(items: Iterable[Any], path: str) -> list[tuple[Any, list[Any]]]:
    """Items by equal values below `path` ("qos.pfc"); the value of most items comes first."""
    found: list[tuple[Any, list[Any]]] = []
    for item in items:
        value = attrgetter(path)(item)
        same = next((group for known, group in found if known == value), None)
        if same is None:
            found.append((value, [item]))
        else:
            same.append(item)
    return sorted(found, key=lambda pair: -len(pair[1]))


def by_vrf(sessions: Mapping[str, BgpSession]) -> dict[str, list[BgpSession]]:
    """BGP sessions by their VRF, with which their key begins; "" without one."""
    found: dict[str, list[BgpSession]] = {}
    for key, session in sessions.items():
        found.setdefault(key.rpartition(" ")[0], []).append(session)
    return found


def one_word(name: object) -> str:
    """A name as one word: `ROCE (CoS 0)` is `ROCE-CoS-0`."""
    kept = "".join(c if c.isascii() and (c.isalnum() or c in "_.:/+-") else " " for c in str(name))
    return "-".join(kept.split()) or "unnamed"


def printable(text: object) -> str:
    """A text with blanks in place of control characters."""
    return "".join(c if c.isprintable() else " " for c in str(text))


# Stated fields that nothing has read.

IMPLIED: Mapping[type, frozenset[str]] = {
    Device: frozenset(
        {"hostname", "nos", "role", "vendor", "model", "asic", "os_version", "partial", "fleet"}
        | {"above_leaves", "nics_partial", "structures", "notes", "unread", "limits", "emits"}
        | {"headroom_table"}
    ),
    Interface: frozenset(
        {"name", "aliases", "kind", "members", "parent", "live_gbps", "lanes", "rail", "neighbors"}
        | {"idle", "tagged", "shared_with", "uplink"}
        | {"cable_m"}  # a fact, which only some systems can be told
    ),
    Nic: frozenset({"name", "family", "port"}),
    SystemQos: frozenset(
        {"headroom", "headroom_in_file", "headroom_written", "headroom_rules", "qos_supported"}
        | {"has_qos"}
    ),
    QosObjects: frozenset({"tc_names", "repeated"}),
    PortQos: frozenset({"classifier", "forwarding", "egress"}),
    PfcConfig: frozenset({"named"}),
    Classifier: frozenset({"name", "exact", "builtin"}),
    Forwarding: frozenset({"name", "tc_mtu_limits"}),
    IngressBuffer: frozenset({"name", "complete"}),
    BufferProfile: frozenset({"name", "lossless", "computed"}),
    EgressPolicy: frozenset({"name", "complete"}),
    Queue: frozenset({"number", "kind"}),
    Scheduler: frozenset({"name", "strict_level", "share_of"}),
    Marking: frozenset({"name", "mode"}),
    Rewrite: frozenset({"name"}),
    Routing: frozenset({"policies", "spreads", "complete", "only_bgp"}),
    BgpSession: frozenset({"peer"}),
}
"""Fields that need no line: names, consequences of other fields, and observations."""

NUMBERED_ALIKE = frozenset(
    {"tc_to_pg", "tc_to_pfc_priority", "pfc_priority_to_queue", "pfc_priority_to_pg"}
)
"""Maps inside a device that need no line where they give every number itself."""

ABSENCE = frozenset(
    {"wred_drop", "link_pause_rx", "link_pause_tx", "peer_link", "pfc_killed"}
    | {"filtered_in", "filtered_out", "to_own_as", "sends_communities"}
)
"""Fields that are False without a line."""

BESIDE = frozenset({"src", "at"})


def _parts(value: Any, name: str, place: str) -> Iterable[tuple[Any, str]]:
    """The objects of the model in a value, each with its place."""
    if isinstance(value, QosObjects | Sourced) and not isinstance(value, CodeMap):
        return [(value, place)]
    if not isinstance(value, Mapping):
        return []
    ports = name == "interfaces"
    return [
        (part, str(key) if ports else f"{place} {name} {_name(key)}".strip())
        for key, part in value.items()
        if isinstance(part, Sourced)
    ]


def _name(key: Any) -> str:
    return str(key[-1]) if isinstance(key, tuple) else str(key)


def _states(value: Any, declared: Field[Any] | None = None) -> bool:
    """Whether a value is more than absence, and no default of the platform."""
    if value is None or value in ((), {}, []):
        return False
    name = declared.name if declared is not None else ""
    if isinstance(value, CodeMap):
        return any(
            value.at.get(number, 0) >= 0 and not (name in NUMBERED_ALIKE and number == into)
            for number, into in value.entries.items()
        )
    if value is False and name in ABSENCE:
        return False
    if isinstance(value, Sourced | QosObjects):
        known = IMPLIED.get(type(value), frozenset()) | BESIDE
        at = getattr(value, "at", {})
        return any(
            at.get(each.name, 0) >= 0 and _states(getattr(value, each.name), each)
            for each in fields(value)
            if each.name not in known
        )
    if isinstance(value, Mapping):
        return any(_states(part) for part in value.values())
    return declared is None or declared.default is MISSING or value != declared.default
