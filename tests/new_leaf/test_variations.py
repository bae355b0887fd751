"""New leaves in fabrics with other layouts or names than the generated ones."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.bench import Files
from tests.new_leaf.fabrics import KINDS, fabric, file_of, mixed
from tests.new_leaf.runs import Run, changed, new_leaf, refused, written
from tests.sampling import sampled

LEAF9, SPINE1 = file_of("leaf9", "eos"), file_of("spine1", "eos")


def edited(files: Files, change: Callable[[str], str], only: str = ".cfg") -> Files:
    """A fabric with a change in all of its files of a kind."""
    return {name: change(text) if only in name else text for name, text in files.items()}


def numbered(files: Files, change: Callable[[str, int], str]) -> Files:
    """A fabric with a change in the file of each leaf, by its number."""
    leaf = re.compile(r"leaf(\d+)\.")
    found = {name: leaf.search(name) for name in files}
    return {name: change(text, int(found[name][1])) if found[name] else text  # type: ignore[index]
            for name, text in files.items()}  # fmt: skip


def require_leaf(run: Run, files: Files, like: str, *gained: str) -> None:
    """Lines of the new leaf that its sister lacks; it has as many as that."""
    (name,) = {*run.configs} - {*files}
    text = run.configs[name]
    lines = {line.strip() for line in text.splitlines()}
    assert {*gained} <= lines
    assert text.count("\n") == files[like].count("\n")


def require_spine(run: Run, files: Files, *gained: str) -> None:
    """Lines that a spine gains; it loses only the line that shuts the port."""
    lost, new = changed(files[SPINE1], run.configs[SPINE1])
    assert {*lost} <= {"shutdown"}
    assert {*gained} <= {*new}


# -------------------------------------------------------------------------------------------- sizes


UNREAD = {"srlinux", "srlinux-json", "srlinux-flat", "aoscx"}
"""Systems with a number that no reader reads, an AS number or an address of management: it goes on
where three lines show a pattern.
"""
FEW = [(system, n) for system in KINDS for n in (2, 3, 4) if n > 2 or system not in UNREAD]


@pytest.mark.parametrize("case", sampled(FEW, 100, lambda case: case[1]))
def test_few_leaves(tmp_path: Path, case: tuple[str, int]) -> None:
    """Two show a pattern, and ports of leaves and spines can have the same name."""
    system, leaves = case
    name = f"leaf{leaves + 1}"
    rest = fabric(system, leaves + 1, hosts=2, plan=True, without=name)
    run = written(tmp_path, rest, name, f"leaf{leaves}", "--hosts", 2)
    whole = fabric(system, leaves + 1, hosts=2, plan=True)
    for file, text in run.configs.items():
        assert text == whole[file], file


def test_lone_leaf(tmp_path: Path) -> None:
    """All is given; the hosts are named as those of the sister."""
    ports = "Ethernet1/1=10.2.2.0,Ethernet2/1=10.2.2.2,Ethernet3/1=10.1.1.5,Ethernet4/1=10.1.2.5"
    given = f"{ports},Management1=192.0.2.12"
    numbers: list[str | int] = ["--asn", 65002, "--loopback", "10.255.1.2", "--addresses", given]
    run = written(tmp_path, fabric("eos", 1), "leaf2", "leaf1", *numbers)
    leaf2 = file_of("leaf2", "eos")
    whole = fabric("eos", 2)[leaf2].replace("gpu3", "gpu1").replace("gpu4", "gpu2")
    assert run.configs[leaf2] == whole
    assert run.end.stderr.count(" gpu") == 2


THREE = [["eos", "sonic", "nxos"], ["junos", "os10", "cumulus"], ["vrp", "comware", "esonic"],
         ["iosxr", "junos-set", "cumulus-commands"]]  # fmt: skip
MIXED = [(systems, like) for systems in THREE for like in (4, 5, 6)]


@pytest.mark.parametrize("case", sampled(MIXED, 40, lambda _: 0))
def test_mixed(tmp_path: Path, case: tuple[list[str], int]) -> None:
    """A leaf like any other of a fabric with three systems, with hosts and without."""
    systems, like = case
    own = systems[like - 4]
    whole = mixed([*systems * 2, own], hosts=2, plan=True)
    rest = mixed([*systems * 2, own], hosts=2, plan=True, without="leaf7")
    run = written(tmp_path, rest, "leaf7", f"leaf{like}", "--hosts", 2)
    for name, text in run.configs.items():
        assert text == whole[name], name
    bare = mixed([*systems * 2, own])
    rest = mixed([*systems * 2, own], without="leaf7")
    run = written(tmp_path / "bare", rest, "leaf7", f"leaf{like}")
    for name, text in run.configs.items():
        assert re.sub(r"gpu\d+", "gpu", text) == re.sub(r"gpu\d+", "gpu", bare[name]), name


@pytest.mark.parametrize("system", sampled(KINDS, 40, lambda _: 0))
def test_gap(tmp_path: Path, system: str) -> None:
    """A number that is missing in the middle."""
    rest, whole = fabric(system, without="leaf5"), fabric(system)
    run = written(tmp_path, rest, "leaf5", "leaf6")
    for name, text in run.configs.items():
        assert text == whole[name], name


@pytest.mark.parametrize("system", sampled(KINDS, 40, lambda _: 0))
def test_two_leaves(tmp_path: Path, system: str) -> None:
    """Both are on each spine."""
    files, whole = fabric(system), fabric(system, 10)
    run = written(tmp_path, files, "leaf9,leaf10", "leaf7,leaf8")
    for name in {*whole} - {*files}:
        assert run.configs[name] == whole[name], name
    for spine in ("spine1", "spine2"):
        _, gained = changed(files[file_of(spine, system)], run.configs[file_of(spine, system)])
        assert any("leaf9" in line for line in gained)
        assert any("leaf10" in line for line in gained)


# -------------------------------------------------------------------------------------------- names

NAMES = {
    "leaf0{}": ("leaf08", ["leaf09", "leaf10"]),
    "pod1-leaf{}": ("pod1-leaf8", ["pod1-leaf9"]),
    "LEAF{}": ("LEAF8", ["LEAF9"]),
    "r12-u40-leaf{}.dc1": ("r12-u40-leaf8.dc1", ["r12-u40-leaf9.dc1"]),
    "leaf_{}a": ("leaf_8a", ["leaf_9a"]),
}


@pytest.mark.parametrize("form", sampled(NAMES, 40, lambda _: 0))
def test_names(tmp_path: Path, form: str) -> None:
    like, names = NAMES[form]
    named = {re.sub(r"leaf(\d)", form.format(r"\1"), name).replace("\\", ""): text
             for name, text in fabric("eos").items()}  # fmt: skip
    files = edited(named, lambda text: re.sub(r"leaf(\d)", lambda m: form.format(m[1]), text))
    for name in names:
        number = re.findall(r"\d+", name)[-1 if "dc1" not in name else -2].lstrip("0")
        run = written(tmp_path / name, files, name, like)
        (file,) = {*run.configs} - {*files}
        text = run.configs[file]
        assert f"hostname {name}\n" in text
        assert f"router bgp {65000 + int(number)}\n" in text
        assert like not in text
        require_spine(run, files, f"description {name} Ethernet3/1")


# ------------------------------------------------------------------------------------------ numbers


def as_slash30(text: str) -> str:
    def address(found: re.Match[str]) -> str:
        spine, number = int(found[1]), int(found[2])
        return f"10.1.{spine}.{4 * (number // 2) + 1 + number % 2}"

    text = re.sub(r"10\.1\.(\d)\.(\d+)", address, text)
    return re.sub(r"(10\.1\.\d\.\d+)/31", r"\1/30", text)


def as_slash127(text: str) -> str:
    text = re.sub(r"ip address (10\.1\.\d\.\d+)/31", r"ipv6 address \1/127", text)
    return re.sub(r"10\.1\.(\d)\.(\d+)", lambda m: f"2001:db8:{m[1]}::{int(m[2]):x}", text)


def unnumbered(text: str) -> str:
    text = re.sub(r"ip address 10\.1\.\d\.\d+/31", "ipv6 enable", text)
    text = re.sub(r"   neighbor 10\.1.*\n", "", text)
    leaf = "SPINES peer group" in text
    ports = [3, 4] if leaf else range(1, 9)
    group = "SPINES" if leaf else "LEAVES"
    sessions = "".join(
        f"   neighbor interface Ethernet{n}/1 peer-group {group} remote-as"
        f" {65500 if leaf else 65000 + n}\n"
        for n in ports
    )
    return text.replace("   redistribute", f"{sessions}   redistribute")


def one_as(text: str) -> str:
    return re.sub(r"\b650\d\d\b", "65001", text)


PLANS: dict[str, tuple[Callable[[str], str], list[str], list[str]]] = {
    "/30": (as_slash30, ["ip address 10.1.1.38/30", "neighbor 10.1.2.37 remote-as 65500"],
            ["ip address 10.1.1.37/30", "neighbor 10.1.1.38 remote-as 65009"]),
    "/127": (as_slash127, ["ipv6 address 2001:db8:1::13/127", "neighbor 2001:db8:2::12 description spine2"],
             ["ipv6 address 2001:db8:1::12/127", "neighbor 2001:db8:1::13 remote-as 65009"]),
    "unnumbered": (unnumbered, ["description spine1 Ethernet9/1", "router bgp 65009"],
                   ["ipv6 enable", "neighbor interface Ethernet9/1 peer-group LEAVES remote-as 65009"]),
    "tier": (one_as, ["router bgp 65001", "router-id 10.255.1.9"],
             ["neighbor 10.1.1.19 remote-as 65001"]),
    "ibgp": (lambda text: re.sub(r"\b65\d\d\d\b", "65001", text), ["router bgp 65001"],
             ["neighbor 10.1.1.19 remote-as 65001"]),
}  # fmt: skip


@pytest.mark.parametrize("plan", sampled(PLANS, 40, lambda _: 0))
def test_numbers(tmp_path: Path, plan: str) -> None:
    change, leaf, spine = PLANS[plan]
    files = edited(fabric("eos"), change)
    run = written(tmp_path, files, "leaf9", "leaf8")
    require_leaf(run, files, file_of("leaf8", "eos"), *leaf)
    require_spine(run, files, *spine)


# ----------------------------------------------------------------------------------------- identity

IDENTITY = """ip prefix-list OWN
   seq 10 permit 10.255.1.{n}/32
   seq 20 permit 10.254.1.{n}/32
