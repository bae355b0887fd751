"""How a network operating system is declared: data, no methods to override."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from roce_lint.model.device import Device
from roce_lint.nos.declare import Default, Form, Ignored, Plane, Section, Signature, Skip, Source
from roce_lint.nos.reading import Reading


@dataclass(frozen=True)
class Nos:
    """Everything roce-lint knows about one network operating system."""

    name: str
    title: str
    sources: tuple[Source, ...]
    normalize: Callable[[Reading], Device]
    patterns: Mapping[str, str] = field(default_factory=dict)  # names usable in re("NAME")
    templates: Path | None = None  # folder with parse/*.ttp; None: templates/<name> of roce-lint
    netmiko_type: str | None = None
    defaults: tuple[Default, ...] = ()  # all of them, for the documentation and its test
    is_host: bool = False

    @cached_property
    def by_source(self) -> dict[str, Source]:
        """Sources by name."""
        return {source.name: source for source in self.sources}


__all__ = ["Default", "Form", "Ignored", "Nos", "Plane", "Section", "Signature", "Skip", "Source"]
