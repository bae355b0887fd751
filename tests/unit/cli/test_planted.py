"""Two hundred planted secrets: none in any output, the cache or a traceback; similar text stays."""

from __future__ import annotations

import json
import shutil
from itertools import product
from pathlib import Path

import pytest
from click.testing import CliRunner

from roce_lint.cli.main import cli
from roce_lint.engine import run as engine
from roce_lint.report import FORMATS


def secret(number: int) -> str:
    """A made-up secret that no shape of a line hides by chance: letters only."""
    letters = "".join("abcdefghij"[int(digit)] for digit in f"{number:03}")
    return f"Zq{letters}xKwv"


DEVICE = (
    "username u secret 0 {}", "username u password 7 {}", "enable secret {}", "enable password 0 {}",
    "snmp-server community {} ro", "snmp-server host 10.0.0.1 version 2c {}", "tacacs-server key 7 {}",
    "radius-server host 10.0.0.1 key {}", "tacacs-server host 10.0.0.1 key 7 {}", "key-string {}",
    "neighbor 10.0.0.1 password {}", "ip ospf message-digest-key 1 md5 {}", "ip ospf authentication-key {}",
    "ntp authentication-key 1 md5 {}", "crypto isakmp key {} address 10.0.0.1", "mka pre-shared-key {}",
    "snmp-server user u g v3 auth sha {} priv aes x", "isis password {}", "standby 1 authentication text {}",
    "aaa root secret sha512 $6${}", "vrrp 1 authentication text {}", "management api token {}",
    "authentication-mode plain {}", "ospf authentication-mode md5 1 plain {}", "key-string plain {}",
    "isis authentication-mode simple plain {}", "peer 10.0.0.1 password simple {}",
    "ntp-service authentication-keyid 1 authentication-mode md5 {}", "hwtacacs-server shared-key {}",
    "snmp-agent usm-user v3 u authentication-mode sha2-256 {}", "snmp-agent community read cipher {}",
    "snmp-agent usm-user v3 u privacy-mode aes128 {}", "standby 1 authentication {}",
    "snmp-agent target-host trap address udp-domain 1.1.1.1 params securityname {} v2c",
    "area 0 virtual-link 1.1.1.1 message-digest-key 1 md5 {}", "hello-password hmac-md5 encrypted {}",
    "snmp-server user u network-admin auth md5 x priv aes-128 {} localizedkey", "tcp-ao key {}",
    "ip nhrp authentication {}", "vrrp vrid 1 authentication-mode simple key plain {}",
    "radius-server host 1.1.1.1 key 7 {} authentication", "tacacs server x 1.1.1.1 key 7 {}",
)  # fmt: skip
STATEMENTS = (
    "set system root-authentication encrypted-password {}", "set snmp community {} authorization read-only",
    "set protocols bgp group g authentication-key {}", "set system login user u authentication plain-text-password {}",
    "set security ike policy p pre-shared-key ascii-text {}", "set system tacplus-server 10.0.0.1 secret {}",
    "set security macsec connectivity-association c pre-shared-key cak {}",
    "set system radius-server 10.0.0.1 secret {}",
    "set protocols ospf area 0 interface x authentication md5 1 key {}",
    "set protocols ospf area 0 interface x authentication simple-password {}",
    "set snmp v3 usm local-engine user u privacy-aes128 privacy-password {}",
    "set snmp v3 snmp-community 1 community-name {}", "set protocols isis level 1 authentication-key {}",
    "set system ntp authentication-key 1 type md5 value {}",
)  # fmt: skip
SCRIPT = (
    "echo {} | sudo -S mlnx_qos -i eth0 --pfc 0,0,0,1,0,0,0,0", "mysql -p{} -e x", "redis-cli -a {} ping",
    "curl -H 'X-Auth: {}' https://x/y", "curl -u admin:{} https://x/y", "sshpass -p {} ssh u@h ip link",
    "export DB_PASSWORD={}", "export API_TOKEN={}", "wget https://u:{}@h/x", "mlnx_qos -i eth0 --trust dscp # pw {}",
    "ipmitool -U a -P {} power", "sudo -S x <<< {}", "API_KEY={} run", "curl 'https://x/y?sig={}'",
    "az --account-key x AccountKey={};", "docker login -u a --password {}", "kinit u <<< {}",
    "export MYSQL_PWD={}", "SSHPASS={} sshpass -e ssh u@h", "useradd -p {} u", "curl -uadmin:{} https://x/y",
    "git clone https://{}@h/x", "expect 'assword:'; send '{}'", "scp admin:{}@leaf1:/x .",
    "curl --cookie x -H 'Cookie: {}' https://x", "docker login -u a \\\n  -p {}",
)  # fmt: skip
TOKENS = (
    "ghp_{0}{0}{0}", "glpat-{0}{0}", "xoxb-{0}-{0}", "hf_{0}{0}{0}", "npm_{0}{0}{0}", "sk-{0}{0}{0}",
    "eyJ{0}{0}.eyJ{0}.{0}", "AKIA{1}{1}",
)  # fmt: skip
DESCRIPTIONS = (
    "uplink password {}",
    "pw={}",
    "login: {}",
    "token {}",
    "see https://u:{}@wiki/x",
    "secret {} of bob",
    "passphrase {}",
    "pin={}",
    "pw {}",
    "PIN {}",
    "creds admin/{}",
    "Passwort: {}",
    "bob:{}@leaf1",
    "authentication-mode plain {}",
    "<password>{}</password>",
)
BRANCHES = """
- header:
    model: x
- set:
    system:
      hostname: leaf5
      aaa:
        user:
          cumulus:
            hashed-password: {0}
            password:
              plain: {0}
            secret:
            - {0}
      snmp-server:
        readonly-community:
          {0}:
            access: any
        username:
          u:
            auth-md5: {0}
      key: |
        {0}
    interface:
      swp1:
        description: token {0}
        link:
          mtu: 9216
        qos:
          password:
            x: {0}
"""
BLOCKS = """system {{
    host-name leaf6;
    root-authentication {{
        encrypted-password "$6${0}"; ## SECRET-DATA
    }}
    tacplus-server {{
        10.0.0.2 {{
            secret {{
                a {{
                    {0};
                }}
                {0};
            }}
        }}
    }}
}}
class-of-service {{
    secret {{
        odd {{
            {0};
        }}
    }}
}}
interfaces {{
    et-0/0/1 {{
        mtu 9216;
    }}
}}
"""
"""Trees in which a parent line marks the secret, with valid and invalid values."""  # fmt: skip
READABLE = (
    "key chain FABRIC-KEYS", "key 3", "ip community-list standard ROCE-PEERS permit 65000:1",
    "send-community", "hash-key src-ip", "ssh fingerprint SHA256", "lacp key 12",
)  # fmt: skip


