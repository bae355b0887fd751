"""A configuration before and after a correction, as a system's own commands are made of it."""

from __future__ import annotations

from typing import NamedTuple


class FileEdit(NamedTuple):
    """The text of one configuration file, and what it is to become."""

    before: str
    after: str
