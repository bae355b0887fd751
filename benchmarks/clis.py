"""Writes switches of the further command lines (OS10, Enterprise SONiC, IOS-XR, AOS-CX,
CloudEngine, Comware) for benchmarks: a RoCE design on every port and the routing lines a leaf really has.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ports import Port


@dataclass(frozen=True)
class Cli:
    """The text of a switch: `head`, a `port` or an `unused` one each, `tail` with its neighbours.

    `{name}` is the device, `{n}` the port's number from 1 and `{zero}` from 0, `{peer}` and
    `{address}` what is at it.
    """

    head: str
    port: str
    unused: str
    tail: str
    neighbor: str
    end: str = ""

    def text(self, name: str, ports: list[Port], count: int) -> str:
        """The configuration of one switch with `count` ports."""
        return "".join(self._parts(name, ports, count))

    def _parts(self, name: str, ports: list[Port], count: int) -> Iterator[str]:
        used = {port.index: port for port in ports}
        yield self.head.replace("{name}", name)
        for n in range(1, count + 1):
            port = used.get(n)
            if port is None:
                yield self.unused.format(n=n, zero=n - 1)
            else:
                yield self.port.format(n=n, zero=n - 1, peer=port.peer, address=port.address)
        yield self.tail
        for port in ports:
            if not port.faces_host:
                yield self.neighbor.format(address=port.address, peer=port.peer)
        yield self.end


OS10 = Cli(
    head="""! Version 10.5.6.0
hostname {name}
trust dscp-map RDMA-TRUST
 qos-group 3 dscp 26
 qos-group 6 dscp 48
!
qos-map traffic-class RDMA-QUEUES
 queue 0 qos-group 0
 queue 3 qos-group 3
 queue 6 qos-group 6
!
wred RDMA-ECN
 random-detect color green minimum-threshold 200 maximum-threshold 1200 drop-probability 20
 random-detect ecn
!
class-map type network-qos NQ-RDMA
 match qos-group 3
!
class-map type queuing Q-RDMA
 match queue 3
!
class-map type queuing Q-CNP
 match queue 6
!
policy-map type network-qos PFC-RDMA
 !
 class NQ-RDMA
  pause buffer-size 100 pause-threshold 50 resume-threshold 10
  pfc-cos 3
!
policy-map type queuing ETS-RDMA
 !
 class Q-RDMA
  bandwidth percent 60
  random-detect RDMA-ECN
 !
 class Q-CNP
  priority
!
system qos
 trust-map dscp RDMA-TRUST
 ets mode on
!
""",
    port="""interface ethernet1/1/{n}
 description "{peer}"
 no shutdown
 no switchport
 ip address {address}/31
 mtu 9216
 speed 400000
 flowcontrol receive off
 flowcontrol transmit off
 priority-flow-control mode on
 service-policy input type network-qos PFC-RDMA
 service-policy output type queuing ETS-RDMA
 qos-map traffic-class RDMA-QUEUES
 ets mode on
!
""",
    unused="interface ethernet1/1/{n}\n shutdown\n no switchport\n!\n",
    tail="router bgp 65001\n router-id 10.1.1.1\n",
    neighbor=" neighbor {address}\n  remote-as 65100\n  description {peer}\n  no shutdown\n",
)

ESONIC = Cli(
    head="""!
hostname {name}
interface-naming standard
buffer init lossless
!
qos map dscp-tc ROCE
 dscp 26 traffic-class 3
 dscp 48 traffic-class 6
!
qos map tc-queue ROCE
 traffic-class 0 queue 0
 traffic-class 3 queue 3
 traffic-class 6 queue 6
!
qos map tc-pg ROCE
 traffic-class 0 priority-group 7
 traffic-class 3 priority-group 3
!
qos map pfc-priority-queue ROCE
 pfc-priority 3 queue 3
!
qos map pfc-priority-pg ROCE
 pfc-priority 3 priority-group 3
!
qos wred-policy ROCE
 green minimum-threshold 1000 maximum-threshold 2000 drop-probability 5
 ecn green
!
qos scheduler-policy ROCE
 !
 queue 0
  type dwrr
  weight 40
 !
 queue 3
  type dwrr
  weight 60
 !
 queue 6
  type strict
!
""",
    port="""interface Eth 1/{n}
 description "{peer}"
 mtu 9100
 speed 400000
 fec RS
 ip address {address}/31
 no shutdown
 queue 3 wred-policy ROCE
 scheduler-policy ROCE
 qos-map dscp-tc ROCE
 qos-map tc-queue ROCE
 qos-map tc-pg ROCE
 qos-map pfc-priority-queue ROCE
 qos-map pfc-priority-pg ROCE
 priority-flow-control priority 3
 priority-flow-control watchdog action drop
 priority-flow-control watchdog on detect-time 200
 priority-flow-control watchdog restore-time 400
!
""",
    unused="interface Eth 1/{n}\n mtu 9100\n speed 400000\n shutdown\n!\n",
    tail="router bgp 65001\n router-id 10.0.0.1\n log-neighbor-changes\n",
    neighbor=""" !
 neighbor {address}
  description {peer}
  remote-as 65100
  !
  address-family ipv4 unicast
   activate
""",
)

IOSXR = Cli(
    head="""!! IOS XR Configuration 7.11.2
hostname {name}
hw-module profile priority-flow-control location 0/0/CPU0
 buffer-internal traffic-class 3 pause-threshold 1500000 bytes headroom 1600000 bytes ecn 600000 bytes
