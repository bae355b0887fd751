from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roce_lint.text.redaction import redact


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("username admin password 5 $5$ab role network-admin", "username admin password ***"),
        (
            "username admin privilege 15 secret sha512 $6$ab",
            "username admin privilege 15 secret ***",
        ),
        ("enable secret 5 $1$ab", "enable secret ***"),
        ("snmp-server community sesame ro", "snmp-server community ***"),
        ("snmp-server host 10.0.0.1 traps version 2c sesame", "snmp-server host 10.0.0.1 ***"),
        (
            "snmp-server user u g auth md5 0xab priv aes-128 0xcd",
            "snmp-server user u g auth md5 ***",
        ),
        ("snmp-server user u g auth sha ab", "snmp-server user u g auth sha ***"),
        ("ip ospf message-digest-key 1 md5 7 0822", "ip ospf message-digest-key ***"),
        ("ip ospf authentication-key 7 0822", "ip ospf authentication-key ***"),
        ("neighbor 10.0.0.1 password 7 0822", "neighbor 10.0.0.1 password ***"),
        ("tacacs-server key 7 sesame", "tacacs-server key ***"),
        ("  key 7 070C285F", "  key ***"),
        (" key-string 7 0709", " key-string ***"),
        ("authentication text sesame", "authentication text ***"),
        ("psk=open sesame", "psk=***"),
        ("wpa-psk sesame", "wpa-psk ***"),
        ("password: open, sesame", "password: ***"),
        ("API_KEY=sesame ./run", "API_KEY=***"),
        ("privateKey: sesame", "privateKey: ***"),
        ("sshpass -p sesame ssh leaf1", "sshpass -p ***"),
        ('authentication-key "$9$ab"; ## SECRET-DATA', "authentication-key ***"),
        ("set system login user x authentication encrypted-password $6$a", None),
        ("nv set system aaa user cumulus hashed-password '$6$a'", None),
        ("nv set system snmp-server readonly-community sesame access any", None),
        ('"passkey": "op\\"en", "mtu": "9100"', '"passkey": "***", "mtu": "9100"'),
        ('"auth_password": "open', '"auth_password": "***"'),
        ('{"key": 5, "b": true}', '{"key": "***", "b": true}'),
        ("'psk': 'sesame', 'mtu': 9100", "'psk': ***"),
        ('{"SNMP_COMMUNITY":{"sesame":{"TYPE":"RO"}},"PORT":{}}', '{"SNMP_COMMUNITY":***'),
        ("user x hash $6$salt$hash;", "user x hash ***;"),
        ("x $9$abc/d y", "x *** y"),
        ("https://admin:sesame@10.0.0.1/x", "https://admin:***@10.0.0.1/x"),
        ("curl -u admin:sesame https://10.0.0.1", "curl -u admin:*** https://10.0.0.1"),
        ("Authorization: Basic sesame", "Authorization: ***"),
        ("x -----BEGIN RSA PRIVATE KEY-----MIIE", "x -----BEGIN RSA PRIVATE KEY-----***"),
        ("SNMP_COMMUNITY|sesame|TYPE", "SNMP_COMMUNITY|***"),
        ("a password b\nmtu 9216\nsecret c", "a password ***\nmtu 9216\nsecret ***"),
    ],
)
def test_secrets_are_masked(text, shown):
    masked = redact(text)
    assert masked == shown if shown else masked.endswith(" ***")
    assert "sesame" not in masked
    assert redact(masked) == masked


@pytest.mark.parametrize(
    "text",
    [
        "mtu 9216",
        "priority-flow-control priority 3 no-drop",
        "neighbor 10.0.0.1 send-community extended",
        "match community FABRIC-UP",
        "ip community-list standard FABRIC-UP permit 65000:1",
        "set policy-options policy-statement p term t from community up",
        "IONIC_DCQCN_TOKEN_BUCKET_SIZE=800000",
        "nicctl update dcqcn --token-bucket-size 800000",
        "UCX_IB_PKEY=0xffff p_key 1",
        "set forwarding-options hash-key family inet layer-4",
        '"lacp_key": "auto"',
        "ethtool --set-priv-flags ens1 fw-lldp-agent off",
        "ip ospf authentication key-chain UNDERLAY",
        "bgp keepalive 3 monkey 5",
        "tc: 0 ratelimit: unlimited, tsa: vendor",
        "",
    ],
)
def test_what_matters_is_left(text):
    assert redact(text) == text


words = [
    "password",
    "secret",
    "community",
    "md5",
    "psk",
    "key",
    "auth-key",
    "token",
    "sha",
    "bearer",
]


@given(
    st.sampled_from(words),
    st.sampled_from(
        [" ", ": ", "=", " = ", " 7 ", " encrypted ", '": "', "' : '", '":{"', "\t", ": |"]
    ),
    st.sampled_from(["", "snmp-server ", '{"a": 1, "', "x ", "set system ", "  - ", '"X_']),
    st.sampled_from(["", '"', '", "mtu": 5}', " role x", ";", "}"]),
)
def test_no_spelling_shows_the_secret(word, between, before, after):
    for spelled in (word, word.upper(), word.title(), f"my_{word}", f"{word}-string"):
        text = f"{before}{spelled}{between}h1dden{after}"
        assert "h1dden" not in redact(text), text


@given(st.text(max_size=300) | st.text("key:=\"'{} \\$9-/@", max_size=100))
def test_masking_twice_masks_once(text):
    assert redact(redact(text)) == redact(text)
