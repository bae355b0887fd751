"""Whether a configuration was cut off: it lacks its end, or its last line breaks off in a word."""

from __future__ import annotations

import re

from roce_lint.nos.base import Form, Source
from roce_lint.nos.declare import Ending

HEADING = 20
"""Lines at the beginning in which a device says what it prints."""

BACK = 50
"""Lines at the end among which the last of the configuration is."""

CUT_OFF = "cut off"
"""First words of a message about a text that is cut off."""

_WORD_GOES_ON = re.compile(r"[a-z-]")


def cut_off(source: Source, text: str, *, at_end: bool) -> str:
    """What shows that a configuration was cut off; empty where nothing does.

    `at_end` tells that its last line is the file's and has no end there.
    """
    if not source.base:
        return _what_is_lacking(text) if source.speaks else ""
    if source.ending is not None and _lacks_end(source, source.ending, text):
        return f"the last line of such a text, {source.ending.ends!r}, is missing"
    if at_end and source.form in (Form.INDENTED, Form.STATEMENTS, Form.RAW):
        return _broken_word(text)
    return ""


def _lacks_end(source: Source, ending: Ending, text: str) -> bool:
    head = [line.strip() for line in text.split("\n", HEADING)[:HEADING]]
    tail = [line.strip() for line in text.rstrip().rsplit("\n", BACK)[-BACK:]]
    whole = any(re.fullmatch(ending.begins, line) for line in head)
    if not whole or any(re.fullmatch(ending.ends, line) for line in tail):
        return False
    pieces = ending.excerpted and any(re.fullmatch(ending.excerpted, line) for line in head)
    return not (pieces and source.comment and re.match(source.comment, tail[-1]))


def _what_is_lacking(text: str) -> str:
    """An output whose command says something whenever it works, and of which only that is left."""
    heading, _, output = text.partition("\n")
    if output and not output.isspace():
        return ""
    return "what its command printed is missing, or it failed" if heading.startswith("#") else ""


def _broken_word(text: str) -> str:
    """A last line without its end that is the beginning of another line, up to within a word."""
    last = text[text.rfind("\n") + 1 :].lstrip()
    if not last or not last[-1].isalpha() or len(last) > 1000:
        return ""
    at = text.find(last)
    end = len(text) - len(last)
    while 0 <= at < end:
        start = text.rfind("\n", 0, at) + 1
        if not text[start:at].strip() and _WORD_GOES_ON.match(text, at + len(last)):
            return f"its last line, {last[-60:]!r}, ends in the middle of a word"
        at = text.find(last, at + 1)
    return ""
