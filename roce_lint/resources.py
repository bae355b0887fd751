"""Location of rules/ and templates/: beside the package in a checkout, inside it in a wheel."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


@cache
def resource_dir(name: str) -> Path:
    """Return the folder `rules` or `templates`.

    A checkout wins over the packed copy: an editable install leaves a stale `_data` behind in
    site-packages, which importlib.resources would find.

    Raises:
        FileNotFoundError: neither place has the folder, which means a broken installation.
    """
    checkout = _PACKAGE.parent / name
    if (_PACKAGE.parent / "pyproject.toml").is_file() and checkout.is_dir():
        return checkout
    packed = _PACKAGE / "_data" / name
    if packed.is_dir():
        return packed
    raise FileNotFoundError(f"roce-lint is installed without its {name}/ folder")
