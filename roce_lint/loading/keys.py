"""What the reading of a device depends on: where that is the same, the device is the same."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from roce_lint.loading.group import Group
from roce_lint.loading.part import Part


def words(group: Group) -> Iterator[str]:
    """The device and its files: names, contents, and how they were recognised."""
    yield group.device
    for part in group.parts:
        yield from _of_part(part)


def key(group: Group) -> Hashable:
    """The same for all groups that give the same device in one run."""
    return (group.nos, group.role, *words(group))


def _of_part(part: Part) -> Iterator[str]:
    identity = part.identity
    yield from ("file", part.name, part.sha256, identity.source, str(identity.header))
    if part.placing is not None:
        yield from ("placing", part.placing.numbers.hex(), str(part.placing.margin))
    for name, value in sorted(identity.args.items()):
        yield from (name, value)
