"""Lines of an NX-OS design, and round trips of public configurations."""

from __future__ import annotations

from pathlib import Path

import pytest

from roce_lint.errors import RenderError
from roce_lint.model.interface import Fec
from roce_lint.model.units import Threshold, ThresholdUnit
from roce_lint.nos.nxos import NOS
from roce_lint.nos.writing import write
from tests.nos.test_words import circle
from tests.unit.design.wished import changed, made_of, small


def test_the_lines_of_a_design(tmp_path: Path) -> None:
    wish = changed(small("nxos"), "balancing", {"max_paths": 8, "l4_ports": True})
    wish = changed(wish, "fabric.leaf.down.last", 1)
    wish = changed(wish, "hosts.gpu.count", 2)
    wish = changed(wish, "hosts.gpu.nics", 1)
    made = write(NOS, made_of(tmp_path, wish).fabric.devices["leaf1"])
    assert [str(left) for left in made.left] == []
    port = (
        "  no switchport\n  no shutdown\n  mtu 9100\n  speed 400000\n  ip address {}\n"
        "  priority-flow-control mode on\n  priority-flow-control watch-dog-interval on\n"
        "  service-policy type qos input golden\n  service-policy type queuing output 400G\n"
    )
    unused = "  class type queuing c-out-8q-q{}\n    bandwidth remaining percent 0\n"
    assert made.text == (
        "hostname leaf1\n"
        "feature bgp\n"
        "feature lldp\n"
        "ip load-sharing address source-destination port source-destination\n"
        "class-map type qos match-any GROUP3\n"
        "  match dscp 26\n"
        "class-map type qos match-any GROUP6\n"
        "  match dscp 48\n"
        "policy-map type qos golden\n"
        "  class GROUP3\n"
        "    set qos-group 3\n"
        "  class GROUP6\n"
        "    set qos-group 6\n"
        "  class class-default\n"
        "    set qos-group 0\n"
        "policy-map type queuing 400G\n" + unused.format(7) + "  class type queuing c-out-8q-q6\n"
        "    priority level 1\n" + unused.format(5) + unused.format(4) + ""
        "  class type queuing c-out-8q-q3\n"
        "    bandwidth remaining percent 60\n"
        "    random-detect minimum-threshold 1000 kbytes maximum-threshold 4000 kbytes"
        " drop-probability 10 weight 0 ecn\n" + unused.format(2) + unused.format(1) + ""
        "  class type queuing c-out-8q-q-default\n"
        "    bandwidth remaining percent 40\n"
        "policy-map type network-qos golden\n"
        "  class type network-qos c-8q-nq6\n"
        "    mtu 9100\n"
        "  class type network-qos c-8q-nq3\n"
        "    mtu 9100\n"
        "    pause pfc-cos 3\n"
        "  class type network-qos c-8q-nq-default\n"
        "    mtu 9100\n"
        "system qos\n"
        "  service-policy type network-qos golden\n"
        "priority-flow-control watch-dog-interval on\n"
        "interface Ethernet1/1\n" + port.format("10.1.0.0/31") + "interface Ethernet1/17\n"
        "" + port.format("10.0.0.1/31") + "interface Ethernet1/18\n"
        "" + port.format("10.0.0.3/31") + "interface loopback0\n"
        "  no shutdown\n"
        "  ip address 10.255.0.1/32\n"
        "route-map CONNECTED permit 10\n"
        "router bgp 65001\n"
        "  bestpath as-path multipath-relax\n"
        "  address-family ipv4 unicast\n"
        "    redistribute direct route-map CONNECTED\n"
        "    maximum-paths 8\n"
        "  neighbor 10.0.0.0\n"
        "    remote-as 65100\n"
        "    address-family ipv4 unicast\n"
        "  neighbor 10.0.0.2\n"
        "    remote-as 65100\n"
        "    address-family ipv4 unicast\n"
    )


def test_a_setting_without_confirmed_wording_is_reported(tmp_path: Path) -> None:
    device = made_of(tmp_path, small("nxos")).fabric.devices["leaf1"]
    port = device.interfaces["Ethernet1/1"]
    port.fec = Fec.RS
    port.qos.watchdog.polling_ms = 200
    device.routing.sessions["Ethernet1/17"] = device.routing.sessions.pop("10.0.0.0")
    device.routing.sessions["Ethernet1/17"].peer = "Ethernet1/17"
    lane = device.interfaces["Ethernet1/4"]
    lane.name = "Ethernet1/4/4"
    reported = {str(left) for left in write(NOS, device).left}
    assert {
        "Ethernet1/1: fec",
        "sessions Ethernet1/17: session",
        "Ethernet1/4: breakout",
    } <= reported
    assert "Ethernet1/1: qos.watchdog.polling_ms" in reported
    port.speed_gbps = 100
    assert "  fec rs-fec\n" in write(NOS, device).text


def test_a_split_port(tmp_path: Path) -> None:
    device = made_of(tmp_path, small("nxos")).fabric.devices["leaf1"]
    device.interfaces["Ethernet1/4"].name = "Ethernet1/4/2"
    text = write(NOS, device).text
    assert "interface breakout module 1 port 4 map 400g-2x\n" in text
    assert "speed" not in text.partition("interface Ethernet1/4/2\n")[2].partition("interface ")[0]


def test_a_depth_without_a_line_is_reported(tmp_path: Path) -> None:
    device = made_of(tmp_path, small("nxos")).fabric.devices["leaf1"]
    marking = device.qos.egress["400G"].queue(3).marking
    marking.kmin = marking.kmax = Threshold(50, ThresholdUnit.PERCENT)
    made = write(NOS, device)
    assert "random-detect" not in made.text
    assert "egress 400G queue 3: marking without thresholds" in map(str, made.left)
    marking.kmin = marking.kmax = Threshold(1000)
    marking.pmax_percent = 0.5
    with pytest.raises(RenderError, match="whole number"):
        write(NOS, device)


@pytest.mark.parametrize("name", ["rocm-doc-n9364e-sg2-dcqcn.cfg", "azlocal-fc-qos.cfg"])
def test_public_designs_are_printed_as_they_are_read(name: str, corpus: Path) -> None:
    assert circle(NOS, (corpus / "nxos" / name).read_text("utf-8")) == []
