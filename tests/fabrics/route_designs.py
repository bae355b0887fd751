"""BGP of a leaf or a spine in the syntax of several systems, with the policies of some designs."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent

TAG = "65000:15"

DESIGNS = (
    "none",
    "passes all",
    "own routes only",
    "tagged, refused going up",
    "spines tag, leaves refuse",
    "own prefixes only",
    "all prefixes",
    "refused by the number of the other spine",
    "a condition that is not followed",
    "not defined",
)
"""Designs by the policies of leaves and spines; each has a form in every system."""


def eos(asn: int, peers: dict[str, int], design: str, *, leaf: bool) -> str:
    """Arista."""
    policy, used = _lines(design, leaf=leaf, hosts=f"10.200.{asn}.0/24", peers=peers, own=asn)
    lines = [f"hostname {'leaf' if leaf else 'spine'}{asn}", *policy.split("\n")]
    lines.append(f"router bgp {asn}")
    for peer, number in peers.items():
        lines.append(f"   neighbor {peer} remote-as {number}")
        lines += [f"   neighbor {peer} {word}" for word in used]
    return "\n".join(lines) + "\n"


def nxos(asn: int, peers: dict[str, int], design: str, *, leaf: bool) -> str:
    """Nexus."""
    policy, used = _lines(design, leaf=leaf, hosts=f"10.200.{asn}.0/24", peers=peers, own=asn)
    policy = policy.replace("   match", "  match").replace("   set", "  set")
    policy = policy.replace("ip community-list UP", "ip community-list standard UP")
    policy = policy.replace("^$ any", '"^$"').replace("_ any", '_"').replace("deny _", 'deny "_')
    lines = [f"hostname {'leaf' if leaf else 'spine'}{asn}", "feature bgp", *policy.split("\n")]
    lines.append(f"router bgp {asn}")
    for peer, number in peers.items():
        lines += [
            f"  neighbor {peer}",
            f"    remote-as {number}",
            "    address-family ipv4 unicast",
        ]
        lines += ["      disable-peer-as-check", *(f"      {word}" for word in used)]
    return "\n".join(lines) + "\n"


def _lines(
    design: str, *, leaf: bool, hosts: str, peers: dict[str, int], own: int
) -> tuple[str, list[str]]:
    """Policies, and the lines of every neighbour."""
    going_up = "own routes only", "own prefixes only", "all prefixes", "passes all"
    if leaf and design in going_up:
        match = {
            "own routes only": ("ip as-path access-list OWN permit ^$ any", "as-path OWN"),
            "own prefixes only": (
                f"ip prefix-list OWN seq 10 permit {hosts}", "ip address prefix-list OWN",
            ),
            "all prefixes": (
                "ip prefix-list OWN seq 10 permit 0.0.0.0/0 le 32", "ip address prefix-list OWN",
            ),
            "passes all": ("", ""),
        }[design]  # fmt: skip
        body = f"   match {match[1]}" if match[1] else "   set local-preference 90"
        return f"{match[0]}\nroute-map UP permit 10\n{body}", ["route-map UP out"]
    refuse = dedent(
        f"""\
        ip community-list UP permit {TAG}
        route-map UP deny 10
           match community UP
        route-map UP permit 20"""
    )
    tag = f"route-map TAG permit 10\n   set community {TAG} additive"
    if leaf and design == "tagged, refused going up":
        return f"{refuse}\n{tag}", ["route-map TAG in", "route-map UP out"]
    if design == "spines tag, leaves refuse":
        if leaf:
            return refuse, ["route-map UP out"]
        return tag, ["send-community", "route-map TAG out"]
    if not leaf and design == "refused by the number of the other spine":
        others = "\n".join(
            f"ip as-path access-list OTHERS deny _{number}_ any"
            for number in (101, 102)
            if number != own
        )
        listed = f"{others}\nip as-path access-list OTHERS permit .* any"
        return f"{listed}\nroute-map IN permit 10\n   match as-path OTHERS", ["route-map IN in"]
    if leaf and design == "a condition that is not followed":
        return "route-map UP deny 10\n   match tag 7\nroute-map UP permit 20", ["route-map UP out"]
    if leaf and design == "not defined":
        return "", ["route-map UP out"]
    return "", []


def cumulus(asn: int, peers: dict[str, int], design: str, *, leaf: bool) -> str:
    """NVUE."""
    stated = _nvue(design, leaf=leaf, hosts=f"10.200.{asn}.0/24", own=asn)
    lines = [f"nv set system hostname {'leaf' if leaf else 'spine'}{asn}"]
    lines += [f"nv set router policy {line}" for line in stated[0]]
    lines.append(f"nv set router bgp autonomous-system {asn}")
    for peer, number in peers.items():
        base = f"nv set vrf default router bgp neighbor {peer}"
        lines.append(f"{base} remote-as {number}")
        lines += [f"{base} address-family ipv4-unicast policy {line}" for line in stated[1]]
    return "\n".join(lines) + "\n"


def _nvue(design: str, *, leaf: bool, hosts: str, own: int) -> tuple[list[str], list[str]]:
    refuse = [
        "community-list UP rule 10 action permit",
        f"community-list UP rule 10 community {TAG}",
        "route-map UP rule 10 action deny",
        "route-map UP rule 10 match community-list UP",
        "route-map UP rule 20 action permit",
    ]
    tag = ["route-map TAG rule 10 action permit", f"route-map TAG rule 10 set community {TAG}"]
    up, permit = ["outbound route-map UP"], "route-map UP rule 10 action permit"
    of_leaf = {
        "passes all": ([permit], up),
        "own routes only": (
            ["as-path-list OWN rule 10 action permit", "as-path-list OWN rule 10 aspath-exp ^$",
             permit, "route-map UP rule 10 match as-path-list OWN"], up,
        ),
        "own prefixes only": (
            ["prefix-list OWN rule 10 action permit", f"prefix-list OWN rule 10 match {hosts}",
             permit, "route-map UP rule 10 match ip-prefix-list OWN"], up,
        ),
        "all prefixes": (
            ["prefix-list OWN rule 10 action permit",
             "prefix-list OWN rule 10 match 0.0.0.0/0 max-prefix-len 32",
             permit, "route-map UP rule 10 match ip-prefix-list OWN"], up,
        ),
        "tagged, refused going up": ([*refuse, *tag], [*up, "inbound route-map TAG"]),
        "spines tag, leaves refuse": (refuse, up),
        "a condition that is not followed": (
            ["route-map UP rule 10 action deny", "route-map UP rule 10 match interface swp1",
             "route-map UP rule 20 action permit"], up,
        ),
        "not defined": ([], up),
    }  # fmt: skip
    others = 203 - own
    of_spine = {
        "spines tag, leaves refuse": (tag, ["outbound route-map TAG"]),
        "refused by the number of the other spine": (
            ["as-path-list OTHERS rule 10 action deny",
             f"as-path-list OTHERS rule 10 aspath-exp _{others}_",
             "as-path-list OTHERS rule 20 action permit",
             "as-path-list OTHERS rule 20 aspath-exp .*",
             "route-map IN rule 10 action permit",
             "route-map IN rule 10 match as-path-list OTHERS"], ["inbound route-map IN"],
        ),
    }  # fmt: skip
    return (of_leaf if leaf else of_spine).get(design, ([], []))


def junos(asn: int, peers: dict[str, int], design: str, *, leaf: bool) -> str:
    """Juniper, as `set` lines."""
    policies, used = _junos(design, leaf=leaf, hosts=f"10.200.{asn}.0/24", own=asn)
    lines = [f"set system host-name {'leaf' if leaf else 'spine'}{asn}"]
    lines += [f"set policy-options {line}" for line in policies]
    lines.append(f"set routing-options autonomous-system {asn}")
    lines += [f"set protocols bgp group all {line}" for line in ("advertise-peer-as", *used)]
    lines += [
        f"set protocols bgp group all neighbor {peer} peer-as {number}"
        for peer, number in peers.items()
    ]
    return "\n".join(lines) + "\n"


def _junos(design: str, *, leaf: bool, hosts: str, own: int) -> tuple[list[str], list[str]]:
    up = ["export UP"]
    step = "policy-statement UP term 1"
    rest = "policy-statement UP then reject"
    refuse = [
        f"community UP members {TAG}",
        f"{step} from protocol bgp",
        f"{step} from community UP",
        f"{step} then reject",
    ]
    tag = [f"community UP members {TAG}", "policy-statement TAG then community add UP"]
    of_leaf = {
        "passes all": (["policy-statement UP then accept"], up),
        "own routes only": (
            ['as-path OWN "()"', f"{step} from as-path OWN", f"{step} then accept", rest], up,
        ),
        "own prefixes only": (
            [f"{step} from route-filter {hosts} exact", f"{step} then accept", rest], up,
        ),
        "all prefixes": (
            [f"{step} from route-filter 0.0.0.0/0 orlonger", f"{step} then accept", rest], up,
        ),
        "tagged, refused going up": ([*tag, *refuse[1:]], [*up, "import TAG"]),
        "spines tag, leaves refuse": (refuse, up),
        "a condition that is not followed": (
            [f"{step} from tag 7", f"{step} then reject"], up,
        ),
        "not defined": ([], up),
    }  # fmt: skip
    others = 203 - own
    of_spine = {
        "spines tag, leaves refuse": (tag, ["export TAG"]),
        "refused by the number of the other spine": (
            [f'as-path OTHERS ".* {others} .*"', "policy-statement IN term 1 from as-path OTHERS",
             "policy-statement IN term 1 then reject"], ["import IN"],
        ),
    }  # fmt: skip
    return (of_leaf if leaf else of_spine).get(design, ([], []))


Render = Callable[..., str]

RENDER: dict[str, tuple[Render, str]] = {
    "eos": (eos, "running-config"),
    "nxos": (nxos, "running-config"),
    "cumulus": (cumulus, "nvue-commands"),
    "junos": (junos, "configuration"),
}
"""By system: renderer of its configuration, and the source that reads it."""