def planted() -> dict[str, list[str]]:
    """Lines with a secret each, by destination; the number of a secret is its line."""
    made: dict[str, list[str]] = {"device": [], "statements": [], "script": [], "description": []}
    count = 0

    def one() -> str:
        nonlocal count
        count += 1
        return secret(count)

    for _, line in product(range(3), DEVICE):
        made["device"].append(f"   priority-flow-control x {line.format(one())}")
    for line in DEVICE:
        made["device"].append(f"   {line.format(one())}")
    for _, line in product(range(3), STATEMENTS):
        made["statements"].append(line.format(one()))
    for _, line in product(range(2), SCRIPT):
        made["script"].append(line.format(one()))
    for _, line in product(range(3), DESCRIPTIONS):
        made["description"].append(line.format(one()))
    for where, form in product(made, TOKENS):
        name = one()
        text = form.format(name, name.upper())
        line = {
            "device": f"   qos {text}",
            "statements": f'set class-of-service interfaces et-0/0/1 unit 0 description "{text}"',
            "script": f"mlnx_qos -i eth0 --x {text}",
            "description": f"see {text}",
        }[where]
        made[where].append(line)
    return made


PLANTED = planted()
SECRETS = [secret(number) for number in range(1, 1 + sum(map(len, PLANTED.values())))]


