"""Supported parts of the SR Linux model: containers, lists and values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class Leaf:
    """A word with one value, or with several in brackets."""


@dataclass(frozen=True)
class Container:
    """A word above others; with `keys`, a list, whose first key is written without its name."""

    words: Mapping[str, Entry]
    keys: tuple[str, ...] = ()


@dataclass(frozen=True)
class IgnoredNode:
    """A known word without effect on RoCE, with everything below it."""


Entry: TypeAlias = Leaf | Container | IgnoredNode

REST = "*"
"""Key for all other words, which are beside RoCE."""

IGPS = ("isis", "ospf")

_MODEL = """
+addresses:
  admin-state
  address [ip-prefix]:
    - primary type anycast-gw
  - unnumbered dhcp-client dhcp-relay arp vrrp router-advertisement neighbor-discovery
  - allow-directed-broadcast dhcp-server learn-unsolicited

+match:
  protocol next-header dscp-set fragment first-fragment tcp-flags icmp icmp6 vlan ethertype
  source-mac destination-mac
  source-ip|destination-ip|source-port|destination-port:
    prefix address mask prefix-list operator value port-list
    range: start end

+action:
  log collect-stats rate-limit forward forwarding-class profile

+filter:
  - description statistics-per-entry subinterface-specific
  entry [sequence-id]:
    - description
    match:
      +match
      ipv4|ipv6|transport|l2:
        +match
    action:
      +action
      drop|accept:
        +action

+peer:
  admin-state peer-as import-policy export-policy local-as
  as-path-options: allow-own-as
    - *
  - *

+paths:
  maximum-paths max-paths-level-1
  - *

+result:
  policy-result
  bgp:
    - *
  - *

interface [name]:
  admin-state description mtu vlan-tagging
  ethernet: aggregate-id port-speed auto-negotiate
    flow-control: receive transmit
    forward-error-correction: fec-option
    - lacp-port-priority standby-signaling hold-time storm-control reload-delay synce crc-monitor
    - symbol-monitor duplex-mode dac-link-training l2cp-transparency mac-address link-loss
  subinterface [index]:
    admin-state description type ip-mtu l2-mtu
    ipv4|ipv6:
      +addresses
    acl:
      input|output: ipv4-filter ipv6-filter mac-filter
    vlan:
      encap:
        single-tagged: vlan-id
        - untagged single-tagged-range
      - vlan-discovery
    - bridge-table anycast-gw ra-guard local-mirror-destination mpls-mtu ip-mtu-df
    - unidirectional-link-delay evpn
  transceiver: forward-error-correction
    - tx-laser ddm-events coherent-frequency
  - lag breakout-mode sflow tpid p4rt port-num linecard ptp traffic-rate forwarding-complex

qos:
  classifiers:
    dscp-policy [name]:
      dscp [value]: forwarding-class drop-probability
    - vxlan-default dot1p-policy mpls-traffic-class-policy
  forwarding-classes:
    forwarding-class [name]: forwarding-class-index
      output: unicast-queue multicast-queue queue
  queues:
    queue [name]: queue-index
    pfc-queue [pfc-queue-name]: queue-index
    - multicast-queue
  pfc-mapping-profile [name]:
    received-traffic:
      unicast-mapping:
        pfc-queue [pfc-queue-name]: forwarding-class dot1p pfc-pause-frame-priority
    received-pfc-pause-frames:
      queue [queue-name]: pfc-pause-frame-priority enable-pfc
      deadlock: enable detection-timer recovery-timer
  buffer-management:
    buffer-allocation-profile [name]:
      queues:
        pfc-queue [pfc-queue-name]:
          maximum-burst-size committed-burst-size maximum-pfc-reserved-share-bytes
          - maximum-pfc-reserved-share-percentage pfc-on-threshold pfc-off-threshold
          - use-dynamic-allocation
        queue [queue-name]: maximum-burst-size
          - mbs-adaptation-rule committed-burst-size cbs-adaptation-rule high-threshold-bytes
          - interface-pool
    queue-management-profile [name]: weight-factor
      wred:
        wred-slope [traffic-type drop-probability enable-ecn]:
          min-threshold max-threshold min-threshold-percent max-threshold-percent
          slope-enabled max-drop-probability-percent
  interfaces:
    interface [interface-id]:
      interface-ref: interface subinterface
      pfc: pfc-mapping-profile pfc-enable
      input: pfc-buffer-allocation-profile
        classifiers: dscp-policy
      output: buffer-allocation-profile
        queues:
          queue [queue-name]: queue-management-profile
        scheduler: scheduler-policy
        - rewrite-rules
  linecard [slot]:
    forwarding-complex [name]:
      input: pfc-buffer-reservation
      - output
  scheduler-policies:
    scheduler-policy [name]:
      scheduler [sequence]: priority
        input [id]: input-type queue-name peak-rate-percent weight
  - explicit-congestion-notification rewrite-rules policer-templates queue-templates policers

