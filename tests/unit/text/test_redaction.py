from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roce_lint.text import redaction
from roce_lint.text.redaction import names_secret, redact, secret_lines


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("username admin password 5 $5$ab role network-admin", "username admin password ***"),
        (
            "username admin privilege 15 secret sha512 $6$ab",
            "username admin privilege 15 secret ***",
        ),
        ("enable secret 5 $1$ab", "enable secret ***"),
        ("dcb pfc cipher %^%#ab%^%#", "dcb pfc cipher ***"),
        ("peer 10.0.0.1 irreversible-cipher $1c$ab$cd$", "peer 10.0.0.1 irreversible-cipher ***"),
        ("x %@%@ab%@%@ y", "x %@%@*** y"),
        ("user $c$3$ab==", "user ***"),
        ("bind {SSHA}ab, {CRYPT}cd", "bind {SSHA}*** {CRYPT}***"),
        ("get X-Amz-Signature=ab&x=1", "get X-Amz-Signature=***&x=1"),
        ("openssl enc -k ab; mlnx_qos -k 3", "openssl enc -k ***; mlnx_qos -k 3"),
        ("snmpwalk -v3 -A ab -X cd -c ef leaf1", "snmpwalk -v3 -A *** -X *** -c *** leaf1"),
        ("db.example:5432:app:audit:sesame", "db.example:5432:app:audit:***"),
        ("*:*:*:audit:sesame", "*:*:*:audit:***"),
        ("user admin pass sesame", "user admin pass ***"),
        ("login: audit pin 0815", "login: ***"),
        ("curl -u audit:sesame https://x", "curl -u audit:*** https://x"),
        ("curl https://audit:sesame@x/y", "curl https://audit:***@x/y"),
        ("jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.abc", "jwt ***"),
        ("az login -p ab && x -p 1", "az login -p *** && x -p 1"),
        ("redis-cli -a ab -p cd", "redis-cli -a *** -p ***"),
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
        ("echo sesame | sudo -S mlnx_qos -i ens1", "echo ***| sudo -S mlnx_qos -i ens1"),
        ("echo 'open sesame' |sudo -S -p '' true", "echo ***|sudo -S -p '' true"),
        ("printf 'sesame\\n' | docker login", "printf ***| docker login"),
        ("sudo -S mlnx_qos -i ens1 <<< sesame", "sudo -S mlnx_qos -i ens1 <<< ***"),
        ("mysql -h db -u root -psesame fabric", "mysql -h db -u root -p*** fabric"),
        ("redis-cli -h x -a sesame ping", "redis-cli -h x -a *** ping"),
        ("ipmitool -I lanplus -U admin -P sesame sel list", None),
        ("ldapsearch -D cn=x -w sesame", "ldapsearch -D cn=x -w ***"),
        ("curl -H 'X-Auth: sesame' x", "curl -H 'X-Auth: ***' x"),
        ('curl --header "X-Vault-Token: sesame" x', None),
        ("mlnx_qos -i ens1  # pw sesame", "mlnx_qos -i ens1  # pw ***"),
        ("pwd=sesame", "pwd=***"),
        ("login: sesame", "login: ***"),
        ("tool --pass sesame", "tool --pass ***"),
        ("description x ghp_sesame0123456789abcdefghijklmnopqrst", "description x ***"),
        ("x glpat-sesame_0123456789abc y", "x *** y"),
        ("x xoxb-12345-sesame y", "x *** y"),
        ("x AKIASESAME0123456789 y", "x *** y"),
        ("x hf_sesameABCDEFGHIJKLMNOPQRSTUV y", "x *** y"),
        ("x eyJhbGciOiJI.eyJzdWIiOiIx.sesame y", "x *** y"),
        ("https://x/a?sv=1&sig=sesame%3D&x=1", "https://x/a?sv=1&sig=***&x=1"),
        ("https://x/a?X-Amz-Signature=sesame", "https://x/a?X-Amz-Signature=***"),
        ("x;AccountKey=sesame==;y", "x;AccountKey=***;y"),
        ('    foo "sesame"; ## SECRET-DATA', "    foo ***; ## SECRET-DATA"),
        ("  " + "sesame+/" * 8, "  ***"),
        ("c2VzYW1lIHNlc2FtZQ==", "***"),
    ],
)
def test_secrets_are_masked(text, shown):
    masked = redact(text)
    assert masked == shown if shown else "***" in masked
    assert "sesame" not in masked.lower()
    assert redact(masked) == masked


@pytest.mark.parametrize(
    "text",
    [
        "mtu 9216",
        "ip ssh cipher aes256-ctr",
        "docker run -p 8080:80 exporter",
        "snmpwalk -v2c leaf1 1.3.6.1",
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
        "key chain UNDERLAY",
        "key chain ISIS-KEYS",
        "  key 3",
        "host key fingerprint is SHA256 of the box",
        "fingerprint SHA256:Zm9vYmFy",
        "echo 1 > /sys/class/infiniband/mlx5_0/tc/1/traffic_class",
        'echo "pfc on" | tee /tmp/log',
        "mlnx_qos -i ens1 --trust dscp -p 0,1,2,3,4,5,6,7",
        "set system login user x class super-user",
        "bind 4 pin 5",
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "interfaces et-0/0/1 { # spine1",
        "aaa authentication login default group tacacs+ local",
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


def test_secrets_that_a_line_above_tells():
    text = [
        "system {",
        "    secret {",
        '        "sesame";',
        "    }",
        "-----BEGIN OPENSSH PRIVATE KEY-----",
        "b3Bl",
        "c2Vz",
        "-----END OPENSSH PRIVATE KEY-----",
        "mtu 9216",
    ]
    assert secret_lines(text) == {3, 6, 7}
    assert secret_lines(["mtu 9216", "key 3"]) == frozenset()


@given(st.text(max_size=80) | st.text("echo|sdu-pP /:=#!?&\"'x3", max_size=80))
def test_what_is_let_through_unread_holds_nothing_that_would_be_masked(text):
    for line in text.split("\n"):
        if not any(hint in line.lower() for hint in redaction._HINTS):
            assert redaction._mask(line) == line


@given(st.text("paswordkeychnti-_ 5=", max_size=40))
def test_letters_that_every_name_of_a_secret_has(text):
    if names_secret(text):
        assert any(hint in text for hint in redaction._NAME_HINTS)
