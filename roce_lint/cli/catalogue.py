"""All rule pages, as `explain` and `rules` list them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from roce_lint.errors import UsageError

if TYPE_CHECKING:
    from roce_lint.engine.page import RulePage


def all_pages(folders: tuple[str, ...] = ()) -> list[RulePage]:
    """Built-in pages, those of plug-ins and of the folders, by id.

    Raises:
        UsageError: a folder does not exist.
        RulePageError: a page is invalid.
    """
    from roce_lint.engine.page import load_pages  # noqa: PLC0415  (pydantic)
    from roce_lint.engine.registry import plugin_pages  # noqa: PLC0415
    from roce_lint.resources import resource_dir  # noqa: PLC0415

    for folder in folders:
        if not Path(folder).is_dir():
            raise UsageError(f"--rules {folder}: no such folder")
    return load_pages([resource_dir("rules"), *plugin_pages(), *map(Path, folders)])
