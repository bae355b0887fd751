"""The variables that a template captures."""

from __future__ import annotations

from roce_lint.text.match import Template


def variables(template: Template) -> dict[str, set[str]]:
    """The variables of each group, by group name."""
    found: dict[str, set[str]] = {}
    for group in template.groups:
        names = found.setdefault(group.name, set())
        for rule in (group.start, *group.rules):
            if rule and (rule.starts is None or rule is group.start):
                names.update(rule.names)
    return found
