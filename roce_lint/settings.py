"""Settings of a site: roce-lint.toml, or [tool.roce-lint] of pyproject.toml."""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PrivateAttr,
    StrictBool,
    StringConstraints,
    ValidationError,
)

from roce_lint.budget import GENEROUS, Limits
from roce_lint.errors import ReadError, SettingsError
from roce_lint.text.redaction import redact
from roce_lint.text.tree import load_toml

FILE_NAME = "roce-lint.toml"
PYPROJECT = "pyproject.toml"
_TABLE = ("tool", "roce-lint")

SIZE_LIMIT = 1 << 20
"""Largest settings file in bytes; a thousand waivers take 200 kB."""

Keys = tuple[Hashable, ...]

_PREFIX = re.compile(r"[A-Z]{1,3}|[A-Z]{3}\d{1,3}")
_TOML_TOKEN = re.compile(
    r"""
      \"{3}(?:\\.|[^\\])*?\"{3,5}   # multi-line text; up to two quotes may stand before its end
    | '{3}.*?'{3,5}
    | \"(?:\\.|[^\"\\\n])*\"
    | '[^'\n]*'
    | \#[^\n]*
    | [\[\]{}\n]
    """,
    re.DOTALL | re.VERBOSE,
)


def rule_prefix(text: str) -> str:
    """Return a rule id or the beginning of one, in capitals.

    Raises:
        ValueError: the text is neither.
    """
    prefix = text.strip().upper()
    if not _PREFIX.fullmatch(prefix):
        raise ValueError(f"{text!r} is not a rule id or prefix (such as MTU001, MTU or PFC0)")
    return prefix


def _rule_id(text: str) -> str:
    rule = text.strip().upper()
    if not re.fullmatch(r"[A-Z]{3}\d{3}", rule):
        raise ValueError("is not a rule id (such as MTU001)")
    return rule


def _day(value: object) -> object:
    refusal = ValueError("must be a date such as 2027-01-31")
    if isinstance(value, str):
        try:
            return date.fromisoformat(value)
        except ValueError:
            raise refusal from None
    if isinstance(value, datetime) or not isinstance(value, date | None):
        raise refusal
    return value


def help_url(text: str) -> str:
    """Return a URL with a placeholder for the rule.

    Raises:
        ValueError: the text is not one.
    """
    if not re.match(r"https?://[^\s/]+/", text) or not re.search(r"\{(id|page|path)\}", text):
        raise ValueError("must be a URL with {id} or {path} (https://docs.site/{path}.html)")
    return text


HelpUrl = Annotated[str, AfterValidator(help_url)]
RulePrefix = Annotated[str, AfterValidator(rule_prefix)]
RuleId = Annotated[str, AfterValidator(_rule_id)]
Day = Annotated[date, BeforeValidator(_day)]
Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
RoleName = Literal["leaf", "spine", "superspine", "border", "storage", "host", "other"]


class _Part(BaseModel):
    # Built when a file is read: most runs have none.
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class FileSettings(_Part):
    """Settings of files whose name (relative to PATH) matches a glob."""

    nos: str | None = None
    device: Words | None = None  # used where the file has no host name
    role: RoleName | None = None
    ignore: StrictBool = False


class RuleSettings(_Part):
    """Severity and parameters of one rule."""

    severity: Literal["error", "warning", "info"] | None = None
    params: dict[str, Any] = Field(default_factory=dict)


class Waiver(_Part):
    """Accepted findings, by rule prefix, device glob and subject globs, until a day."""

    rule: RulePrefix
    device: str = "*"
    subjects: tuple[str, ...] = ()
    reason: Words
    expires: Day | None = None  # last day of validity


class CatalogSettings(_Part):
    """Folders with the site's profiles and hardware, relative to the settings file."""

    profiles: tuple[str, ...] = ()
    hardware: tuple[str, ...] = ()


class LimitSettings(_Part):
    """Limits of reading one device and of running one check; 0 is unlimited."""

    device_seconds: Annotated[float, Field(ge=0, alias="device-seconds")] = GENEROUS.device_seconds
    device_gib: Annotated[float, Field(ge=0, alias="device-gib")] = GENEROUS.device_gib
    check_seconds: Annotated[float, Field(ge=0, alias="check-seconds")] = GENEROUS.check_seconds

    def limits(self) -> Limits:
        """Convert to the limits that readers and checks take."""
        return replace(GENEROUS, **{name: getattr(self, name) for name in type(self).model_fields})


