"""Where the pages of rules stand on the web, as a site or a pipeline says."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from roce_lint.engine.page import RulePage


def address(pattern: str, page: RulePage) -> str:
    """The address of a page: {id}, {name} and {page} (mtu/MTU001-name.md) are put in.

    Empty where no pattern is given, or one that a browser would not open as a web page.
    """
    if not pattern.startswith(("https://", "http://")):
        return ""
    file = "/".join(page.path.replace("\\", "/").split("/")[-2:])
    filled = pattern.replace("{id}", page.id).replace("{name}", page.head.name)
    return filled.replace("{page}", file)
