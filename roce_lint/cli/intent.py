"""`roce-lint intent`: what an intent may say."""

from __future__ import annotations

import json

import click

from roce_lint.cli import output
from roce_lint.errors import UsageError


@click.command("intent")
@click.option("--schema", is_flag=True, help="Print the JSON Schema of intent.yaml, for editors.")
def command(schema: bool) -> None:  # noqa: FBT001  (a flag)
    """Tell what an intent may say; docs/intent.md explains each key with an example."""
    if not schema:
        raise UsageError("nothing is asked for", hint="--schema prints what an intent may say")
    from roce_lint.intent import document  # noqa: PLC0415  (pydantic only if asked)

    output.write(json.dumps(document.schema(), indent=2) + "\n")