class Settings(_Part):
    """Settings of one run; each has a default."""

    select: tuple[RulePrefix, ...] = ()
    ignore: tuple[RulePrefix, ...] = ()
    fail_on: Literal["error", "warning", "info", "never"] | None = Field(
        default=None, validation_alias=AliasChoices("fail-on", "fail_on")
    )
    profile: str | None = None
    help_url: HelpUrl | None = Field(
        default=None, validation_alias=AliasChoices("help-url", "help_url")
    )
    files: dict[str, FileSettings] = Field(default_factory=dict)
    roles: dict[str, RoleName] = Field(default_factory=dict)
    rules: dict[RuleId, RuleSettings] = Field(default_factory=dict)
    waivers: tuple[Waiver, ...] = Field(default=(), validation_alias=AliasChoices("waiver"))
    catalog: CatalogSettings = Field(default_factory=CatalogSettings.model_construct)
    limits: LimitSettings = Field(default_factory=LimitSettings.model_construct)

    _path: Path | None = PrivateAttr(default=None)
    _lines: dict[Keys, int] = PrivateAttr(default_factory=dict)
    _found: bool = PrivateAttr(default=False)

    def model_post_init(self, context: Any, /) -> None:
        """Keep the file and the lines, for messages."""
        if context is not None:
            self._path, self._lines = context

    @property
    def path(self) -> Path | None:
        """File of the settings; None without one."""
        return self._path

    @property
    def found(self) -> bool:
        """Whether the file was found beside the configurations, not named."""
        return self._found

    def place(self, *keys: Hashable) -> str | None:
        """`file:line` of a key, or of the table that lacks it; None without a file."""
        if self._path is None:
            return None
        line = self._lines.get(_nearest(keys, self._lines))
        return f"{self._path}:{line}" if line is not None else str(self._path)

    def line(self, *keys: Hashable) -> int | None:
        """Line of the table or key at this path of the file."""
        return self._lines.get(_plain(keys))


NONE = Settings.model_construct()
"""Defaults, which hold without a file."""


def find(paths: Iterable[str]) -> Path | None:
    """Find the settings file for a run over these paths.

    Searched beside the first path and upwards, up to the root of the repository (the folder with
    .git). In one folder roce-lint.toml wins over pyproject.toml, which needs [tool.roce-lint].
    """
    first = next(iter(paths), ".")
    start = Path("." if first == "-" else first).resolve()
    folders = [start, *start.parents] if start.is_dir() else list(start.parents)
    for folder in folders:
        for candidate in (folder / FILE_NAME, folder / PYPROJECT):
            # os.path returns False where a folder may not be searched; Path's methods raise
            if os.path.isfile(candidate) and _has_settings(candidate):  # noqa: PTH113
                return near_path(candidate)
        if os.path.exists(folder / ".git"):  # noqa: PTH110
            return None
    return None


def near_path(path: Path) -> Path:
    """A path relative to the working folder, if it is below."""
    near = os.path.relpath(path)
    return path.absolute() if near.startswith("..") else Path(near)


def _has_settings(path: Path) -> bool:
    """Whether a file of this name holds settings; a broken pyproject.toml that may is an error."""
    if path.name != PYPROJECT:
        return True
    try:
        with path.open("rb") as file:
            text = file.read(SIZE_LIMIT + 1).decode("utf-8-sig", "replace")
    except OSError:
        return False
    if _TABLE[1] not in text:
        return False
    try:
        return _table(load_toml(str(path), text)) is not None
    except ReadError:
        return True  # `load` states the line


def _table(data: dict[str, Any]) -> Any:
    """[tool.roce-lint] of a pyproject.toml; None without one."""
    tool = data.get(_TABLE[0])
    return tool.get(_TABLE[1]) if isinstance(tool, dict) else None


def load(path: Path, *, found: bool = False, text: str | None = None) -> Settings:
    """Read a settings file; `found` where it was not named: it belongs to the checked tree. `text`
    is its text where it is not on disk.

    Raises:
        SettingsError: it cannot be read, is not TOML, or has an unknown key or a wrong value; the
            location names the line.
    """
    text = _read(path) if text is None else text
    try:
        data = load_toml(str(path), text)
    except ReadError as error:
        raise SettingsError(error.message, location=error.location) from None
    lines = _index(text)
    if path.name == PYPROJECT:
        data = _table(data)
        if data is None:
            raise SettingsError("has no table [tool.roce-lint]", location=str(path))
        table = _plain(_TABLE)
        lines = {keys[2:]: line for keys, line in lines.items() if keys[:2] == table}
    try:
        settings = Settings.model_validate(data, context=(path, lines))
    except ValidationError as error:
        raise _refusal(error, path, lines) from None
    settings._found = found  # noqa: SLF001  (of this module)
    return settings


def portable_text(path: Path) -> str:
    """The settings in a file on the same lines, without secrets and all that is not settings."""
    lines = [""] * (_read(path).count("\n") + 1)
    table = _plain(_TABLE)
    own = path.name != PYPROJECT
    for number, statement in _statements(_read(path)):
        if path.name == PYPROJECT and statement.lstrip().startswith("["):
            own = _plain(next(_paths(tomllib.loads(statement))))[:2] == table
        if own:
            for at, line in enumerate(_TOML_TOKEN.sub(_mask, statement).splitlines()):
                lines[number - 1 + at] = line
    return "\n".join(lines)


