"""Forms of a configuration that are known and not read, and what to save instead."""

from __future__ import annotations

import re

HEAD = 64 << 10
"""Characters in which a form shows."""

_TERRAFORM = (
    r"\A(?:#[^\n]*\n|//[^\n]*\n|\s)*+(?:(?:resource|data) \"[\w-]+\" \"[\w-]+\""
    r"|(?:provider|variable|module|output) \"[\w-]+\"|terraform|locals) *\{"
)
_OF_DEVICES = re.compile(
    r"^(?:resource|data|provider) \"(?!(?:aws|azurerm|azuread|google|kubernetes|helm|random|null"
    r"|local|tls)[_\"])|qos|pfc|dscp|\becn\b|NCCL_",
    re.MULTILINE | re.IGNORECASE,
)
"""What Terraform holds that may make configurations of devices, not of a cloud."""
_NOTIFICATIONS = (
    r"\A\s*[{\[][\s\S]{0,4000}?\"(?:timestamp|sync-response|sync_response|updates"
    r"|subscription-name)\"[\s\S]{0,4000}?\"(?:Path|path|prefix|updates|values)\" *:"
)
_NETCONF = (
    r"\A\s*(?:<\?xml[^>]{0,200}>\s*)?(?:<rpc-reply\b"
    r"|<[\w:-]{1,40}[^>]{0,400}\burn:ietf:params:xml:ns:netconf)"
)
_FORMS = tuple(
    (re.compile(pattern, re.MULTILINE), message)
    for pattern, message in (
        (
            _TERRAFORM,
            "a file of Terraform (HCL), which makes configurations: save what it rendered",
        ),
        (
            _NOTIFICATIONS,
            "notifications of gNMI: save the running configuration in the text form of the system",
        ),
        (
            r"\A\s*[{\[<][\s\S]*?\bopenconfig[-:][\w-]+",
            "OpenConfig: save the running configuration in the text form of the system",
        ),
        (
            r"\A\s*\[\s*\{\s*\"(?:op|path|value)\" *: *\"(?:add|replace|remove|/)",
            "a JSON patch, no configuration: save the configuration that it was applied to",
        ),
        (
            r"\A\s*\{[\s\S]*?\"(?:TABLE|ROW)_[a-z][\w-]*\" *:",
            "the tables of a command as JSON: save the text form of the running configuration",
        ),
        (
            _NETCONF,
            "a reply of NETCONF (XML): save the running configuration in the system's text form",
        ),
    )
)
_WORDS = (
    ("{",),
    ("timestamp", "sync", "updates", "subscription"),
    ("openconfig",),
    ('"op"', '"path"', '"value"'),
    ("TABLE_", "ROW_"),
    ("rpc-reply", "netconf"),
)
"""Of each form words, one of which it cannot be without: looked for first."""

_TELLING = ("{", "[", "<", "#", "/", "r", "d", "p", "v", "m", "o", "t", "l")


def refusal(text: str) -> str:
    """What a text is and what to save instead; empty where it is none of the forms."""
    head = text[:HEAD]
    in_a_cloud = is_program(head) and not _OF_DEVICES.search(head)
    if in_a_cloud or not head.lstrip().startswith(_TELLING):
        return ""
    return next(
        (
            message
            for (form, message), words in zip(_FORMS, _WORDS, strict=True)
            if any(word in head for word in words) and form.match(head)
        ),
        "",
    )


def is_program(text: str) -> bool:
    """True for a file that makes configurations and quotes their lines."""
    return _FORMS[0][0].match(text[:HEAD]) is not None
