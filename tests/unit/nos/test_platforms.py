"""Platform defaults come from files, and an invalid file is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from roce_lint.errors import UsageError
from roce_lint.model.qos import Trust
from roce_lint.nos.platforms import Defaults
from roce_lint.text.source import Confidence

PAGE = 'page = "docs/nos/acme.md"\n'
GOOD = 'says = "Acme default"\nheading = "pause"\nconfidence = "unconfirmed"\n'


def defaults(folder: Path, text: str) -> Defaults:
    (folder / "acme.toml").write_text(text, encoding="utf-8")
    return Defaults("acme", folder)


@pytest.mark.parametrize(
    ("stated", "value"),
    [
        ("", None),
        ("value = 1500\n", 1500),
        ("value = false\n", False),
        ("value = []\n", frozenset()),
        ("value = [3, 4]\n", frozenset({3, 4})),
        ('value = "none"\nkind = "trust"\n', Trust.NONE),
        ("value = { 0-2 = 1, 48 = 6 }\n", {0: 1, 1: 1, 2: 1, 48: 6}),
    ],
)
def test_values(tmp_path: Path, stated: str, value: object) -> None:
    found = defaults(tmp_path, f"{PAGE}[NO_PFC]\n{stated}{GOOD}unfilled = true\n").NO_PFC
    assert (found.value, found.says, found.source) == (
        value,
        "Acme default",
        "docs/nos/acme.md#pause",
    )
    assert (found.confidence, found.unfilled) == (Confidence.UNCONFIRMED, True)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[NO_PFC]\n" + GOOD, "page: the path of the facts page is missing"),
        (PAGE + "[NO_PFC\n", "not valid TOML"),
        (PAGE + "NO_PFC = 3\n", r"\[NO_PFC\]: not a table"),
        (PAGE + "[NO_PFC]\n" + GOOD + "vallue = 3\n", r"\[NO_PFC\]: unknown: vallue"),
        (PAGE + '[NO_PFC]\nsays = "x"\n', r"\[NO_PFC\]: missing: confidence, heading"),
        (PAGE + "[NO_PFC]\n" + GOOD.replace('"Acme default"', "3"), "says is no text"),
        (PAGE + "[NO_PFC]\n" + GOOD.replace("unconfirmed", "likely"), "'likely' is not a valid"),
        (PAGE + "[NO_PFC]\n" + GOOD + "unfilled = 1\n", "unfilled is neither true nor false"),
        (PAGE + "[NO_PFC]\n" + GOOD + 'value = "x"\nkind = "trust"\n', "'x' is not a valid Trust"),
        (
            PAGE + "[NO_PFC]\n" + GOOD + 'value = "x"\nkind = "tru"\n',
            "kind 'tru' is not one of pfc",
        ),
        (PAGE + "[NO_PFC]\n" + GOOD + 'value = ["3"]\n', "'3' is not a whole number"),
        (PAGE + "[NO_PFC]\n" + GOOD + "value = { 9-1 = 1 }\n", "'9-1' is neither a number nor"),
        (PAGE + "[NO_PFC]\n" + GOOD + "value = 2024-01-01\n", "of no kind that a default has"),
    ],
)
def test_faults(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        list(defaults(tmp_path, text))


def test_a_name_that_no_table_has(tmp_path: Path) -> None:
    with pytest.raises(AttributeError, match=r"acme\.toml has no table \[NO_MTU\]"):
        _ = defaults(tmp_path, f"{PAGE}[NO_PFC]\n{GOOD}").NO_MTU


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        list(Defaults("acme", tmp_path))
