"""Secrets in configuration text, masked before a line is shown to anybody.

What follows a telling word is masked to the end of its line. That hides more than the secret, on
purpose: platforms put types, indexes and flags between the word and the secret, and a mask that
has to know them all will miss one.
"""

from __future__ import annotations

import re

MASK = "***"

# Communities of SNMP, not those of BGP, as far as the words around tell them apart.
_COMMUNITY = (
    r"(?<!send-)(?<!ext)(?<!ext-)(?<!match )(?<!from )(?<!then )community(?![-_](?:list|set))"
)

# `key` and `token` name harmless things as well; what matters to RoCE is spared.
_TELLING = (
    rf"(?:pass(?:word|wd|phrase|key|code)|sshpass\s+-p|secret|{_COMMUNITY}|(?<![a-z])psk|credential"
    r"|authorization|bearer|(?:api|private|access|shared|encryption|session)[-_ ]?key"
    r"|(?<![a-z])(?<!hash[-_])(?<!lacp[-_])(?<![pqlr]_)key(?![a-rt-z]|s?[-_]chain)"
    r"|(?<![a-z])(?:md5|sha(?:-?\d+)?|cleartext|ascii-text|cak|ckn|encrypt-(?:des|aes))(?![a-z])"
    r"|(?<![a-z])token(?![-_]?bucket))"
)
_NAME = re.compile(_TELLING, re.IGNORECASE)
_QUOTED_NAME = re.compile(r"""(["'])(?P<name>[^"'\n]*+)\1\s*[:=]+\s*(?=\S)""")
_QUOTED_VALUE = re.compile(r'"(?:[^"\\]|\\.)*+(?P<end>"|\\?$)|-?\d[\d.]*|true|false|null')
_TO_THE_END = (
    re.compile(
        rf"""(?P<name>{_TELLING}[\w.-]{{0,64}}["']?(?:\s*[:=|+]+\s*|\s+))(?!"\*\*\*")\S.*""",
        re.IGNORECASE,
    ),
    re.compile(r"(?P<name>\bsnmp-server\s+host\s+\S+\s+)\S.*", re.IGNORECASE),
    re.compile(r"(?P<name>\bpriv\s+)\S.*", re.IGNORECASE),
    re.compile(r"(?P<name>\bauthentication\s+(?:text|simple)\s+)\S.*", re.IGNORECASE),
    re.compile(r"(?P<name>-----BEGIN [A-Z ]*PRIVATE KEY-----).+"),
)
_ONE_WORD = (
    re.compile(r"(?P<name>)\$(?:\d{1,2}|2[abxy]|y|gy|sha\d+|argon2\w*|pbkdf2\w*)\$[^\s\"';,]+"),
    re.compile(r"(?P<name>://[^\s/:@]{0,64}:)[^\s@]{1,256}(?=@)"),
    re.compile(r"(?P<name>\s(?:-u|--user)[ =][^\s:]{0,64}:)\S+"),
)


def redact(text: str) -> str:
    """Mask passwords, keys, communities and hashes in one or several lines of text."""
    return "\n".join(_redact_line(line) for line in text.split("\n"))


def names_secret(key: object) -> bool:
    """Whether a key of a tree says that what stands below it is secret."""
    return isinstance(key, str) and _NAME.search(key) is not None


def _redact_line(line: str) -> str:
    if _NAME.search(line):
        line = _redact_members(line)
    for pattern in (*_TO_THE_END, *_ONE_WORD):
        line = pattern.sub(rf"\g<name>{MASK}", line)
    return line


def _redact_members(line: str) -> str:
    """Mask the values of `"name": value`; from a value that is no plain scalar on, everything."""
    pieces: list[str] = []
    at = 0
    for found in _QUOTED_NAME.finditer(line):
        if found.start() < at or not _NAME.search(found["name"]):
            continue
        pieces.append(line[at : found.end()])
        value = _QUOTED_VALUE.match(line, found.end())
        if value is None:
            return "".join(pieces) + MASK
        pieces.append(f'"{MASK}"')
        at = value.end()
    return "".join(pieces) + line[at:]