acl:
  acl-filter [name type]:
    +filter
  ipv4-filter|ipv6-filter [name]:
    +filter
  interface [interface-id]:
    interface-ref: interface subinterface
    input|output:
      acl-filter [name type]:
  - cpm-filter capture-filter system-filter policers match-list tcam-profile egress-mac-filtering
  - mac-filter

routing-policy:
  policy [name]:
    statement [name]:
      match: protocol family call-policy prefix-set
        prefix: prefix-set match-set-options
        bgp|isis|ospf|tags:
          - *
      action:
        +result
    default-action:
      +result

network-instance [name]: type
  interface|vxlan-interface [name]:
  static-routes:
    - *
  protocols:
    bgp: admin-state autonomous-system router-id import-policy export-policy
      ebgp-default-policy: import-reject-all export-reject-all
      afi-safi [afi-safi-name]: admin-state
        multipath:
          +paths
          ebgp:
            +paths
        - *
      group [group-name]:
        +peer
      neighbor [peer-address]: peer-group
        +peer
      dynamic-neighbors:
        interface [interface-name]: peer-group allowed-peer-as
          - *
        accept:
          match [prefix]: peer-group
          - *
      - *
    isis|ospf:
      - *
    - *
  - description admin-state bridge-table

tunnel-interface [name]:
  vxlan-interface [index]:
    ingress: vni
    - type egress bridge-table

system:
  name: host-name
    - domain-name
  lldp: admin-state
    - *
  mtu: default-port-mtu default-ip-mtu
    - default-l2-mtu
"""


def _read(text: str) -> Container:
    """The tree of an indented text, by its forms of lines.

    `a b` are values, `- a b` ignored words, `a|b: c d` containers with the values c and d and with
    the lines below, `a [key]:` a list. `+a:` names a group of words that lines `+a` repeat.
    """
    top: dict[str, Entry] = {}
    groups: dict[str, dict[str, Entry]] = {}
    open_words = [(-1, top)]  # with their indentation
    for line in filter(None, text.splitlines()):
        depth = len(line) - len(line.lstrip())
        while open_words[-1][0] >= depth:
            open_words.pop()
        words = open_words[-1][1]
        head, opens, values = line.strip().partition(":")
        below: dict[str, Entry] = dict.fromkeys(values.split(), Leaf())
        names, _, keys = head.partition(" [")
        if opens:
            open_words.append((depth, below))
        if head.startswith("+") and opens:
            groups[head] = below
        elif head.startswith("+"):
            words.update(groups[head])
        elif opens:
            made = Container(below, tuple(keys[:-1].split()))
            words.update(dict.fromkeys(names.split("|"), made))
        elif head.startswith("- "):
            words.update(dict.fromkeys(head[2:].split(), IgnoredNode()))
        else:
            words.update(dict.fromkeys(head.split(), Leaf()))
    return Container(top)


SCHEMA = _read(_MODEL)
"""Words that are read. Below `system` and at the top, unlisted words stay unclaimed."""
