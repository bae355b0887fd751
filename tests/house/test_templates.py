"""A parse template holds no literal digit: TTP lets it match any number, `wred 3` also `wred 5`."""

from __future__ import annotations

import re

from tests.house.listing import read, under

# What is no text of a config line: comments, variables for TTP, tags, and captures.
APART = re.compile(r"<!--.*?-->|<vars\b.*?</vars>|<doc\b.*?</doc>|<[^<>]*>|\{\{.*?\}\}", re.DOTALL)


def literal_digits(text: str) -> list[str]:
    """Template lines whose fixed words hold a digit, each with its number."""
    bare = APART.sub(lambda found: "\n" * found[0].count("\n"), text)
    return [
        f"{number}: {line.strip()}"
        for number, line in enumerate(bare.split("\n"), 1)
        if re.search(r"\d", line) and not line.lstrip().startswith("##")
    ]


def test_no_template_holds_a_literal_digit() -> None:
    templates = [
        name for name in under("templates", suffix=".ttp") if name.split("/")[2] == "parse"
    ]
    assert templates != []
    found = {name: lines for name in templates if (lines := literal_digits(read(name)))}
    assert found == {}


def test_a_literal_digit_is_noticed() -> None:
    text = (
        '<group name="port1*">\n'
        "## RFC 3168\n"
        'interface {{ name | re("PORT2") }}\n'
        '<vars>\nPORT2 = "\\d+"\n</vars>\n'
        "   wred 3 {{ x }}\n"
        "</group>\n"
    )
    assert literal_digits(text) == ["7: wred 3"]
