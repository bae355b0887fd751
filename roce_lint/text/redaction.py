"""Masking of secrets in configuration text, before a line is shown.

Text after a word that indicates a secret is masked to the end of its line. That hides more than the
secret, on purpose: platforms put types, indexes and flags between the word and the secret, and a
mask that must know all of them will miss one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial

MASK = "***"

# SNMP communities, not BGP communities, as far as the adjacent words show the difference.
_COMMUNITY = (
    r"(?<!send-)(?<!ext)(?<!ext-)(?<!match )(?<!from )(?<!then )community(?![-_](?:list|set))"
)

# `key` and `token` also name harmless things; those relevant to RoCE are excluded.
_KEYWORDS = (
    rf"(?:pass(?:wor[dt]|wd|phrase|key|code)|assword|sshpass(?:\s+-p|(?=\s*=))|secret|{_COMMUNITY}|(?<![a-z])psk"
    r"|credential|(?<![a-z])creds?(?![a-z])|kennwort|(?<![a-z])cookie(?=s?\s*[:=])|privacy-mode\s|securityname"
    r"|authorization|bearer|(?:api|private|access|shared|encryption|session)[-_ ]?key"
    r"|(?<![a-z])(?<!hash[-_])(?<!lacp[-_ ])(?<![pqlr]_)key(?![a-rt-z]|s?[-_ ]chain| fingerprint)"
    r"|(?<![a-z])(?<!fingerprint )(?<!fingerprint: )(?<!fingerprint is )"
    r"(?:md5|sha(?:-?\d+)?|cleartext|ascii-text|cak|ckn|encrypt-(?:des|aes))(?![a-z])"
    r"|(?<![a-z])token(?![-_]?bucket))"
)
_NAME = re.compile(_KEYWORDS, re.IGNORECASE)
_QUOTED_NAME = re.compile(r"""(["'])(?P<name>[^"'\n]*+)\1\s*[:=]+\s*(?=\S)""")
_QUOTED_VALUE = re.compile(r'"(?:[^"\\]|\\.)*+(?P<end>"|\\?$)|-?\d[\d.]*|true|false|null')
_TO_THE_END = (
    re.compile(
        rf"""(?P<name>{_KEYWORDS}[\w.-]{{0,64}}["']?(?:\s*[:=|+>]+\s*|\s+))(?!"\*\*\*")\S.*""",
        re.IGNORECASE,
    ),
    re.compile(r"(?P<name>\bsnmp-server\s+host\s+\S+\s+)\S.*", re.IGNORECASE),
    re.compile(r"(?P<name>\bpriv\s+)\S.*", re.IGNORECASE),
    re.compile(
        r"(?P<name>\bauthentication(?:-mode)?\s+(?:text|simple|plain)\s+)\S.*", re.IGNORECASE
    ),
    # Protocols with a single key and no word before it.
    re.compile(
        r"(?P<name>\b(?:standby|glbp|hsrp|nhrp|vrrp)\b[\w ]{0,64}?\bauthentication ++)(?!mode)\S.*"
    ),
    # Prefix of passwords in VRP and Comware; other systems list algorithms after the word.
    re.compile(
        r"(?P<name>(?<![\w-])(?:irreversible-)?cipher\s+)(?!aes|3?des|gcm|chacha|suite|list)\S.*",
        re.IGNORECASE,
    ),
    # On the same systems, a clear-text password is the last word of a line. Numbers are ACLs.
    re.compile(
        r"(?P<name>^(?!\s*+(?:description|remark|display)\b).*(?<![\w-])simple\s++)"
        r"(?!\d++\s*+$)\S++\s*+$",
        re.IGNORECASE,
    ),
    re.compile(r"(?P<name>-----BEGIN [A-Z ]*PRIVATE KEY-----).+"),
    # Short words count only before a value, or before the topic of a comment.
    re.compile(
        r"(?P<name>(?<![a-z_-])(?:pwd?|pass|pin|login|auth)\s*[=:]\s*)(?!:)\S.*", re.IGNORECASE
    ),
    re.compile(r"(?P<name>_(?:pwd?|pass)\s*[=:]\s*)(?!\d++\s*$)\S.*", re.IGNORECASE),  # no counters
    re.compile(r"(?P<name>(?:root|bind)_?pw\s++)\S.*", re.IGNORECASE),
    re.compile(r"(?P<name>(?<![\w-])(?:pwd?|pin)\s++)(?!\d++(?:\s|$))[^\s|;&).-].*", re.IGNORECASE),
    re.compile(r"(?P<name>[#!/]\s*(?:pwd?|pass|passwd|pin)\s+)\S.*", re.IGNORECASE),
    # A user followed by the short word: `user admin pass sesame`.
    re.compile(
        r"(?P<name>\b(?:user(?:name)?|login)[ :=]\s*+\S{1,64}+\s++(?:pwd?|pass|pin)\s++)\S.*",
        re.IGNORECASE,
    ),
    # A line of .pgpass: host, PostgreSQL port, database, user, password. No address has this form.
    re.compile(
        r"(?P<name>^\s*+(?=[^\s:]*[g-z.*])[^\s:]{1,255}+:(?:543\d|6432|\*):[^\s:]{1,64}+:[^\s:]{1,64}+:)"
        r"\S++\s*+$",
        re.IGNORECASE,
    ),
)
_COMMANDS = (
    # Input to a command that asks for a password.
    re.compile(
        r"(?P<name>\b(?:echo|printf)\s++)[^|]*+(?=\|\s*(?:sudo|su|passwd|chpasswd|openssl|sshpass|"
        r"docker|podman|helm|kinit|cryptsetup|mysql|psql)\b)"
    ),
    re.compile(r"(?P<name>\b(?:sudo|su|passwd|kinit|openssl)\b[^<\n]*+<<<\s*)\S.*"),
    re.compile(
        r"(?P<name>(?:-H|--header)[ =]+[\"']?[\w-]*(?:auth|token|key|cookie)[\w-]*:\s*)[^\"']+",
        re.IGNORECASE,
    ),
    re.compile(r"(?P<name>(?<!\w)--?(?:pw|pwd|pass|login-?pass\w*)[ =]+)\S+", re.IGNORECASE),
)
_OPTIONS = (
    # Commands and their secret options; there may be several.
    (
        re.compile(
            r"\b(?:mysql\w*|mariadb\w*|mongo\w*|sshpass|plink|pscp|ipmitool|ldap\w+|redis-cli"
            r"|smbclient|rpcclient|xfreerdp|racadm)\b[^|;&\n]*+"
        ),
        re.compile(r"(?P<name>\s(?:-[pPwaU](?=\S)|-[pPwa]\s+|/p:))\S+"),
    ),
    (re.compile(r"\bsnmp[a-z]++\s[^|;&\n]*+"), re.compile(r"(?P<name>\s-[AXc]\s*)[^\s-]\S*")),
    (re.compile(r"\bcurl\s[^|;&\n]*+"), re.compile(r"(?P<name>\s-u)[^\s:]{0,64}+:\S+")),
    (re.compile(r"\buser(?:add|mod)\s[^|;&\n]*+"), re.compile(r"(?P<name>\s-p\s*+)\S+")),
    (re.compile(r"\bopenssl\s[^|;&\n]*+"), re.compile(r"(?P<name>\s-[kK]\s+)\S+")),
    (
        re.compile(
            r"\b(?:az|docker|podman|buildah|skopeo|nerdctl|crane|helm|oc|registry)\s++login\b"
            r"[^|;&\n]*+"
        ),
        re.compile(r"(?P<name>\s-p\s*)[^\s-]\S*"),
    ),
)
_TOKENS = re.compile(
    r"\b(?:gh[pousr]_[A-Za-z0-9]{20,}+|github_pat_\w{20,}+|glpat-[\w-]{16,}+|xox[abeoprs]-[\w-]{8,}+"
    r"|(?:AKIA|ASIA)[A-Z0-9]{12,}+|hf_[A-Za-z0-9]{20,}+|npm_[A-Za-z0-9]{20,}+|sk-[\w-]{20,}+"
    r"|AIza[\w-]{30,}+|dop_v1_\w{32,}+|hvs\.[\w-]{20,}+|pypi-[\w-]{20,}+"
    r"|eyJ[\w-]{8,}+\.[\w-]{8,}+(?:\.[\w-]*+)?)"
)
"""Tokens recognisable by their form (GitHub, GitLab, Slack, AWS, Hugging Face, npm, OpenAI, Google,
DigitalOcean, Vault, JSON web tokens)."""

_BODY = re.compile(r"^(\s*)(?:[A-Za-z0-9+/]{60,80}={0,2}|[A-Za-z0-9+/]{16,}+={1,2})\s*$")
_SHORTEST_BODY = 16
_HEX = re.compile(r"^\s*[0-9a-fA-F]++\s*$")
_NUMBERED_KEY = re.compile(r"^\s*key\s+\d{1,3}\s*$")
_ONE_WORD = (
    re.compile(r"(?P<name>%(?:\^%#|@%@))\S+"),
    re.compile(r"(?P<name>\{(?:S?SHA\d{0,3}|S?MD5|CRYPT)\})[^\s\"']+", re.IGNORECASE),
    re.compile(r"(?P<name>)\$(?:\d{1,2}c?|c|2[abxy]|y|gy|sha\d+|argon2\w*|pbkdf2\w*)\$[^\s\"';,]+"),
    re.compile(r"(?P<name>://[^\s/:@]{0,64}:)[^\s@]{1,256}(?=@)"),
    re.compile(r"(?P<name>\bhttps?://)[^\s/:@]{1,256}+(?=@)"),
    re.compile(r"(?P<name>(?<![\w:/@.-])[A-Za-z][\w.-]{0,63}+:)[^\s:@/]{1,256}+(?=@\w)"),
    re.compile(r"(?P<name>\s(?:-u|--user)[ =][^\s:]{0,64}:)\S+"),
    re.compile(
        r"(?P<name>(?:[?&]sig|(?<![a-z])(?:x-(?:amz|goog)-)?(?:signature|credential))=)"
        r"[^\s&\"']+",
        re.IGNORECASE,
    ),
    re.compile(r"(?P<name>\b(?:AccountKey|SharedAccessSignature)=)[^\s;\"']+", re.IGNORECASE),
    re.compile(r"(?P<name>)\"[^\"]*+\"(?=;?\s*## SECRET-DATA)"),
)


_NAME_HINTS = (
    "pass", "auth", "secret", "community", "psk", "securityname", "bearer", "key", "md5", "sha",
    "cleartext", "ascii-text", "cak", "ckn", "encrypt", "token", "priv", "cred", "kennwort",
    "assword", "cookie",
)  # fmt: skip
"""Lower-case letters of which every name of a secret contains some."""

_HINTS = (
    *_NAME_HINTS, "pw", "pin", "login", "snmp", "cipher", "plain", "@", "useradd", "usermod",
    "curl", "standby", "simple", "openssl", "%^%#", "%@%@", "{s", "{m", "{c", "$", "://",
    "-u", "--user", "echo", "printf", "<<<", "mysql", "mariadb", "mongo",
    "ipmitool", "ldap", "redis", "smbclient", "rpcclient", "xfreerdp", "racadm", "plink", "pscp",
    "sig", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xox",
    "akia", "asia", "hf_", "npm_", "sk-", "aiza", "dop_v1_", "hvs.", "pypi-", "eyj",
    ":543", ":6432:", ":*:",
)  # fmt: skip
"""Lower-case letters of which every secret line contains some. Most lines have none and skip the
patterns, in a hundredth of the time."""


def redact(text: str) -> str:
    """Mask passwords, keys, communities and hashes in one or several lines of text."""
    return "\n".join(_redact_line(line, _HINTS) for line in text.split("\n"))


def redact_each(texts: Sequence[str]) -> list[str]:
    """Mask the same in each of many short texts; patterns that match none are tried once."""
    whole = _small("\n".join(texts))
    hints = [hint for hint in _HINTS if hint in whole]
    return [
        "\n".join(_redact_line(line, hints) for line in text.split("\n"))
        if hints or len(text) > _SHORTEST_BODY
        else text
        for text in texts
    ]


def names_secret(key: object) -> bool:
    """Whether a key of a tree marks its contents as secret."""
    return isinstance(key, str) and _NAME.search(key) is not None


def _small(text: str) -> str:
    """The text in lower case, without the `pin` of `spine`, which hints at no secret."""
    return text.lower().replace("spine", "s e")


def _redact_line(line: str, hints: Sequence[str]) -> str:
    if hints:
        small = _small(line)
        for hint in hints:
            if hint in small:
                line = _mask(line)
                break
    if len(line) > _SHORTEST_BODY and _BODY.match(line) and not _HEX.match(line):
        line = _BODY.sub(rf"\1{MASK}", line)
    return line


def _mask(line: str) -> str:
    if _NUMBERED_KEY.match(line):  # the number of a key in its chain
        return line
    for pattern in _COMMANDS:
        line = pattern.sub(rf"\g<name>{MASK}", line)
    for command, option in _OPTIONS:
        line = command.sub(partial(_without, option), line)
    if _NAME.search(line):
        line = _redact_members(line)
    for pattern in (*_TO_THE_END, *_ONE_WORD):
        line = pattern.sub(rf"\g<name>{MASK}", line)
    return _TOKENS.sub(MASK, line)


def _without(option: re.Pattern[str], command: re.Match[str]) -> str:
    return option.sub(rf"\g<name>{MASK}", command[0])


def _redact_members(line: str) -> str:
    """Mask the values of `"name": value`; everything from a value that is not a scalar on."""
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


# Lines that are secret because of a line above them: the lines of a private key, lines below
# `secret {` or `password:`, the second line of a command, and the answer to a password prompt.

_KEY_OF_TREE = re.compile(
    r"""^(?P<before>\s*+(?:-\s++)*+)["']?(?P<key>[\w./ -]{1,128}+)["']?\s*+:\s*+"""
    r"""(?:[|>][-+\d]{0,3}\s*+)?(?:\#.*)?$"""
)
_KEY_ALONE = re.compile(r":[^\S\n]*+(?:[|>#\n]|\Z)")
"""A YAML key, or a similar line, whose value is on the lines below."""

_LABEL_BODY = re.compile(r"\)\s*+\{$")
_JOINED = 4096
"""Characters of the preceding lines that are searched for a continued command."""


def secret_lines(lines: Sequence[str]) -> frozenset[int]:
    """Numbers of the lines, from 1, whose secret only a line above reveals."""
    whole = "\n".join(lines)
    small = _small(whole)
    searches = (
        (in_blocks, "{" in whole or "PRIVATE KEY" in whole, _NAME_HINTS),
        (in_branches, _KEY_ALONE.search(whole), _NAME_HINTS),
        (in_dialogs, "\\" in whole or "assword" in whole, _HINTS),
    )
    return frozenset(
        number
        for search, may_find, hints in searches
        if may_find and any(hint in small for hint in hints)
        for number in search(lines)
    )


def in_blocks(lines: Sequence[str]) -> Iterator[int]:
    """Lines of private keys, and of brace blocks with a secret heading."""
    key, depth = False, 0
    for number, line in enumerate(lines, 1):
        if "-----" in line and "PRIVATE KEY" in line:
            key = "BEGIN" in line
            continue
        text = line.strip()
        opens, closes = text.endswith("{"), text.startswith("}")
        if depth:
            depth += opens - closes
        if key or depth:
            yield number
        elif (
            opens and not _LABEL_BODY.search(text) and names_secret(text)
        ):  # a function is not a secret
            depth = 1


def in_branches(lines: Sequence[str]) -> Iterator[int]:
    """Lines of YAML below a secret key."""
    column = -1  # of that key
    item = False  # the key is the first of an item: sibling keys are beside it
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if not text:
            continue
        if column >= 0:
            begin = len(line) - len(line.lstrip())
            if begin > column or (begin == column and not item and text.startswith("- ")):
                yield number
                continue
            column = -1
        if ":" in text and (found := _KEY_OF_TREE.match(line)) and names_secret(found["key"]):
            column, item = found.end("before"), "-" in found["before"]


def in_dialogs(lines: Sequence[str]) -> Iterator[int]:
    """Continuation lines of a command with a secret, and answers to `assword:`."""
    before, above = "", ""
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if before:
            whole, alone = redact(f"{before} {text}"), redact(text)
            if not whole.endswith(alone):
                yield number
        elif "assword" in above and text.startswith("send"):
            yield number
        before = f"{before} {text[:-1]}"[-_JOINED:].strip() if text.endswith("\\") else ""
        above = text or above
