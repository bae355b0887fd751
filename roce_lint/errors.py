"""Every exception roce-lint raises on purpose.

An exception is for a problem the caller must fix before anything can run. A problem with one file,
line or host is a finding or a diagnostic instead: a run over 5,000 devices must end with an answer.
"""

from __future__ import annotations

from collections.abc import Iterable


class RoceLintError(Exception):
    """Base of all our errors: a message, its location, and a hint."""

    def __init__(self, message: str, *, location: str | None = None, hint: str | None = None):
        super().__init__(message)
        self.message = message
        self.location = location
        self.hint = hint

    def __str__(self) -> str:
        where = f"{self.location}: " if self.location else ""
        hint = f" ({self.hint})" if self.hint else ""
        return f"{where}{self.message}{hint}"


class UsageError(RoceLintError):
    """A path or option that cannot be used as given."""


class SettingsError(RoceLintError):
    """roce-lint.toml is not valid."""


class SeveralErrors(RoceLintError):
    """The first of several errors in the input; `others` are the rest, in order."""

    def __init__(
        self,
        message: str,
        *,
        location: str | None = None,
        hint: str | None = None,
        others: Iterable[RoceLintError] = (),
    ):
        super().__init__(message, location=location, hint=hint)
        self.others = tuple(others)

    def __str__(self) -> str:
        return "\n".join([super().__str__(), *map(str, self.others)])


class IntentError(SeveralErrors):
    """An intent or profile file is not valid."""


class LinksError(RoceLintError):
    """A cable plan (links.yaml or CSV) is not valid."""


class DetectionError(RoceLintError):
    """A file could not be attributed to one network operating system."""


class UnknownFormat(DetectionError):
    """No source signature scores for the file."""


class UnreadOutput(UnknownFormat):
    """The output of a command that no reader takes, or one that the device rejected."""


class AmbiguousFormat(DetectionError):
    """Two sources have equal scores; the message names both and their evidence."""


class ReadError(RoceLintError):
    """One file cannot be read as what it claims to be (syntax, encoding, size)."""


class ExtractError(RoceLintError):
    """A parsing template is wrong; the message says which template line."""


class RulePageError(SeveralErrors):
    """Rule pages are wrong: front matter, headings, examples or names of checks."""


class RenderError(RoceLintError):
    """A template lacks a value, or a path or text cannot be rendered."""


class WriteError(RoceLintError):
    """A file cannot be written; an existing one is untouched."""
