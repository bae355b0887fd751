"""Changes in the JSON report, and what all of its parts are made of."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from roce_lint.engine.finding import Remedy
from roce_lint.model.change import Change
from roce_lint.model.values import spell_value
from roce_lint.report.wording import fix_summary


def _characters(value: Any) -> Any:
    """Lone surrogates stand for bytes that were no text; JSON cannot hold them."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    return value


Text = Annotated[str, BeforeValidator(_characters)]


class Part(BaseModel):
    """A part of the report."""

    model_config = ConfigDict(frozen=True)


class Fix(Part):
    """A change that would put the finding right."""

    safety: Literal["safe", "disruptive", "manual"] = Field(
        description="safe, disruptive (traffic stops for a moment) or manual"
    )
    summary: Text = Field(description="the change in the terms of the model")
    proved: bool = Field(description="the corrected text was read and judged again")


class FixEntry(Part):
    """One value of a change that would put the finding right; the path names it."""

    path: Text = Field(
        description="device, port and field in the terms of `roce-lint show --format json`"
    )
    device: Text = Field(description="its host name")
    old: Text | None = Field(description="null where nothing states it")
    new: Text | None = Field(description="null: to be removed")
    safety: Literal["safe", "disruptive", "manual"] = Field(
        description="safe, disruptive (traffic stops for a moment) or manual"
    )
    proved: bool = Field(description="the corrected text was read and judged again")


class RemedyEntry(Part):
    """What puts a finding right on its first device."""

    system: Text = Field(description="whose words the lines are")
    lines: list[Text] = Field(
        description="to be typed in this order; words in capitals stand for what the site has"
    )


def fix_of(change: Change | None) -> Fix | None:
    """The first change of a finding, as it has always been told."""
    if change is None:
        return None
    return Fix(safety=change.safety.value, summary=fix_summary(change), proved=False)


def fix_entry(change: Change) -> FixEntry:
    """One value of a change."""
    name = change.path.steps[-1].field if change.path.steps else ""
    old, new = (None if v is None else spell_value(v, name) for v in (change.old, change.value))
    return FixEntry(
        path=str(change.path),
        device=change.path.device,
        old=old,
        new=new,
        safety=change.safety.value,
        proved=False,
    )


def remedy_entry(remedy: Remedy | None) -> RemedyEntry | None:
    """What puts a finding right in the words of its system."""
    if remedy is None:
        return None
    return RemedyEntry(system=remedy.system, lines=list(remedy.lines))