def write(folder: Path) -> None:
    """Everything, in configurations that are read."""
    head = "! device: leaf1 (DCS-7060X6-64PE, EOS-4.32.1F)\nhostname leaf1\n"
    ports = "".join(
        f"interface Ethernet{number}\n   description {text}\n   mtu 1500\n   mtu 1501\n"
        for number, text in enumerate(PLANTED["description"], 1)
    )
    odd = "interface Ethernet60\n   no switchport\n" + "\n".join(PLANTED["device"]) + "\n"
    plain = "".join(f"   {line}\n" for line in READABLE)
    (folder / "leaf5.yaml").write_text(BRANCHES.format(SECRETS[0])[1:])
    (folder / "leaf6.conf").write_text(BLOCKS.format(SECRETS[0]))
    key = "-----BEGIN PRIVATE KEY-----\n" + SECRETS[0] * 7 + "\n-----END PRIVATE KEY-----\n"
    (folder / "leaf1.cfg").write_text(head + ports + odd + plain + key + "end\n")
    junos = "set version 21.4R1\nset system host-name leaf2\nset interfaces et-0/0/1 mtu 9216\n"
    (folder / "leaf2.conf").write_text(junos + "\n".join(PLANTED["statements"]) + "\n")
    (folder / "gpu1").mkdir()
    script = "#!/bin/bash\nmlnx_qos -i eth0 --pfc 0,0,0,1,0,0,0,0\n"
    (folder / "gpu1" / "qos.sh").write_text(script + "\n".join(PLANTED["script"]) + "\n")
    for name, some, indent in (("leaf3", SECRETS, 1), ("leaf7", SECRETS[::20], None)):
        ports = {
            f"Ethernet{n * 4}": {"mtu": "1", "x_password": text} for n, text in enumerate(some)
        }
        data = {"DEVICE_METADATA": {"localhost": {"hostname": name}}, "PORT": ports}
        (folder / f"{name}.json").write_text(json.dumps(data, indent=indent))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("planted")
    (folder / ".git").mkdir()
    (folder / "configs").mkdir()
    write(folder / "configs")
    few = folder / "few"
    shutil.copytree(folder / "configs", few, ignore=shutil.ignore_patterns("leaf3.json"))
    whole = (few / "leaf1.cfg").read_text()
    (few / "leaf1.cfg").write_text(whole.split("interface Ethernet7\n")[0] + "end\n")
    return folder


def ask(site: Path, *words: str, where: str = "configs") -> str:
    """Both streams of a command, with a separate cache."""
    kept = {"XDG_CACHE_HOME": str(site / "cache")}
    done = CliRunner().invoke(cli, [*words, str(site / where)], prog_name="roce-lint", env=kept)
    assert done.exit_code in (0, 1, 3), done.output[-300:]
    return done.output


@pytest.fixture(scope="module")
def written(site: Path) -> dict[str, str]:
    """All outputs by kind; bytes of the cache as Latin-1."""
    outputs = [f"--output={name}={site}/out.{name}" for name in FORMATS]
    known = f"--write-baseline={site}/known"
    words = {
        "check": ["check", "-v", "--show-unknown", "--strict", known, *outputs],
        "show -v": ["show", "-v"], "show --lines": ["show", "--lines"],
        "show json": ["show", "--format=json", "-v", "--lines"],
        "diff": ["diff", "-v", str(site / "configs" / "leaf1.cfg")],
    }  # fmt: skip
    found = {name: ask(site, *each) for name, each in words.items()}
    leaf1 = str(site / "configs" / "leaf1.cfg")
    few = {
        "diff json": ["diff", "--stated", "--format=json", leaf1],
        "diff markdown": ["diff", "--stated", "--findings", "--format=markdown", leaf1],
        "whatif": ["whatif", "-v", "--set", "leaf1:* mtu=9000"],
        "whatif json": ["whatif", "--format=json", "--set", "leaf1:* mtu=9000"],
        "fix": ["fix", "--diff", "--disruptive"],
        "show port": ["show", "--port=Ethernet1", "--device=leaf1"],
        "show files": ["check", "--show-files", "-v"],
        "statistics": ["check", "--timings", "--statistics"],
    }
    found |= {name: ask(site, *each, where="few") for name, each in few.items()}
    found |= {name: (site / f"out.{name}").read_text() for name in FORMATS}
    found["baseline"] = (site / "known").read_text()
    kept = [path for path in (site / "cache").rglob("*") if path.is_file()]
    assert kept
    return found | {path.name: path.read_bytes().decode("latin-1") for path in kept}


def test_no_secret_leaves(written: dict[str, str]) -> None:
    assert len(SECRETS) >= 200
    leaks = [
        (name, value)
        for name, text in written.items()
        for value in SECRETS
        if value in text or value.upper() in text
    ]
    assert leaks == []


def test_what_looks_alike_stays_readable(written: dict[str, str]) -> None:
    for line in READABLE:
        assert line in written["show --lines"]


def test_lines_keep_their_numbers(written: dict[str, str], site: Path) -> None:
    lines = (site / "configs" / "leaf1.cfg").read_text().splitlines()
    number = next(n for n, line in enumerate(lines, 1) if "snmp-server community" in line)
    assert f"{number}" in written["show --lines"]
    assert "priority-flow-control x snmp-server community ***" in written["show --lines"]


def test_no_secret_is_in_a_crash(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_args: object) -> object:
        raise LookupError("\n".join(f"password {value}" for value in SECRETS))

    monkeypatch.setattr(engine, "outcomes", fails)
    output = ask(site, "check", "-v", "--select", "MTU001,SRC900")
    assert "LookupError" in output
    assert not [value for value in SECRETS if value in output]
