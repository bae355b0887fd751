"""How a network operating system is declared: data, no methods to override."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from roce_lint.model.device import Device
from roce_lint.nos.declare import Default, Form, Ignored, Plane, Section, Signature, Skip, Source
from roce_lint.nos.edit import FileEdit, Typed
from roce_lint.nos.offer import Offer
from roce_lint.nos.pull import PullPlan
from roce_lint.nos.reading import Reading
from roce_lint.nos.refusals import Limit

if TYPE_CHECKING:  # every start declares systems, and few print
    from roce_lint.nos.edit import FileEdit
    from roce_lint.nos.render import RenderedFiles, RenderRequest
    from roce_lint.nos.selection import Selection

Normalize = Callable[[Reading], Device]

Choose = Callable[[Device], "Selection"]
"""Which statements say what a device is to do, and what of it none says."""

Render = Callable[["RenderRequest"], "RenderedFiles"]
"""The files of a device whose configuration is no list of stanzas: tables, a tree, scripts."""

Commands = Callable[["FileEdit"], str]
"""The lines that make a running device what a corrected file says; empty where none can."""


@dataclass(frozen=True)
class Later:
    """The function `name` of a module that is imported when it is first called.

    Every run has to know all systems apart, and reads devices of a few.
    """

    module: str
    name: str = "normalize"

    def __call__(self, given: Any) -> Any:
        """What the function makes of its argument: a Device of a Reading, or words of a Device."""
        return self.function(given)

    @cached_property
    def function(self) -> Callable[[Any], Any]:
        """The function itself."""
        return cast(
            "Callable[[Any], Any]", getattr(importlib.import_module(self.module), self.name)
        )


@dataclass(frozen=True)
class Nos:
    """Everything roce-lint knows about one network operating system."""

    name: str
    title: str
    sources: tuple[Source, ...]
    normalize: Normalize
    patterns: Mapping[str, str] = field(default_factory=dict)  # names usable in re("NAME")
    templates: Path | None = None  # folder with parse/*.ttp; None: templates/<name> of roce-lint
    netmiko_type: str | None = None
    pulled: PullPlan | None = None  # what a live pull asks; None: it cannot be pulled
    defaults: Iterable[Default] = ()  # all of them, for the documentation and its test
    limits: Mapping[str, Limit] = field(default_factory=dict)  # what it refuses, by setting
    offer: Offer | None = None  # what a design may ask of it; None: it cannot be designed for yet
    ports: Later | None = None  # how ports are called: what knows canonical, kind_of and aliases
    is_host: bool = False
    typed: Typed | None = None  # how its statements are typed; None: nothing is printed as commands
    choose: Choose | None = None  # None: it is read, and not printed in stanzas
    roce: Mapping[str, frozenset[str]] = field(default_factory=dict)  # groups of the part of RoCE
    render: Render | None = None  # None: no other way of printing it is known either
    commands: Commands | None = None  # None: how it is changed while it runs is not declared

    @cached_property
    def by_source(self) -> dict[str, Source]:
        """Sources by name."""
        return {source.name: source for source in self.sources}

    @property
    def module(self) -> str:
        """Name of the module that holds `normalize`."""
        if isinstance(self.normalize, Later):
            return self.normalize.module
        return self.normalize.__module__


__all__ = [
    "Default",
    "Form",
    "Ignored",
    "Later",
    "Nos",
    "Plane",
    "Section",
    "Signature",
    "Skip",
    "Source",
]