!
ip access-list MGMT-leaf{n}
   10 permit ip host 192.0.2.{m} any
!
route-map LEAF{n}-OUT permit 10
   match ip address prefix-list OWN
   set community 65000:{n}
!
interface Loopback1
   description VTEP leaf{n}
   ip address 10.254.1.{n}/32
!
interface Vxlan1
   vxlan source-interface Loopback1
   vxlan vlan 10 vni 10010
!
ntp local-interface Loopback0
alias here show version | grep leaf{n}
banner login
Welcome to leaf{n} in rack {r}
EOF
!
router isis FABRIC
   net 49.0001.0102.5500.100{n}.00
   is-hostname leaf{n}
!
management security
   ssl profile leaf{n}-cert
!
"""
SECRETS = """snmp-server engineID local f5717f0011223344{h}
username ops ssh-key ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQ{h}
username admin privilege 15 secret sha512 $6${h}$abcdefgh
"""


def test_identity(tmp_path: Path) -> None:
    """Lines that name a leaf or have its addresses, and the common lines of the switches."""
    shared = "   neighbor SPINES password 7 0123456789abcdef\n"

    def change(text: str, n: int) -> str:
        own = IDENTITY.format(n=n, m=10 + n, r=20 + n)
        text = text.replace("ip routing\n", f"{own}ip routing\n")
        return text.replace("   redistribute", f"{shared}   redistribute")

    files = numbered(fabric("eos"), change)
    run = written(tmp_path, files, "leaf9", "leaf8")
    own = IDENTITY.format(n=9, m=19, r=29)
    assert own in run.configs[LEAF9]
    assert shared in run.configs[LEAF9]
    assert "leaf8" not in run.configs[LEAF9].lower()


def test_secrets(tmp_path: Path) -> None:
    """Lines of one device alone are removed; a hash unlike those of others is listed."""

    def change(text: str, n: int) -> str:
        own = SECRETS.format(h=f"{(n * 7919) ** 3 % 0xFFFFFF:06x}")
        return text.replace("ip routing\n", f"{own}ip routing\n")

    files = numbered(fabric("eos"), change)
    run = written(tmp_path, files, "leaf9", "leaf8")
    text, plan = run.configs[LEAF9], run.files["plan.md"]
    assert "engineID local" not in text
    assert "ssh-rsa" not in text
    assert text.count("removed: ") == 2
    assert "ssh-rsa" not in run.end.output + plan
    assert "username admin" in plan


SPINE = {
    "   seq 10 permit 10.255.0.0/16 eq 32\n": "   seq {t} permit 10.255.1.{n}/32\n",
    "ip routing\n!\n": "ip host leaf{n} 192.0.2.{m}\n",
    "qos map dscp 26": "ip prefix-list FROM-LEAF{n}\n   seq 10 permit 10.2.{n}.0/24 le 31\n!\n",
    "qos map dscp 48": "route-map IN permit {t}\n   match ip address prefix-list FROM-LEAF{n}\n!\n",
    "   redistribute": "   neighbor 10.255.1.{n} peer group EVPN\n"
    "   neighbor 10.255.1.{n} remote-as {a}\n",
}
"""Lines of a spine for each leaf, before a given line."""


def test_lines_of_spines(tmp_path: Path) -> None:
    def for_all(line: str, count: int) -> str:
        return "".join(
            line.format(n=n, t=10 * n, m=10 + n, a=65000 + n) for n in range(1, count + 1)
        )

    def change(text: str, count: int) -> str:
        for place, line in SPINE.items():
            text = text.replace(place, for_all(line, count) + place, 1)
        return text

    files = edited(fabric("eos"), lambda text: change(text, 8), "spine")
    run = written(tmp_path, files, "leaf9", "leaf8")
    rest = fabric("eos", 9, without="leaf9")
    assert {name: text for name, text in rest.items() if "leaf" in name}.keys() <= files.keys()
    _, gained = changed(files[SPINE1], run.configs[SPINE1])
    for line in SPINE.values():
        for each in line.format(n=9, t=90, m=19, a=65009).splitlines():
            assert each.strip() == "!" or each.strip() in gained, each


# ---------------------------------------------------------------------------------------- topology


def in_planes(files: Files) -> Files:
    """Odd leaves on the first two of four spines, even ones on the others."""
    found = {}
    for name, before in files.items():
        text = before
        number = int(re.findall(r"\d+", name)[0])
        if "spine" in name:
            gone = [n for n in range(1, 9) if (n % 2 == 1) == (number > 2)]
            pattern = (
                rf"   neighbor 10\.1\.{number}\.({'|'.join(str(2 * n + 1) for n in gone)}) .*\n"
            )
        else:
            gone = [3, 4] if number % 2 else [1, 2]
            pattern = rf"   neighbor 10\.1\.({'|'.join(map(str, gone))})\..*\n"
            gone = [2 + n for n in gone]
        for n in gone:
            stanza = rf"interface Ethernet{n}/1\n.*?!\n"
            shut = f"interface Ethernet{n}/1\n   shutdown\n!\n"
            text = re.sub(stanza, shut, text, flags=re.DOTALL)
        found[name] = re.sub(pattern, "", text)
    return found


@pytest.mark.deep
def test_planes(tmp_path: Path) -> None:
    files = in_planes(fabric("eos", 8, 4))
    whole = in_planes(fabric("eos", 10, 4))
    run = written(tmp_path / "one", files, "leaf9", "leaf7")
    assert {*run.configs} == {LEAF9, SPINE1, file_of("spine2", "eos")}
    assert run.configs[LEAF9] == whole[LEAF9]
    run = written(tmp_path / "two", files, "leaf10", "leaf8")
    leaf10 = file_of("leaf10", "eos")
    assert {*run.configs} == {leaf10, file_of("spine3", "eos"), file_of("spine4", "eos")}
    assert run.configs[leaf10] == whole[leaf10]


def with_channels(text: str) -> str:
    """Each link to a spine as a channel with one member."""
    leaf = "SPINES peer group" in text
    ports = {n: 98 + n for n in (3, 4)} if leaf else {n: n for n in range(1, 9)}
    for n, channel in ports.items():
        found = re.search(rf"interface Ethernet{n}/1\n(.*?)!\n", text, flags=re.DOTALL)
        assert found is not None
        (address,) = re.findall(r"   ip address .*\n", found[1])
        (peer,) = re.findall(r"   description (\S+)", found[1])
        member = re.sub(r"   (mtu|no switchport).*\n", "", found[1])
        member = member.replace(address, f"   channel-group {channel} mode active\n")
        text = text.replace(found[0], f"interface Ethernet{n}/1\n{member}!\n")
        head = f"interface Port-Channel{channel}\n   description {peer}\n   mtu 9214\n"
        own = f"{head}   no switchport\n{address}   service-profile LOSSLESS\n!\n"
        text = text.replace("interface Ethernet1/1\n", f"{own}interface Ethernet1/1\n", 1)
    return text


@pytest.mark.deep
def test_channels(tmp_path: Path) -> None:
    files = edited(fabric("eos"), with_channels)
    run = written(tmp_path, files, "leaf9", "leaf8")
    require_leaf(run, files, file_of("leaf8", "eos"), "ip address 10.1.1.19/31")
    require_spine(run, files, "interface Port-Channel9", "channel-group 9 mode active")


@pytest.mark.deep
def test_breakout(tmp_path: Path) -> None:
    """Two ports per cage: 8 ports are 1/1 to 4/5, the ninth is 5/1."""

    def halves(text: str, before: str) -> str:
        return re.sub(
            rf"({before})Ethernet(\d+)/1\b",
            lambda m: f"{m[1]}Ethernet{(int(m[2]) + 1) // 2}/{1 if int(m[2]) % 2 else 5}",
            text,
        )

    files = edited(fabric("eos"), lambda text: halves(text, r"description spine\d "), "leaf")
    files = edited(files, lambda text: halves(text, "interface "), "spine")
    run = written(tmp_path, files, "leaf9", "leaf8")
    require_leaf(run, files, file_of("leaf8", "eos"), "description spine2 Ethernet5/1")
    assert "interface Ethernet5/1\n   description leaf9 Ethernet3/1\n" in run.configs[SPINE1]


# ------------------------------------------------------------------------------------------- files


@pytest.mark.parametrize("system", sampled(["eos", "sonic", "junos", "cumulus"], 40, lambda _: 0))
def test_line_ends(tmp_path: Path, system: str) -> None:
    plain = fabric(system)
    files = {name: text.replace("\n", "\r\n") for name, text in plain.items()}
    run = written(tmp_path / "crlf", files, "leaf9", "leaf8")
    other = written(tmp_path / "lf", plain, "leaf9", "leaf8")
    for name, text in other.configs.items():
        assert run.configs[name] == text.replace("\n", "\r\n"), name


@pytest.mark.deep
def test_files_elsewhere(tmp_path: Path) -> None:
    """A folder per device, or files that are not named after it."""
    folders = {re.sub(r"switches/(\w+)\.cfg", r"\1/startup-config", name): text
               for name, text in fabric("eos").items()}  # fmt: skip
    run = written(tmp_path / "folders", folders, "leaf9", "leaf8")
    assert {*run.configs} == {f"{n}/startup-config" for n in ("leaf9", "spine1", "spine2")}
    other = {name.replace("leaf", "r2-l"): text for name, text in fabric("eos").items()}
    run = written(tmp_path / "other", other, "leaf9", "leaf8")
    assert run.configs.keys() == {LEAF9, SPINE1, file_of("spine2", "eos")}


@pytest.mark.deep
def test_cable_plan(tmp_path: Path) -> None:
    """Length, speed and rail of a cable are those of the sister's."""
    files = fabric("eos", plan=True)
    files["links.yaml"] = re.sub(
        r"\[(\S+), (\S+)\]", r'{a: "\1", b: "\2", cable_m: 30, rail: 3}', files["links.yaml"]
    )
    run = written(tmp_path, files, "leaf9", "leaf8")
    (line,) = (line for line in run.files["links.yaml"].splitlines() if "leaf9:Ethernet3/1" in line)
    assert re.search(r"spine1:Ethernet9/1.*cable_m: 30.*rail: 3", line)


