"""`python -m tests.growth` writes the growth table of docs/reliability.md anew."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.growth.measure import LIMIT, ratio
from tests.growth.texts import SIZES

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reliability.md"
BEGIN, END = "<!-- growth -->\n", "<!-- end of growth -->\n"
HEAD = "| text | size | times as long for four times the size |\n| --- | --- | --- |\n"


def rows(page: str) -> list[str]:
    """The rows of the table on the page."""
    table = page.split(BEGIN)[1].split(END, maxsplit=1)[0]
    return table.removeprefix(HEAD).splitlines()


def main() -> int:
    """Measure all, and write the table."""
    made = []
    for make, size in SIZES.items():
        measured = ratio(make)[2]
        for _ in range(3):  # a stall of the machine is no growth
            measured = measured if measured <= LIMIT else min(measured, ratio(make)[2])
        made.append(f"| {make.__name__.replace('_', ' ')} | {size:,} | {measured:.1f} |\n")
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    PAGE.write_text(before + BEGIN + HEAD + "".join(made) + END + after, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