def _mask(token: re.Match[str]) -> str:
    """A token of TOML without a secret."""
    text = token[0]
    if text.startswith("#"):
        return ""
    quote = text[:3] if text[:3] in ('"""', "'''") else text[:1]
    if quote[0] not in "\"'":
        return text
    return f"{quote}{redact(text[len(quote) : -len(quote)])}{quote}"


def _read(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(SIZE_LIMIT + 1)
    except OSError as error:
        raise SettingsError(error.strerror or str(error), location=str(path)) from None
    if len(data) > SIZE_LIMIT:
        raise SettingsError(f"larger than {SIZE_LIMIT >> 20} MiB", location=str(path))
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SettingsError("not UTF-8 text", location=f"{path}:{line}") from None


def _refusal(error: ValidationError, path: Path, lines: dict[Keys, int]) -> SettingsError:
    """First error, with the line of the key (or of the table that lacks it)."""
    first = min(error.errors(), key=lambda e: lines.get(_nearest(e["loc"], lines), 0))
    keys: Keys = first["loc"]
    name = ".".join(str(key) for key in keys if not isinstance(key, int) and key != "[key]")
    name = name or "[tool.roce-lint]"
    hint = None
    if first["type"] == "extra_forbidden":
        message = f"unknown key {name!r}"
        hint = _known_names(keys)
    elif first["type"] == "missing":
        message = f"{name!r} is missing"
    else:
        message = f"{name}: {_MESSAGES.get(first['type']) or reword_error(first['msg'])}"
        if keys == ("waiver",):
            hint = "each waiver begins with [[waiver]]"
    line = lines.get(_nearest(keys, lines), 1)
    return SettingsError(message, location=f"{path}:{line}", hint=hint)


_MESSAGES = {
    "bool_type": "must be true or false",
    "dict_type": "must be a table",
    "model_type": "must be a table",
    "string_too_short": "must not be empty",
    "string_type": "must be text",
    "tuple_type": "must be a list",
}


def reword_error(message: str) -> str:
    """Reword a message of pydantic for readers who do not write Python."""
    reworded = message.removeprefix("Value error, ").replace("Input should be", "must be")
    return reworded.split(", unable to parse")[0]


_TABLES: dict[str, type[BaseModel]] = {
    "files": FileSettings,
    "rules": RuleSettings,
    "waiver": Waiver,
    "catalog": CatalogSettings,
    "limits": LimitSettings,
}


def _known_names(keys: Keys) -> str:
    model: type[BaseModel] = Settings if len(keys) == 1 else _TABLES[str(keys[0])]
    renamed = {"waivers": "waiver"}
    known = sorted(renamed.get(name, name).replace("_", "-") for name in model.model_fields)
    close = difflib.get_close_matches(str(keys[-1]).replace("_", "-"), known, 1)
    return f"did you mean {close[0]!r}?" if close else f"known are {', '.join(known)}"


def _nearest(keys: Keys, lines: dict[Keys, int]) -> Keys:
    plain = _plain(keys)
    while plain and plain not in lines:
        plain = plain[:-1]
    return plain


def _plain(keys: Keys) -> Keys:
    return tuple(key.replace("-", "_") if isinstance(key, str) else key for key in keys)


def _index(text: str) -> dict[Keys, int]:
    """Line of every table and key, which tomllib does not give."""
    lines: dict[Keys, int] = {}
    counts: dict[Keys, int] = {}
    table: Keys = ()
    for number, statement in _statements(text):
        if statement.lstrip().startswith("["):
            table = _resolve(next(_paths(tomllib.loads(statement))), counts)
            if statement.lstrip().startswith("[["):
                counts[table] = counts.get(table, -1) + 1
                table = (*table, counts[table])
            lines.setdefault(_plain(table), number)
            continue
        for path in _paths(tomllib.loads(statement)):
            for depth in range(1, len(path) + 1):
                lines.setdefault(_plain((*table, *path[:depth])), number)
    return lines


def _resolve(path: Keys, counts: dict[Keys, int]) -> Keys:
    """Resolve a header below an array of tables to the last table of the array."""
    resolved: Keys = ()
    for number, key in enumerate(path, 1):
        resolved = (*resolved, key)
        if number < len(path) and resolved in counts:
            resolved = (*resolved, counts[resolved])
    return resolved


def _paths(data: Any, keys: Keys = ()) -> Iterator[Keys]:
    """Paths to the leaves of a parsed statement, an empty table included."""
    if isinstance(data, dict) and data:
        for key, value in data.items():
            yield from _paths(value, (*keys, key))
    else:
        yield keys


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """Statements of a valid TOML text, each with its first line."""
    begin = depth = 0
    line = first = 1
    for token in _TOML_TOKEN.finditer(text + "\n"):
        mark = token[0]
        if mark in ("[", "{"):
            depth += 1
        elif mark in ("]", "}"):
            depth -= 1
        line += mark.count("\n")
        if mark == "\n" and depth == 0:
            statement = text[begin : token.end()]
            if statement.strip() and not statement.lstrip().startswith("#"):
                yield first, statement
            begin, first = token.end(), line
