"""What a shell completes on a command line of ours: rules, profiles, and devices of the folder."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem

from roce_lint.errors import RoceLintError


def rules(_ctx: click.Context, _param: click.Parameter, begun: str) -> list[CompletionItem]:
    """Rules by id, and families."""
    from roce_lint.resources import resource_dir  # noqa: PLC0415

    found = {}
    for page in resource_dir("rules").rglob("[A-Z][A-Z][A-Z][0-9]*-*.md"):
        rule, _, name = page.stem.partition("-")
        found[rule] = name.replace("-", " ")
        found[rule[:3]] = f"all rules of {page.parent.name}"
    wanted = begun.upper()
    return [
        CompletionItem(rule, help=said)
        for rule, said in sorted(found.items())
        if rule.startswith(wanted)
    ]


def profiles(_ctx: click.Context, _param: click.Parameter, begun: str) -> list[CompletionItem]:
    """The profiles that come with roce-lint."""
    from roce_lint.catalog.profiles import names  # noqa: PLC0415

    return [CompletionItem(name) for name in names() if name.startswith(begun)]


def devices(ctx: click.Context, _param: click.Parameter, begun: str) -> list[CompletionItem]:
    """Devices below the paths that stand on the command line already, else below this folder."""
    from roce_lint.loading.load import load  # noqa: PLC0415

    # Where the option still lacks its value click gives up, and leaves the paths unnamed.
    given = ctx.params.get("paths") or ctx.params.get("path") or ctx.args or "."
    paths = (given,) if isinstance(given, str) else tuple(given)
    try:
        loaded = load(paths, cache=True)
    except RoceLintError:
        return []  # a path that is not typed to its end yet names nothing
    names = sorted(device.hostname for device in loaded.devices)
    return [CompletionItem(name) for name in names if name.startswith(begun)]
