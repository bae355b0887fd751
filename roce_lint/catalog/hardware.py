"""Switch models, their ASICs and buffer limits (rules/hardware/*.toml)."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from roce_lint.catalog.profiles import toml_files
from roce_lint.catalog.refusals import Closed, refusals
from roce_lint.errors import ReadError, UsageError
from roce_lint.model.device import Asic, Device
from roce_lint.resources import resource_dir
from roce_lint.text.files import read_small
from roce_lint.text.tree import line_of_keys, load_toml

Patterns = tuple[str, ...]


class AsicSchema(Closed):
    """One ASIC: `models` are patterns of model names as devices print them, in any case."""

    name: str = Field(min_length=2)
    models: Patterns = Field(min_length=1)
    source: str = Field(min_length=10)
    confidence: Literal["confirmed", "unconfirmed"]
    buffer_bytes: int | None = Field(default=None, gt=0, le=1 << 40)
    cell_bytes: int | None = Field(default=None, gt=0, le=1 << 16)
    deep: bool = False
    """It keeps packets in external memory: the chip size does not bound a queue."""

    def to_asic(self) -> Asic:
        """Convert to the ASIC of the fabric model."""
        return Asic(
            self.name,
            self.source,
            confirmed=self.confidence == "confirmed",
            buffer_bytes=None if self.deep else self.buffer_bytes,
            cell_bytes=self.cell_bytes,
        )


class HeadroomSchema(Closed):
    """Headrooms that a vendor ships a model with: rows of Gb/s, metres of cable, bytes."""

    models: Patterns = Field(min_length=1)
    source: str = Field(min_length=10)
    rows: tuple[tuple[float, float, int], ...] = Field(min_length=1)


class _File(Closed):
    asics: tuple[AsicSchema, ...] = ()
    headroom: tuple[HeadroomSchema, ...] = ()


@dataclass(slots=True)
class Hardware:
    """Known models; the first matching pattern decides."""

    asics: tuple[AsicSchema, ...]
    headroom: tuple[HeadroomSchema, ...]
    _known: dict[str, Asic | None] = field(default_factory=dict)

    def asic_of(self, model: str) -> Asic | None:
        """The ASIC of a model; None if unknown."""
        name = model.casefold()
        if name not in self._known:
            found = next(
                (entry.to_asic() for entry in self.asics if _fits(entry.models, name)), None
            )
            rows = [row for each in self.headroom if _fits(each.models, name) for row in each.rows]
            self._known[name] = replace(found, shipped=frozenset(rows)) if found else None
        return self._known[name]

    def fill(self, devices: Iterable[Device]) -> None:
        """Set the ASIC of every device of a known model."""
        for device in devices:
            if device.model and device.asic is None:
                device.asic = self.asic_of(device.model)


def hardware(folders: Iterable[Path] = ()) -> Hardware:
    """The hardware files of roce-lint, overlaid with those of further folders.

    Raises:
        UsageError: a file is broken; the location has its line.
    """
    own = resource_dir("rules") / "hardware"
    files = [_read(path) for folder in (*folders, own) for path in toml_files(folder)]
    return Hardware(
        tuple(entry for file in files for entry in file.asics),
        tuple(entry for file in files for entry in file.headroom),
    )


def _read(path: Path) -> _File:
    try:
        text = read_small(path).decode("utf-8")
        return _parse(str(path), text)
    except OSError as error:
        raise UsageError(f"cannot be read: {error.strerror}", location=str(path)) from error
    except UnicodeDecodeError as error:
        raise UsageError(f"cannot be read: {error}", location=str(path)) from error
    except ReadError as error:
        raise UsageError(error.message, location=error.location) from error
    except ValidationError as error:
        first = refusals(error, _File)[0]
        line = line_of_keys(text, first.keys)
        raise UsageError(first.message, location=f"{path}:{line}", hint=first.hint) from error


@lru_cache(maxsize=64)
def _parse(name: str, text: str) -> _File:
    """Parse the text of a file; a process parses each text once."""
    return _File.model_validate(load_toml(name, text))


def _fits(patterns: Patterns, name: str) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern.casefold()) for pattern in patterns)