def test_given_ports(tmp_path: Path) -> None:
    run = written(tmp_path, fabric("eos"), "leaf9", "leaf8", "--ports", "spine1:Ethernet10/1")
    ends = {frozenset(("leaf9:Ethernet3/1", "spine1:Ethernet10/1")),
            frozenset(("leaf9:Ethernet4/1", "spine2:Ethernet9/1"))}  # fmt: skip
    assert {ends for ends in run.links if any("leaf9" in end for end in ends)} == ends
    assert "description spine1 Ethernet10/1" in run.configs[LEAF9]


@pytest.mark.deep
def test_port_in_use_by_nobody(tmp_path: Path) -> None:
    """A port that is up and routed, without a neighbour, is passed over."""
    files = edited(
        fabric("eos"),
        lambda text: text.replace("Ethernet9/1\n   shutdown", "Ethernet9/1\n   no switchport"),
        "spine",
    )
    run = new_leaf(tmp_path, files, "leaf9", "leaf8")
    assert run.end.returncode == 0, run.end.stderr
    assert "interface Ethernet10/1\n   description leaf9" in run.configs[SPINE1]


@pytest.mark.parametrize("system", sampled(["eos", "nxos"], 40, lambda _: 0))
def test_snapshot(tmp_path: Path, system: str) -> None:
    """A spine that was pulled gets commands; the leaf is a whole file without the output's head."""
    shown = fabric(system, lldp=True)
    files = {}
    for name, text in shown.items():
        device = re.findall(r"\w+\d+", name)[0]
        head = f"# command: show running-config  host: {device}\n"
        lldp = "lldp" in name
        files[f"{device}/{'lldp' if lldp else 'config'}.txt"] = text if lldp else head + text
    run = written(tmp_path, files, "leaf9", "leaf8")
    whole = fabric(system, 9)[file_of("leaf9", system)]
    assert run.configs == {"leaf9/config.txt": whole}
    for spine in ("spine1", "spine2"):
        assert "10.1." in run.files[f"commands/{spine}.txt"]
        assert f"rollback/{spine}.txt" in run.files


