"""The difference between two states of a device as changes that turn one into the other."""

from __future__ import annotations

from roce_lint.model.apply import Lines, Setting, apply_settings
from roce_lint.model.device import Device
from roce_lint.model.diff import differences
from roce_lint.model.object_diff import Difference
from roce_lint.text.source import Origin


def settings(found: list[Difference]) -> list[Setting]:
    """The changes; what one line of the other side states is one line of theirs."""
    return [
        Setting(
            each.path,
            each.b,
            f"line {each.b_where.position}" if each.b_where.origin is Origin.STATED else "",
            each.b_where.citation,
        )
        for each in found
    ]


def made_into(a: Device, b: Device) -> Device:
    """`a` with all differing values of `b`."""
    wanted = settings(differences(a, b, stated=True))
    return apply_settings(a, wanted, Lines(wanted))
