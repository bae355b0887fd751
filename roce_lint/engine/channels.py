"""What is the same on all members of a channel, by one line, is told of the channel."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from roce_lint.engine.fold import Raw
from roce_lint.model.fabric import Fabric

_Key = tuple[str, str, int, int, str, str]
"""Rule, device, deciding line (file and position), value and traffic class."""


def name_channels(raws: Iterable[Raw], fabric: Fabric) -> list[Raw]:
    """The problems; those of members that all have the same name their channel. The members stay
    what they are about.
    """
    raws = list(raws)
    having: dict[_Key, set[str]] = defaultdict(set)
    for raw in raws:
        if _channel(raw, fabric) is not None:
            having[_key(raw)].update(raw.problem.subjects)
    if not having:
        return raws
    return [_name(raw, fabric, having) for raw in raws]


def _key(raw: Raw) -> _Key:
    problem, cause = raw.problem, raw.cause
    line = (id(cause.src), cause.position) if cause is not None else (0, 0)
    return raw.page.id, problem.device, *line, problem.value, problem.traffic


def _channel(raw: Raw, fabric: Fabric) -> str | None:
    """The channel that a problem's one port is a member of."""
    problem = raw.problem
    device = fabric.devices.get(problem.device)
    if device is None or len(problem.subjects) != 1 or raw.cause is None:
        return None
    port = device.interfaces.get(problem.subjects[0])
    return port.lag if port is not None and port.lag in device.interfaces else None


def _name(raw: Raw, fabric: Fabric, having: dict[_Key, set[str]]) -> Raw:
    problem, channel = raw.problem, _channel(raw, fabric)
    if channel is None:
        return raw
    ports = fabric.devices[problem.device].interfaces
    members = {name for name, port in ports.items() if port.lag == channel}
    begins = f"{problem.device} {problem.subjects[0]}"
    rest = problem.message.removeprefix(begins)
    if len(members) < 2 or not members <= having[_key(raw)] or rest == problem.message:
        return raw
    named = f"{problem.device} {channel}{rest}"
    return replace(raw, problem=replace(problem, message=named)) if rest[:1] in " :," else raw