def test_absent_spine(tmp_path: Path) -> None:
    """A link to a spine without a file is reported, and left out."""
    files = {name: text for name, text in fabric("eos", plan=True).items() if "spine2" not in name}
    run = written(tmp_path, files, "leaf9", "leaf8")
    assert {*run.configs} == {LEAF9, SPINE1}
    assert re.search(r"leaf9 Ethernet4/1.*spine2", run.end.stderr)
    assert re.search(r"leaf9 Ethernet4/1.*spine2", run.files["plan.md"])


@pytest.mark.deep
def test_named_elsewhere(tmp_path: Path) -> None:
    """Lines of devices that stay as they are, about the sister: listed with file and line."""
    files = fabric("eos")
    leaf1 = file_of("leaf1", "eos")
    own = "ip host leaf8 192.0.2.18\nvxlan flood vtep 10.255.1.8\n"
    files[leaf1] = files[leaf1].replace("ip routing\n", f"{own}ip routing\n")
    run = written(tmp_path, files, "leaf9", "leaf8")
    assert leaf1 not in run.configs
    lines = files[leaf1].splitlines()
    for line in own.splitlines():
        place = f"{leaf1}:{lines.index(line) + 1}"
        assert place in run.end.stderr
        assert place in run.files["plan.md"]


def test_part_of_a_pair(tmp_path: Path) -> None:
    """One leaf of two that are linked is not copied alone."""
    files = fabric("eos", plan=True)
    files["links.yaml"] += "- [leaf7:Ethernet5/1, leaf8:Ethernet5/1]\n"
    reason = refused(tmp_path, files, "leaf9", "leaf7")
    assert "--like leaf7,leaf8" in reason
