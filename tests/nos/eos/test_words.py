"""The lines of a design of EOS."""

from __future__ import annotations

from roce_lint.model.device import Device
from roce_lint.model.interface import Fec, Interface
from roce_lint.model.qos import (
    Classifier,
    CodeMap,
    EgressPolicy,
    Forwarding,
    Marking,
    PfcConfig,
    PfcMode,
    PfcWatchdog,
    PortQos,
    QosObjects,
    Queue,
    QueueKind,
    Scheduler,
    SchedulerKind,
    Trust,
    WatchdogAction,
)
from roce_lint.model.routing import BgpSession, Routing
from roce_lint.model.units import Threshold
from roce_lint.nos.eos import NOS
from roce_lint.nos.writing import write


def test_the_lines_of_a_design() -> None:
    """Maps, profile and watchdog of a design, without positions."""
    marking = Marking(ecn=True, kmin=Threshold(500_000), kmax=Threshold(1_500_500), pmax_percent=10)
    queues = [
        Queue(number=0, scheduler=Scheduler(kind=SchedulerKind.WEIGHTED, share=40.0)),
        Queue(number=3, scheduler=Scheduler(kind=SchedulerKind.WEIGHTED, share=60.0),
              marking=marking),
    ]  # fmt: skip
    codes = CodeMap(entries={26: 3}, otherwise=0, at={"otherwise": 1})
    inside = CodeMap(entries={0: 0, 3: 3})
    objects = QosObjects(
        classifiers={"golden": Classifier(name="golden", dscp_to_tc=codes)},
        forwardings={"golden": Forwarding(name="golden", tc_to_queue=inside, tc_to_pg=inside)},
        egress={"400G": EgressPolicy(
            name="400G", queues={(QueueKind.UNICAST, q.number): q for q in queues})},
    )  # fmt: skip
    lossless = frozenset({3})
    ports = {}
    for name, address in (("Ethernet1/1", "10.0.0.0/31"), ("Ethernet2/1", "10.0.0.2/31")):
        qos = PortQos(
            trust=Trust.DSCP, classifier="golden", forwarding="golden", egress="400G",
            pfc=PfcConfig(mode=PfcMode.ON, generate=lossless, honour=lossless),
            watchdog=PfcWatchdog(enabled=True, detection_ms=200, action=WatchdogAction.DROP),
        )  # fmt: skip
        ports[name] = Interface(
            name=name, enabled=True, routed=True, addresses=(address,), ip_mtu=9214,
            speed_gbps=400.0, lanes=8, fec=Fec.RS, qos=qos,
        )  # fmt: skip
    session = BgpSession(peer="10.0.0.1", asn=65101, own_as_allowed=0)
    device = Device(
        hostname="leaf1", nos="eos", partial=True, at={"hostname": 1}, asn=65001,
        interfaces=ports, qos=objects, routing=Routing(max_paths=8, sessions={"10.0.0.1": session}),
    )  # fmt: skip
    made = write(NOS, device)
    rest = " ".join(str(code) for code in range(64) if code != 26)
    assert [str(left) for left in made.left] == []
    assert made.text == (
        "hostname leaf1\n"
        "qos profile 400G\n"
        "   uc-tx-queue 0\n"
        "      no priority\n"
        "      bandwidth percent 40\n"
        "   uc-tx-queue 3\n"
        "      no priority\n"
        "      bandwidth percent 60\n"
        "      random-detect ecn minimum-threshold 500 kbytes maximum-threshold 1500500 bytes"
        " max-mark-probability 10\n"
        + "".join(
            f"interface {name}\n"
            "   no shutdown\n"
            "   mtu 9214\n"
            "   speed 400g-8\n"
            "   error-correction encoding reed-solomon\n"
            "   no switchport\n"
            "   service-profile 400G\n"
            f"   ip address {port.addresses[0]}\n"
            "   qos trust dscp\n"
            "   priority-flow-control on\n"
            "   priority-flow-control priority 3 no-drop\n"
            for name, port in ports.items()
        )
        + f"qos map dscp {rest} to traffic-class 0\n"
        "qos map dscp 26 to traffic-class 3\n"
        "qos map traffic-class 0 to tx-queue 0\n"
        "priority-flow-control pause watchdog default timeout 0.2\n"
        "priority-flow-control pause watchdog action drop\n"
        "ip routing\n"
        "router bgp 65001\n"
        "   maximum-paths 8 ecmp 8\n"
        "   neighbor 10.0.0.1 remote-as 65101\n"
        "   redistribute connected\n"
    )
