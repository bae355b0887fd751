"""Nokia SR Linux; the facts and their sources are in docs/nos/srlinux.md."""

from __future__ import annotations

from roce_lint.nos.base import Form, Ignored, Later, Nos, Section, Signature, Source
from roce_lint.nos.edit import Typed
from roce_lint.nos.srlinux.bounds import LIMITS
from roce_lint.nos.srlinux.defaults import DEFAULTS
from roce_lint.nos.srlinux.lldp import LLDP
from roce_lint.nos.srlinux.pull import PULLED
from roce_lint.nos.srlinux.sources import CONFIG, JSON

_WORDS = "network-instance|interface|system|qos|routing-policy|acl|tunnel-interface|platform"

_INFO = r"info(?: from (?:running|candidate))?(?: flat)?(?: (?!from |flat)[^|]*)?"
"""The command that prints a configuration; what is `from state` is none."""

CLI = Source(
    CONFIG,
    form=Form.RAW,
    command=_INFO,
    signatures=(
        Signature(rf"^set / (?:{_WORDS}) ", 8, "set line with its path"),
        Signature(r"^set / interface (?:ethernet-\d+/\d+|mgmt0|lag\d|irb\d)", 8, "interface names"),
        Signature(r"^[ \t]*interface ethernet-\d+/\d+(?:/\d+)? \{[ \t\r]*$", 8, "interface block"),
        Signature(r"^[ \t]*subinterface \d+ \{[ \t\r]*$", 4, "subinterface block"),
        Signature(r"^[ \t]*network-instance \S+ \{[ \t\r]*$", 6, "network instance"),
    ),
    base=True,
    hostname=r"^(?:set / system name |[ \t]+)host-name \"?(?P<name>[^\s\"]+)\"?[^\S\n]*$",
)

TREE = Source(
    JSON,
    form=Form.JSON,
    command=rf"{_INFO} *\| *as json",
    run="info from running | as json",
    signatures=(
        Signature(r"\"srl_nokia-[\w-]+:[\w-]+\"", 10, "module names"),
        Signature(r"\"name\": *\"ethernet-\d+/\d+", 4, "interface names"),
    ),
    sections=(Section("interface", r"(?:.*:)?interface$"), Section("qos", r"(?:.*:)?qos$")),
    ignored=(Ignored(r".*\|(?:.*:)?(?:oper-|last-|statistics)", "state"),),
    base=True,
    hostname=r"\"host-name\": *\"(?P<name>[^\"\s]+)\"",
)

NOS = Nos(
    name="srlinux",
    title="Nokia SR Linux",
    sources=(*LLDP, CLI, TREE),
    normalize=Later("roce_lint.nos.srlinux.normalize"),
    netmiko_type="nokia_srl",
    defaults=DEFAULTS,
    limits=LIMITS,
    typed=Typed(take="delete /", put="set /", begin=("enter candidate",), end=("commit stay",)),
    pulled=PULLED,
)
