"""In which order the devices of a fabric are changed."""

from __future__ import annotations

from roce_lint.model.device import Role

ORDER = (Role.SUPERSPINE, Role.SPINE, Role.LEAF, Role.HOST)
"""Switches far from hosts are changed first: whatever hosts send is then treated on all its way."""


def turn(role: Role | None) -> int:
    """The place of a role in that order, from 0; what has none comes last."""
    return ORDER.index(role) if role in ORDER else len(ORDER)
