"""Files that are no text of a device, by their form, and what to save instead.

The forms are those in which a text is kept, sent or shown by other programs. Whoever names such a
file is told what it is; a file that nobody named is passed over with that as the reason.
"""

from __future__ import annotations

import re
import zipfile
from dataclasses import dataclass
from io import BytesIO

HEAD = 16 << 10
"""Characters in which a form shows."""

TEXT = "save what it shows as plain text"
_BYTES = (
    (b"%PDF-", "a PDF"),
    (b"\x89PNG\r\n", "a picture (PNG)"),
    (b"\xff\xd8\xff", "a picture (JPEG)"),
    (b"GIF8", "a picture (GIF)"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a document of an office program"),
    (b"SQLite format 3\x00", "a database of SQLite"),
    (b"Salted__", "an encrypted file (OpenSSL)"),
    (b"\x80\x03PGP", "an encrypted file (PGP)"),
    (b"\xd4\xc3\xb2\xa1", "captured packets (pcap)"),
    (b"\xa1\xb2\xc3\xd4", "captured packets (pcap)"),
    (b"\x0a\x0d\x0d\x0a", "captured packets (pcapng)"),
)
_PACKED = ((b"7z\xbc\xaf\x27\x1c", "7z"), (b"Rar!\x1a\x07", "RAR"), (b"\x04\x22\x4d\x18", "lz4"))
_EBCDIC = "cp037"
_NO_WORD = re.compile(r"[^A-Za-z0-9 \n]")
_OFFICE = {
    "word/": "a text of an office program",
    "xl/": "a table of an office program",
    "ppt/": "slides of an office program",
    "content.xml": "a document of an office program",
}


def form_of_bytes(data: bytes) -> str:
    """What bytes are that are no text; empty where nothing tells."""
    for begin, what in _BYTES:
        if data.startswith(begin):
            does = "decrypt it first" if "encrypted" in what else TEXT
            return f"{what}: {does}"
    for begin, what in _PACKED:
        if data.startswith(begin):
            return f"packed ({what}); unpack it first"
    if data.startswith(b"PK\x03\x04"):
        return _in_zip(data)
    return "a text in EBCDIC: convert it (iconv -f CP037 -t UTF-8)" if _is_ebcdic(data) else ""


def _is_ebcdic(data: bytes) -> bool:
    """Whether the letters of a mainframe make words: its blank is no letter of ours."""
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
    """A form: the words it begins with, its regex, what it is, and what to do.

    `quotes` tells that it holds lines as they are printed, which would be taken for those of a
    device although what stands between and around them is not.
    """

    begins: tuple[str, ...]
    pattern: re.Pattern[str]
    said: str
    quotes: bool = False


def _form(begins: str, pattern: str, said: str, *, quotes: bool = False) -> _Form:
    words = tuple(begins.split(" ")) if begins else ("",)
    return _Form(words, re.compile(pattern, re.MULTILINE), said, quotes)


_FORMS = (
    _form(r"{\rtf", r"\{\\rtf\d", f"a text in RTF: {TEXT}", quotes=True),
    _form("%PDF-", r"%PDF-\d", f"a PDF: {TEXT}", quotes=True),
    _form(
        "--- diff Index: commit", r"(?:[^\n]*+\n){0,40}?--- \S[^\n]*+\n\+\+\+ \S[^\n]*\n@@ -\d",
        "the differences of two files: save the whole file", quotes=True,
    ),
    _form(
        "", r"(?:[A-Z][\w-]*+: [^\n]*+\n(?:[ \t][^\n]*+\n)*+){0,100}?Content-Transfer-Encoding: *"
        r"(?:base64|quoted-printable)", "an encoded mail: save the text or the attachment itself",
        quotes=True,
    ),
    # Behind the first line, whose own mark may be a blank, every line has one of its own; a shell
    # that traces writes a blank behind its mark.
    _form(
        "", r"[^\n]*+\n(?:(?!\+(?! \S))[ @\\+-][^\n]*+\n|[ \t\r]*+\n)*+\+(?! \S)[^\n]*+"
        r"(?:\n(?:[ @\\+-][^\n]*+|\r)?)*+\Z",
        "lines of a comparison, marked + and -: save the file itself", quotes=True,
    ),
    _form("-----BEGIN", r"-----BEGIN PGP MESSAGE", "an encrypted file (PGP): decrypt it first"),
    _form("$ANSIBLE_VAULT", r"\$ANSIBLE_VAULT;", "a file encrypted by Ansible: decrypt it first"),
    _form("{", r"\{[\s\S]*?\"ENC\[AES256", "values encrypted by SOPS: decrypt it first"),
    _form("version", r"version https://git-lfs", "a pointer of Git LFS: fetch the file itself"),
    _form("<", r"<(?:!DOCTYPE html|html)\b", "a page of HTML without the text in it as it was "
          f"printed: {TEXT}"),
    _form("{ [", r"[{\[][\s\S]*?\"(?:__XML__\w+|nf:filter)\"",
          "NX-OS as JSON: save the text form of `show running-config`"),
    _form("{ [", r"[{\[]\s*\"(?:\w[\w-]*:)?interfaces\"\s*:\s*\{\s*\"interface\"\s*:\s*\[[\s\S]*?"
          r"\"(?:config|state)\"\s*:\s*\{",
          "OpenConfig: save the running configuration in the text form of the system"),
    _form("{", r"\{\s*\"(?:jsonrpc|ins_api)\"", "the answer of a device's API as JSON: save the "
          "running configuration in the text form of the system"),
    _form("{", r"\{\"version\": ?\d, ?\"width\"",
          "a recording of a terminal (asciinema): save what `asciinema cat` prints"),
    _form("{", r"\{\s*\"interfaces\"\s*:\s*\{[\s\S]*?\"(?:lineProtocolStatus|interfaceStatus)\"",
          "the output of a command as JSON: save the running configuration in the text form"),
    _form("notification update",
          r"(?:notification|update):? *\{\s*(?:timestamp|update|prefix|path)",
          "notifications of gNMI: save the running configuration in the text form of the system"),
    _form("<?xml <", r"<\?xml\b|<(?P<tag>[\w:.-]{1,80})[\s>][\s\S]*?</(?P=tag)>",
          "a document of XML: save the running configuration in the text form of the system"),
    _form("", r"[^\n]*\| *display set relative\b"
          r"|(?:set (?!version |groups |apply-groups |/ )\S++[^\n]*+\n){3,}+"
          r"(?:set [^\n]*+\n?)*+\Z",
          "`set` lines that do not say below what they stand (`display set relative`): save "
          "`show configuration | display set`"),
    _form("", r"(?:\^?[ \t]*+\n)*+%? ?(?:Invalid|Incomplete|Unrecognized|Ambiguous|Authorization|"
          r"Access denied|Permission denied|Error|ssh: |Connection |Host key )[^\n]*\s*\Z",
          "what a device or a program says when it fails, and no configuration: collect it again"),
    _form("", r"[\w\"' .()/-]{1,40}(?P<by>[,;\t])[^\n]*(?P=by)[^\n]*+\n"
          r"(?:[^\n]*(?P=by)[^\n]*(?P=by)[^\n]*+(?:\n++|\Z))++\Z",
          "a table (CSV), and no configuration of a device: save that "
          "itself; a table of links is given with --links"),
    _form("", r"(?:[A-Z][\w-]*MIB::[\w.]+|\.?(?:iso|1)\.3\.6\.1\.[\d.]+) = [A-Za-z-]+: ",
          "answers of SNMP: save the running configuration in the text form of the system"),
    _form("", r"(?=[A-Za-z0-9+/]{40})(?:[A-Za-z0-9+/]{40,}+={0,2}+\s++)*+"
          r"[A-Za-z0-9+/]*+={0,2}\s*\Z",
          "base64: decode it first"),
)  # fmt: skip


_QUOTING = tuple(form for form in _FORMS if form.quotes)
_ANY_QUOTING = tuple(word for form in _QUOTING for word in form.begins if word)
_WORDLESS = tuple(form for form in _QUOTING if "" in form.begins)


def form_of_text(text: str, *, quotes: bool = False) -> str:
    """What a text is and what to save instead; empty where nothing tells.

    `quotes`: only the forms whose lines would be taken for those of a device.
    """
    head = text[:HEAD].lstrip("\ufeff \t\r\n")
    whole = len(text) <= HEAD
    forms: tuple[_Form, ...] = _FORMS
    if quotes:  # asked of every file, and nearly none begins with their words
        forms = _QUOTING if head.startswith(_ANY_QUOTING) else _WORDLESS
    for form in forms:
        if not head.startswith(form.begins):
            continue
        if form.pattern.match(head if whole else head[: head.rfind("\n") + 1] or head):
            return form.said
    return ""
