"""Recognises files that are not plain configuration text of a device, and what to save instead.

These are forms in which other programs store, send or show a text, reports of a checker, and
unsupported forms of configurations. A file named by the user is reported as such; any other file is
skipped with the form as the reason.
"""

from __future__ import annotations

import re
import zipfile
from dataclasses import dataclass
from io import BytesIO

HEAD = 16 << 10
"""Characters in which a form or a report is recognisable."""

TEXT = "save its text as plain text"
_BYTES = (
    (b"%PDF-", "a PDF"),
    (b"\x89PNG\r\n", "a picture (PNG)"),
    (b"\xff\xd8\xff", "a picture (JPEG)"),
    (b"GIF8", "a picture (GIF)"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an office document"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"Salted__", "an encrypted file (OpenSSL)"),
    (b"\x80\x03PGP", "an encrypted file (PGP)"),
    (b"\xd4\xc3\xb2\xa1", "a packet capture (pcap)"),
    (b"\xa1\xb2\xc3\xd4", "a packet capture (pcap)"),
    (b"\x0a\x0d\x0d\x0a", "a packet capture (pcapng)"),
)
_PACKED = ((b"7z\xbc\xaf\x27\x1c", "7z"), (b"Rar!\x1a\x07", "RAR"), (b"\x04\x22\x4d\x18", "lz4"))
_EBCDIC = "cp037"
_NO_WORD = re.compile(r"[^A-Za-z0-9 \n]")
_OFFICE = {
    "word/": "an office text document",
    "xl/": "an office spreadsheet",
    "ppt/": "office slides",
    "content.xml": "an office document",
}


def form_of_bytes(data: bytes) -> str:
    """The form of binary data; empty if unknown."""
    for begin, what in _BYTES:
        if data.startswith(begin):
            does = "decrypt it first" if "encrypted" in what else TEXT
            return f"{what}: {does}"
    for begin, what in _PACKED:
        if data.startswith(begin):
            return f"packed ({what}); unpack it first"
    if data.startswith(b"PK\x03\x04"):
        return _in_zip(data)
    return "EBCDIC text: convert it (iconv -f CP037 -t UTF-8)" if _is_ebcdic(data) else ""


def _is_ebcdic(data: bytes) -> bool:
    """Whether the bytes are EBCDIC words: its blank is a control code in ASCII."""
    head = data[:HEAD]
    if head.count(b"\x40") * 30 < len(head) or head.count(b"\x20") * 100 > len(head):
        return False
    text = head.decode(_EBCDIC).replace("\x85", "\n")
    return len(_NO_WORD.sub("", text)) * 10 > len(text) * 7


def _in_zip(data: bytes) -> str:
    try:
        names = zipfile.ZipFile(BytesIO(data)).namelist()[:100]
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return ""
    for begin, what in _OFFICE.items():
        if any(name.startswith(begin) for name in names):
            return f"{what}: {TEXT}"
    return ""


@dataclass(slots=True, frozen=True)
class _Form:
    """A form: the words it begins with, its regex, and the message.

    `quotes`: it contains device lines as printed, which would be read as a configuration although
    other text is between and around them.
    """

    begins: tuple[str, ...]
    pattern: re.Pattern[str]
    message: str
    quotes: bool = False


def _form(begins: str, pattern: str, message: str, *, quotes: bool = False) -> _Form:
    words = tuple(begins.split(" ")) if begins else ("",)
    return _Form(words, re.compile(pattern, re.MULTILINE), message, quotes)


_FORMS = (
    _form(r"{\rtf", r"\{\\rtf\d", f"an RTF document: {TEXT}", quotes=True),
    _form("%PDF-", r"%PDF-\d", f"a PDF: {TEXT}", quotes=True),
    _form(
        "--- diff Index: commit", r"(?:[^\n]*+\n){0,40}?--- \S[^\n]*+\n\+\+\+ \S[^\n]*\n@@ -\d",
        "a diff of two files: save the complete file", quotes=True,
    ),
    _form(
        "", r"(?:[A-Z][\w-]*+: [^\n]*+\n(?:[ \t][^\n]*+\n)*+){0,100}?Content-Transfer-Encoding: *"
        r"(?:base64|quoted-printable)", "an encoded mail: save the text or the attachment itself",
        quotes=True,
    ),
    # After the first line, whose own mark may be a blank, every line has a mark; in a shell trace a
    # blank follows the mark.
    _form(
        "", r"[^\n]*+\n(?:(?!\+(?! \S))[ @\\+-][^\n]*+\n|[ \t\r]*+\n)*+\+(?! \S)[^\n]*+"
        r"(?:\n(?:[ @\\+-][^\n]*+|\r)?)*+\Z",
        "a diff with + and - marks: save the file itself", quotes=True,
    ),
    _form("-----BEGIN", r"-----BEGIN PGP MESSAGE", "an encrypted file (PGP): decrypt it first"),
    _form("$ANSIBLE_VAULT", r"\$ANSIBLE_VAULT;", "a file encrypted by Ansible: decrypt it first"),
    _form("{", r"\{[\s\S]*?\"ENC\[AES256", "values encrypted by SOPS: decrypt it first"),
    _form("version", r"version https://git-lfs", "a Git LFS pointer: fetch the file itself"),
    _form("<", r"<(?:!DOCTYPE html|html)\b", f"an HTML page without the original text: {TEXT}"),
    _form("{ [", r"[{\[][\s\S]*?\"(?:__XML__\w+|nf:filter)\"",
          "NX-OS as JSON: save the text form of `show running-config`"),
    _form("{ [", r"[{\[]\s*\"(?:\w[\w-]*:)?interfaces\"\s*:\s*\{\s*\"interface\"\s*:\s*\[[\s\S]*?"
          r"\"(?:config|state)\"\s*:\s*\{",
          "OpenConfig: save the running configuration in the text form of the system"),
    _form("{", r"\{\s*\"(?:jsonrpc|ins_api)\"", "a device API response (JSON): save the "
          "running configuration in the text form of the system"),
    _form("{", r"\{\"version\": ?\d, ?\"width\"",
          "a terminal recording (asciinema): save the output of `asciinema cat`"),
    _form("{", r"\{\s*\"interfaces\"\s*:\s*\{[\s\S]*?\"(?:lineProtocolStatus|interfaceStatus)\"",
          "command output as JSON: save the running configuration in the text form"),
    _form("notification update",
          r"(?:notification|update):? *\{\s*(?:timestamp|update|prefix|path)",
          "gNMI notifications: save the running configuration in the text form of the system"),
    _form("<?xml <", r"<\?xml\b|<(?P<tag>[\w:.-]{1,80})[\s>][\s\S]*?</(?P=tag)>",
          "an XML document: save the running configuration in the text form of the system"),
    _form("", r"[^\n]*\| *display set relative\b"
          r"|(?:set (?!version |groups |apply-groups |/ )\S++[^\n]*+\n){3,}+"
          r"(?:set [^\n]*+\n?)*+\Z",
          "`set` lines relative to an unknown path (`display set relative`): save "
          "`show configuration | display set`"),
    _form("", r"(?:\^?[ \t]*+\n)*+%? ?(?:Invalid|Incomplete|Unrecognized|Ambiguous|Authorization|"
          r"Access denied|Permission denied|Error|ssh: |Connection |Host key )[^\n]*\s*\Z",
          "an error message instead of a configuration: collect it again"),
    _form("", r"[\w\"' .()/-]{1,40}(?P<by>[,;\t])[^\n]*(?P=by)[^\n]*+\n"
          r"(?:[^\n]*(?P=by)[^\n]*(?P=by)[^\n]*+(?:\n++|\Z))++\Z",
          "a CSV table, not a configuration: save the configuration "
          "itself; a table of links is given with --links"),
    _form("", r"(?:[A-Z][\w-]*MIB::[\w.]+|\.?(?:iso|1)\.3\.6\.1\.[\d.]+) = [A-Za-z-]+: ",
          "SNMP output: save the running configuration in the text form of the system"),
    _form("", r"(?=[A-Za-z0-9+/]{40})(?:[A-Za-z0-9+/]{40,}+={0,2}+\s++)*+"
          r"[A-Za-z0-9+/]*+={0,2}\s*\Z",
          "base64 text: decode it first"),
)  # fmt: skip


_QUOTING = tuple(form for form in _FORMS if form.quotes)
_ANY_QUOTING = tuple(word for form in _QUOTING for word in form.begins if word)
_WORDLESS = tuple(form for form in _QUOTING if "" in form.begins)


def form_of_text(text: str, *, quotes: bool = False) -> str:
    """The form of a text and what to save instead; empty if unknown.

    `quotes`: only the forms whose lines would be read as those of a device.
    """
    head = text[:HEAD].lstrip("\ufeff \t\r\n")
    whole = len(text) <= HEAD
    forms: tuple[_Form, ...] = _FORMS
    if quotes:  # runs on every file, and nearly none begins with these words
        forms = _QUOTING if head.startswith(_ANY_QUOTING) else _WORDLESS
    for form in forms:
        if not head.startswith(form.begins):
            continue
        if form.pattern.match(head if whole else head[: head.rfind("\n") + 1] or head):
            return form.message
    return ""


# Reports: the output of a checker quotes configurations and is not one.

_BEGINS = re.compile(
    r"""\s*(?:
        \{\s*"schema":\s*"roce-lint/                                     # JSON, baseline
      | \{"kind":\ "run",\ "entry":\ \{                                   # JSON Lines
      | kind,severity,confidence,rule,name,device,                        # CSV
      | \{\s*"(?:\$schema":\s*"[^"]{0,200}sarif|version":\s*"2\.1\.0")   # SARIF
      | (?:<\?xml[^>]{0,200}>\s*)?<testsuites?[\s>]                      # JUnit
      | \[\s*\{\s*"description":\s*"[A-Z]{3}\d{3}\ [a-z0-9-]+:\          # GitLab
      | ::(?:error|warning|notice)\                                      # GitHub
      | \#\#\#\ roce-lint:\                                              # Markdown
      | \#\ Commands\ of\ roce-lint,\ no\ configuration                    # generate --commands
      | <!DOCTYPE\ html>[^\0]{0,2000}<meta\ name="generator"\ content="roce-lint\   # page
    )""",
    re.VERBOSE,
)
_BEGIN = ("{", "[", "<", "::", "kind,", "### roce", "# Commands")
"""Beginnings of the texts that the pattern above may match."""

_FINDING = re.compile(
    r"^\S[^\n]{0,2000}: (?:error|warning|info) [A-Z]{3}\d{3} [a-z0-9]+-[a-z0-9-]+", re.MULTILINE
)
_WORDS = (": error ", ": warning ", ": info ")


_BASELINE = re.compile(r'\s*\{\s*"schema":\s*"roce-lint/baseline/')


def is_baseline(text: str) -> bool:
    """Whether a text is a list of accepted findings, which controls a run like settings do."""
    return _BASELINE.match(text) is not None


def is_report(text: str) -> bool:
    """Whether a text is a report in any format of roce-lint, a baseline or commands written by it,
    or SARIF of another tool.
    """
    head = text[:HEAD]
    if head.lstrip().startswith(_BEGIN) and _BEGINS.match(text):
        return True
    return any(word in head for word in _WORDS) and _FINDING.search(head) is not None


# Unsupported forms of configurations, and what to save instead.

_CONFIG_HEAD = 64 << 10
"""Characters in which an unsupported form of configuration is recognisable."""

_TERRAFORM = (
    r"\A(?:#[^\n]*\n|//[^\n]*\n|\s)*+(?:(?:resource|data) \"[\w-]+\" \"[\w-]+\""
    r"|(?:provider|variable|module|output) \"[\w-]+\"|terraform|locals) *\{"
)
_OF_DEVICES = re.compile(
    r"^(?:resource|data|provider) \"(?!(?:aws|azurerm|azuread|google|kubernetes|helm|random|null"
    r"|local|tls)[_\"])|qos|pfc|dscp|\becn\b|NCCL_",
    re.MULTILINE | re.IGNORECASE,
)
"""Terraform content that may configure devices rather than a cloud."""
_NOTIFICATIONS = (
    r"\A\s*[{\[][\s\S]{0,4000}?\"(?:timestamp|sync-response|sync_response|updates"
    r"|subscription-name)\"[\s\S]{0,4000}?\"(?:Path|path|prefix|updates|values)\" *:"
)
_NETCONF = (
    r"\A\s*(?:<\?xml[^>]{0,200}>\s*)?(?:<rpc-reply\b"
    r"|<[\w:-]{1,40}[^>]{0,400}\burn:ietf:params:xml:ns:netconf)"
)
_UNSUPPORTED = tuple(
    (re.compile(pattern, re.MULTILINE), message)
    for pattern, message in (
        (
            _TERRAFORM,
            "a Terraform file (HCL) that generates configurations: save its rendered output",
        ),
        (
            _NOTIFICATIONS,
            "gNMI notifications: save the running configuration in the text form of the system",
        ),
        (
            r"\A\s*[{\[<][\s\S]*?\bopenconfig[-:][\w-]+",
            "OpenConfig: save the running configuration in the text form of the system",
        ),
        (
            r"\A\s*\[\s*\{\s*\"(?:op|path|value)\" *: *\"(?:add|replace|remove|/)",
            "a JSON patch, not a configuration: save the configuration it was applied to",
        ),
        (
            r"\A\s*\{[\s\S]*?\"(?:TABLE|ROW)_[a-z][\w-]*\" *:",
            "command output as JSON tables: save the text form of the running configuration",
        ),
        (
            _NETCONF,
            "a NETCONF reply (XML): save the running configuration in the system's text form",
        ),
    )
)
_UNSUPPORTED_WORDS = (
    ("{",),
    ("timestamp", "sync", "updates", "subscription"),
    ("openconfig",),
    ('"op"', '"path"', '"value"'),
    ("TABLE_", "ROW_"),
    ("rpc-reply", "netconf"),
)
"""Words by form: a text of the form contains at least one. Searched before the regexes."""

_BEGINNINGS = ("{", "[", "<", "#", "/", "r", "d", "p", "v", "m", "o", "t", "l")


def refusal(text: str) -> str:
    """The unsupported form of a text and what to save instead; empty for any other text."""
    head = text[:_CONFIG_HEAD]
    in_a_cloud = is_program(head) and not _OF_DEVICES.search(head)
    if in_a_cloud or not head.lstrip().startswith(_BEGINNINGS):
        return ""
    return next(
        (
            message
            for (form, message), words in zip(_UNSUPPORTED, _UNSUPPORTED_WORDS, strict=True)
            if any(word in head for word in words) and form.match(head)
        ),
        "",
    )


def is_program(text: str) -> bool:
    """Whether a file generates configurations and quotes their lines."""
    return _UNSUPPORTED[0][0].match(text[:_CONFIG_HEAD]) is not None
