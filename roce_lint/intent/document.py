"""The JSON Schema of an intent, for editors and other programs."""

from __future__ import annotations

from typing import Any

from roce_lint.intent.schema import IntentSchema

SCHEMA_ID = "roce-lint/intent/1"


def schema() -> dict[str, Any]:
    """The JSON Schema of intent.yaml (docs/intent.schema.json)."""
    made = IntentSchema.model_json_schema()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_ID,
        **made,
        "title": "The intent of a RoCE fabric",
    }