!
priority-flow-control watchdog interval 100
class-map match-any RDMA
 match dscp 26
 end-class-map
!
class-map match-any CNP
 match dscp cs6
 end-class-map
!
class-map match-any TC3
 match traffic-class 3
 end-class-map
!
class-map match-any TC6
 match traffic-class 6
 end-class-map
!
policy-map RDMA-IN
 class RDMA
  set traffic-class 3
 !
 class CNP
  set traffic-class 6
 !
 class class-default
  set traffic-class 0
 !
 end-policy-map
!
policy-map QUEUES
 class TC3
  bandwidth remaining ratio 60
 !
 class TC6
  priority level 1
 !
 class class-default
  bandwidth remaining ratio 40
 !
 end-policy-map
!
""",
    port="""interface FourHundredGigE0/0/0/{zero}
 description {peer}
 mtu 9216
 ipv4 mtu 9000
 ipv4 address {address}/31
 priority-flow-control mode on
 priority-flow-control watchdog mode on
 service-policy input RDMA-IN
 service-policy output QUEUES
 load-interval 30
!
""",
    unused="interface FourHundredGigE0/0/0/{zero}\n shutdown\n!\n",
    tail="""router bgp 65001
 bgp router-id 10.1.1.1
 address-family ipv4 unicast
  maximum-paths ebgp 64
 !
""",
    neighbor=""" neighbor {address}
  remote-as 65100
  description {peer}
  address-family ipv4 unicast
   route-policy PASS in
   route-policy PASS out
  !
 !
""",
    end="!\nend\n",
)

AOSCX = Cli(
    head="""!Version ArubaOS-CX GL.10.13.1000
hostname {name}
qos trust dscp
qos dscp-map 26 local-priority 3 color green name ROCE
qos dscp-map 48 local-priority 6
qos queue-profile ROCE
    map queue 0 local-priority 0
    map queue 3 local-priority 3
    map queue 6 local-priority 6
qos schedule-profile ROCE
    dwrr queue 0 weight 40
    dwrr queue 3 weight 60
    strict queue 6
qos threshold-profile ROCE-ECN
    queue 3 action ecn all threshold 400 kbytes
apply qos queue-profile ROCE schedule-profile ROCE
apply qos threshold-profile ROCE-ECN
""",
    port="""interface 1/1/{n}
    description {peer}
    no shutdown
    routing
    mtu 9198
    ip mtu 9198
    ip address {address}/31
    flow-control priority rxtx 3
    qos trust dscp
""",
    unused="interface 1/1/{n}\n    shutdown\n    routing\n",
    tail="router bgp 65001\n    bgp router-id 10.0.0.1\n",
    neighbor="    neighbor {address} remote-as 65100\n    neighbor {address} description {peer}\n",
)

VRP = Cli(
    head="""!Software Version V300R023C00SPC500
#
sysname {name}
#
dcb pfc
 priority 3
#
qos buffer headroom-pool size 4 mbytes slot 1
#
dcb pfc dscp-mapping enable slot 1
#
diffserv domain rdma
 ip-dscp-inbound 26 phb af3 green
 ip-dscp-inbound 48 phb cs6 green
#
drop-profile rdma-ecn
 ecn buffer-size low-limit 20000 high-limit 600000 discard-percentage 20
#
""",
    port="""interface 400GE1/0/{n}
 undo portswitch
 description {peer}
 undo shutdown
 mtu 9000
 ip address {address} 255.255.255.254
 trust dscp
 trust upstream rdma
 jumboframe enable 9216
 dcb pfc enable mode manual
 qos queue 3 wred rdma-ecn
 qos queue 3 ecn
 device transceiver 400GBASE-FIBER
#
""",
    unused="interface 400GE1/0/{n}\n shutdown\n device transceiver 400GBASE-FIBER\n#\n",
    tail="bgp 65001\n router-id 10.0.0.1\n",
    neighbor=" peer {address} as-number 65100\n peer {address} description {peer}\n",
    end="#\nreturn\n",
)

COMWARE = Cli(
    head="""#
 version 7.1.070, Release 6710P03
#
 sysname {name}
#
 priority-flow-control poolid 0 headroom 80000
 priority-flow-control deadlock cos 3 interval 10
 priority-flow-control deadlock precision high
 priority-flow-control deadlock auto-recover action discard
#
 lldp global enable
#
qos map-table dscp-dot1p
 import 26 export 3
 import 48 export 6
#
qos wred queue table ROCE
 queue 3 drop-level 0 low-limit 1000 high-limit 4000 discard-probability 20
 queue 3 weighting-constant 0
 queue 3 ecn
#
""",
    port="""interface FourHundredGigE1/0/{n}
 port link-mode route
 description {peer}
 undo shutdown
 mtu 9000
 jumboframe enable 9416
 ip address {address} 255.255.255.254
 priority-flow-control enable
 priority-flow-control no-drop dot1p 3
 priority-flow-control deadlock enable
 qos trust dscp
 qos wfq byte-count
 qos wfq af3 group 1 byte-count 60
 qos wfq cs6 group sp
 qos wred apply ROCE
#
""",
    unused="interface FourHundredGigE1/0/{n}\n port link-mode route\n shutdown\n#\n",
    tail="bgp 65001\n router-id 10.0.0.1\n",
    neighbor=" peer {address} as-number 65100\n peer {address} description {peer}\n",
    end="#\nreturn\n",
)
