"""Masked texts remain readable: lines keep their number, trees stay trees."""

from __future__ import annotations

import json

import pytest
import yaml

from roce_lint.text.masking import mask_secrets


def test_a_tree_stays_a_tree_of_as_many_lines() -> None:
    tree = {
        "SNMP_COMMUNITY": {"publ1c": {"TYPE": "RO"}},
        "RADIUS": {"global": {"passkey": "s3cret", "timeout": "5"}},
        "USERS": {"hashed-password": {"old": "x1", "new": ["x2"]}, "hash": "$6$abc$defghijk"},
        "PORT": {"Ethernet0": {"mtu": "9100", "index": 7, "up": True}},
    }
    text = json.dumps(tree, indent=2)
    shown = mask_secrets(text)
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
        (" port trunk allow-pass vlan 10 20 to 22", " port trunk allow-pass vlan 10 20 to 22"),
        ("     rx_0_xdp_pass: 0", "     rx_0_xdp_pass: 0"),
        ("username x secret 5 $1$abc", "username x secret ***"),
    ],
)
def test_a_line_keeps_its_end(line: str, shown: str) -> None:
    assert mask_secrets(f"a\n{line}\nb") == f"a\n{shown}\nb"


def test_brackets_stand_where_they_stood() -> None:
    text = "snmp {\n    community s3cret {\n        authorization read-only;\n    }\n}\n"
    assert mask_secrets(text) == "snmp {\n    community *** {\n        ***;\n    }\n}\n"
    assert mask_secrets("community s3cret {\n}\n") == "community *** {\n}\n"


NVUE = """\
- set:
    system:
      aaa:
        user:
          admin:
            hashed-password: s3cret
            password:
              plain: s3cret
            secret:
            - s3cret
      snmp-server:
        readonly-community:
          s3cret:
            access: any
          other:
            access: any
      key: |
        s3cret
      secrets:
        one: |-
          s3cret
          s3cret: x
    interface:
      swp1:
        link:
          mtu: 9216
"""


def test_yaml_stays_yaml_and_what_stands_below_a_telling_key_is_masked() -> None:
    shown = mask_secrets(NVUE)
    assert "s3cret" not in shown
    assert shown.count("\n") == NVUE.count("\n")
    tree = yaml.safe_load(shown)[0]["set"]
    assert tree["interface"] == {"swp1": {"link": {"mtu": 9216}}}
    assert len(tree["system"]["snmp-server"]["readonly-community"]) == 2
    assert tree["system"]["aaa"]["user"]["admin"]["hashed-password"] == "***"


def test_what_a_line_before_tells_is_masked() -> None:
    text = "docker login -u a \\\n  -p s3cret\nip link\nexpect 'assword:'\nsend s3cret\nsend on\n"
    shown = mask_secrets(text)
    assert "s3cret" not in shown
    assert [line for line in shown.split("\n") if line in text.split("\n")] == [
        "docker login -u a \\", "ip link", "send on", "",
    ]  # fmt: skip


def test_a_function_is_no_secret_block() -> None:
    text = "set_key() {\n  mlnx_qos -i eth0 --trust dscp\n}\n"
    assert mask_secrets(text) == text
