"""The page of each system shows a leaf, and that of hosts a script, as `generate` prints them."""

from __future__ import annotations

import re
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
import yaml

from roce_lint.nos.base import RenderRequest
from roce_lint.nos.printer import render
from roce_lint.nos.registry import all_nos
from roce_lint.pipeline.designing import design_fabric
from tests.conftest import Golden

SYSTEMS = sorted(nos for nos, declared in all_nos().items() if declared.offer is not None)
WIDTH, LINES, RUN = 150, 100, 4
"""Characters of a line, lines of a file, and lines that differ in numbers alone."""

_BLOCK = re.compile(
    r"^## A generated (leaf|host)$.*?^```\w*\n(.*?)(?=^```$)", re.MULTILINE | re.DOTALL
)


def smallest(made: dict[str, Any]) -> dict[str, Any]:
    """An intent with one leaf, one spine, and one host with one NIC."""
    fabric = made["fabric"]
    for tier in ("leaf", "spine"):
        fabric[tier]["count"] = 1
        fabric[tier].pop("links", None)
    fabric["leaf"]["links"] = 1
    (host,) = made["hosts"].values()
    return {**made, "hosts": {"gpu": {**host, "count": 1, "nics": 1}}}


def printed(root: Path, tmp_path: Path, sample: str, name: str) -> str:
    """The main file of a device, without its heading; long lines, runs of lines and files are cut."""
    made = yaml.safe_load((root / f"sample_configs/intents/{sample}.yaml").read_text())
    intent = tmp_path / "intent.yaml"
    intent.write_text(yaml.safe_dump(smallest(made), sort_keys=False))
    device = design_fabric(str(intent)).device(name)
    text = next(iter(render(all_nos()[device.nos], RenderRequest(device)).files.values()))
    lines = []
    for _, run in groupby(text.splitlines(), lambda line: re.sub(r"\d+", "#", line)):
        alike = [line if len(line) <= WIDTH else f"{line[:WIDTH]} ..." for line in run]
        lines += alike if len(alike) <= RUN else [*alike[:2], "..."]
    shown = lines if len(lines) <= LINES else [*lines[:LINES], "..."]
    return "".join(f"{line}\n" for line in shown)


@pytest.mark.parametrize("nos", [*SYSTEMS, "linux"])
def test_the_page_shows_what_is_printed(
    nos: str, root: Path, tmp_path: Path, golden: Golden
) -> None:
    sample, name = ("eos", "gpu1") if nos == "linux" else (nos, "leaf1")
    page = root / f"docs/nos/{nos}.md"
    text = page.read_text(encoding="utf-8")
    found = _BLOCK.search(text)
    assert found is not None, f"{page.name} has no block below its heading"
    made = printed(root, tmp_path, sample, name)
    golden.check(page, text[: found.start(2)] + made + text[found.end(2) :])
