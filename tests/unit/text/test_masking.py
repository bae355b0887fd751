"""What is masked can still be read: lines keep their number, trees stay trees."""

from __future__ import annotations

import json

import pytest

from roce_lint.text.masking import masked


def test_a_tree_stays_a_tree_of_as_many_lines() -> None:
    tree = {
        "SNMP_COMMUNITY": {"publ1c": {"TYPE": "RO"}},
        "RADIUS": {"global": {"passkey": "s3cret", "timeout": "5"}},
        "USERS": {"hashed-password": {"old": "x1", "new": ["x2"]}, "hash": "$6$abc$defghijk"},
        "PORT": {"Ethernet0": {"mtu": "9100", "index": 7, "up": True}},
    }
    text = json.dumps(tree, indent=2)
    shown = masked(text)
    assert shown.count("\n") == text.count("\n")
    found = json.loads(shown)
    assert found["PORT"] == tree["PORT"]
    assert found["RADIUS"]["global"] == {"passkey": "***", "timeout": "5"}
    assert list(found["SNMP_COMMUNITY"]) == ["***1"]
    for secret in ("publ1c", "s3cret", "x1", "x2", "abc"):
        assert secret not in shown


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ('encrypted-password "$6$x"; ## SECRET-DATA', "encrypted-password ***;"),
        ("   mtu 9214", "   mtu 9214"),
        ("username x secret 5 $1$abc", "username x secret ***"),
    ],
)
def test_a_line_keeps_its_end(line: str, shown: str) -> None:
    assert masked(f"a\n{line}\nb") == f"a\n{shown}\nb"


def test_brackets_stand_where_they_stood() -> None:
    text = "snmp {\n    community s3cret {\n        authorization read-only;\n    }\n}\n"
    assert masked(text) == "snmp {\n    community *** {\n        ***;\n    }\n}\n"
    assert masked("community s3cret {\n}\n") == "community *** {\n}\n"
