"""The other forms in which the system prints its configuration; they are read when one is met."""

from __future__ import annotations

from roce_lint.nos.declare import Export

_TOP = (
    "version|groups|apply-groups|system|chassis|interfaces|class-of-service|firewall|vlans"
    "|policy-options|protocols|routing-options|routing-instances|forwarding-options|switch-options"
    "|snmp|security|services|access|accounting-options|event-options|applications"
)
"""Statements of the top, by which the form is told from the settings of other programs."""

_XML = (
    r"\A(?:\s|<\?[^>]{0,200}>|<!DOCTYPE[^>\[]{0,200}(?:\[[^\]]{0,4000}\])?>)*+"
    r"(?:<(?:[\w-]{1,20}:)?(?:rpc-reply|rpc|data|config)\b[\s\S]*?)?<configuration"
    rf"(?:-(?:text|set|output)[\s>]|(?:\s[^>]{{0,600}})?>\s*<(?:{_TOP})[\s/>])"
)
_JSON = (
    r"\A\s*\{\s*\"configuration\"\s*:\s*(?:\[\s*)?\{\s*"
    rf"(?:\"(?:@|attributes)\"\s*:\s*\{{[^{{}}]{{0,600}}\}}\s*,\s*)?\"@?(?:{_TOP})\"\s*:"
)

INSTEAD = "save the text form, that of `show configuration`"


def _from_xml(text: str) -> list[tuple[str, int]]:
    from roce_lint.nos.junos.display import from_xml  # noqa: PLC0415  (few runs meet the form)

    return from_xml(text)


def _from_json(text: str) -> list[tuple[str, int]]:
    from roce_lint.nos.junos.display import from_json  # noqa: PLC0415  (as above)

    return from_json(text)


EXPORTS = (
    Export(
        "the configuration as XML",
        hint="<configuration",
        sign=_XML,
        begins="<",
        lines=_from_xml,
        instead=INSTEAD,
    ),
    Export(
        "the configuration as JSON",
        hint='"configuration"',
        sign=_JSON,
        begins="{",
        lines=_from_json,
        instead=INSTEAD,
    ),
)
