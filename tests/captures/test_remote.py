"""Commands inside other commands that set up NICs: read where literal, reported otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest

from roce_lint.loading.load import load
from roce_lint.model.device import Device
from roce_lint.text.shell_nesting import HOSTS, hosts_of
from tests.captures.test_matrix import judged

PFC = "mlnx_qos -i ens1 --pfc 0,0,0,1,0,0,0,0"


def devices(folder: Path, *lines: str, name: str = "setup.sh") -> dict[str, Device]:
    path = folder / name
    first = "#!/usr/bin/expect -f" if name.endswith(".exp") else "#!/bin/bash"
    path.write_text("\n".join((first, *lines, "")), encoding="utf-8")
    found = load((str(path),), jobs=1).devices
    return {device.hostname or "": device for device in found}


def lossless(device: Device, port: str = "ens1") -> frozenset[int] | None:
    qos = device.interfaces[port].qos if port in device.interfaces else None
    return qos.pfc.generate if qos is not None and qos.pfc is not None else None


THREE = frozenset({3})


@pytest.mark.parametrize(
    ("lines", "hosts"),
    [
        ((f"ssh gpu1 {PFC}",), {"gpu1"}),
        ((f'ssh -o BatchMode=yes -i key root@gpu1 "sudo {PFC}"',), {"gpu1"}),
        ((f"for h in gpu1 gpu2; do ssh $h '{PFC}'; done",), {"gpu1", "gpu2"}),
        (("ssh gpu1 <<EOF", PFC, "EOF"), {"gpu1"}),
        (("ssh gpu1 'bash -s' <<'EOF'", PFC, "EOF"), {"gpu1"}),
        (("ssh gpu1 bash -s <<'EOF'", "for d in ens1; do", PFC.replace("ens1", "$d"), "done", "EOF"),
         {"gpu1"}),
        (("P=0,0,0,1,0,0,0,0", "ssh gpu1 bash <<EOF", PFC.replace("0,0,0,1,0,0,0,0", "$P"), "EOF"),
         {"gpu1"}),
        (("cat <<EOF | ssh gpu1 bash", PFC, "EOF"), {"gpu1"}),
        ((f"pdsh -w gpu[1-2],gpu07 '{PFC}'",), {"gpu1", "gpu2", "gpu07"}),
        ((f"pdsh -R ssh -wgpu1 {PFC}",), {"gpu1"}),
        ((f"clush -w gpu[01-02] {PFC}",), {"gpu01", "gpu02"}),
        ((f"parallel-ssh -H 'gpu1 gpu2' -i '{PFC}'",), {"gpu1", "gpu2"}),
        ((f"on() {{ ssh $1 '{PFC}'; }}", "on gpu1", "on gpu2"), {"gpu1", "gpu2"}),
    ],
)  # fmt: skip
def test_what_a_script_runs_on_hosts_is_theirs(
    lines: tuple[str, ...], hosts: set[str], tmp_path: Path
) -> None:
    found = devices(tmp_path, *lines)
    assert set(found) == hosts
    assert {lossless(device) for device in found.values()} == {THREE}


def test_what_expect_types_is_the_hosts(tmp_path: Path) -> None:
    lines = (
        "spawn ssh root@gpu5", 'expect "password:"', 'send "secret\\r"', 'expect "#"',
        f'send "{PFC}\\r"', "expect {", '  "#" { send "exit\\r" }', "}",
    )  # fmt: skip
    found = devices(tmp_path, *lines, name="setup.exp")
    assert {name: lossless(device) for name, device in found.items()} == {"gpu5": THREE}


@pytest.mark.parametrize(
    "line",
    [
        f"for h in $(cat hosts); do ssh $h '{PFC}'; done",
        f"pdsh -a '{PFC}'",
        f"ansible all -m shell -a '{PFC}'",
        f"kubectl exec nic-setup-x7 -- {PFC}",
        f"salt '*' cmd.run '{PFC}'",
    ],
)
def test_hosts_that_nobody_names_are_told(line: str, tmp_path: Path) -> None:
    (device,) = devices(tmp_path, line).values()
    assert device.interfaces == {}
    report = judged(tmp_path / "setup.sh")
    said = [finding.message for finding in report.findings if finding.rule == "SRC001"]
    assert "hosts that the text does not name" in str(said)


def test_what_a_script_sets_up_here_stays_its_own(tmp_path: Path) -> None:
    found = devices(tmp_path, "ssh gpu1 uptime", PFC, f"ssh gpu2 '{PFC}'")
    assert lossless(found.pop("gpu2")) == THREE
    (own,) = [device for device in found.values() if device.interfaces]
    assert (lossless(own), own.interfaces["ens1"].at[""]) == (THREE, 3)


@pytest.mark.parametrize(
    "lines",
    [
        (f"set_up() {{ {PFC.replace('ens1', '$1')}; }}", "set_up ens1"),
        ("set_up() {", "  local dev=$1 bits=$2", "  mlnx_qos -i $dev --pfc $bits", "}",
         "set_up ens1 0,0,0,1,0,0,0,0"),
        ("one() { mlnx_qos -i $1 --pfc $2; }", "P=0,0,0,1,0,0,0,0",
         'all() { for d in "$@"; do one $d $P; done; }', "all ens1 ens2"),
        ("bash <<'EOF'", PFC, "EOF"),
        (f"eval '{PFC}'",),
        (f"su - root -c '{PFC}'",),
        (f"chroot /host {PFC}",),
        (f"nsenter -t 1 -n -- {PFC}",),
        (f"docker exec -it -u root nic {PFC}",),
    ],
)  # fmt: skip
def test_what_runs_on_this_host_is_read(lines: tuple[str, ...], tmp_path: Path) -> None:
    (device,) = devices(tmp_path, *lines).values()
    assert lossless(device) == THREE
    assert device.notes == []


@pytest.mark.parametrize(
    "line",
    [
        "set_up() { mlnx_qos -i $1 --pfc $2; }; set_up $(ls /sys/class/net) 0,0,0,1,0,0,0,0",
        "set_up() { shift; mlnx_qos -i $1 --pfc 0,0,0,1,0,0,0,0; }; set_up ens1 ens2",
        "loop() { loop; mlnx_qos -i $1 --trust dscp; }; loop",
    ],
)
def test_a_parameter_that_is_not_known_sets_nothing(line: str, tmp_path: Path) -> None:
    (device,) = devices(tmp_path, line, "# mlnx_qos").values()
    assert device.interfaces == {}


def test_settings_that_a_script_writes_are_read(tmp_path: Path) -> None:
    lines = (
        "TC=106",
        "cat > /etc/nccl.conf <<EOF",
        "NCCL_IB_TC=$TC",
        "NCCL_IB_HCA=$(ls /sys)",
        "EOF",
        "sudo tee /etc/sysctl.d/90-roce.conf <<'EOF'",
        "net.ipv4.tcp_ecn = 1",
        "EOF",
        "cat <<'EOF'",
        PFC,
        "EOF",
    )
    (device,) = devices(tmp_path, *lines).values()
    assert device.environment["NCCL_IB_TC"] == "106"
    assert "$" not in str(device.environment)
    assert device.kernel["net.ipv4.tcp_ecn"] == "1"
    assert device.interfaces == {}


@pytest.mark.parametrize(
    ("listed", "hosts"),
    [
        ("a,b", ("a", "b")),
        ("gpu[08-10]", ("gpu08", "gpu09", "gpu10")),
        ("root@a", ("a",)),
        ("a,$b", ()),
        ("gpu[1-99999999]", ()),
        ("", ()),
    ],
)
def test_lists_of_hosts(listed: str, hosts: tuple[str, ...]) -> None:
    assert hosts_of(listed) == hosts
    assert len(hosts_of("gpu[1-4000]")) <= HOSTS


PLAYBOOK = """\
---
- hosts: gpus
  vars:
    bits: 0,0,0,1,0,0,0,0
  tasks:
    - name: trust
      ansible.builtin.command: mlnx_qos -i ens1 --trust dscp
    - name: pause
      shell: |
        mlnx_qos -i {{ item }} --pfc {{ bits }}
        mlnx_qos -i {{ other }} --trust pcp
      loop: [ens1, ens2]
    - block:
        - command:
            argv: [cma_roce_tos, -d, mlx5_0, -t, "106"]
      when: roce
    - sysctl: {name: net.ipv4.tcp_ecn, value: "1"}
    - copy:
        dest: /etc/nccl.conf
        content: |
          NCCL_IB_TC=106
          NCCL_IB_SL={{ sl }}
"""

CLOUD_INIT = f"""\
#cloud-config
hostname: gpu9
runcmd:
  - [cma_roce_tos, -d, mlx5_0, -t, "106"]
  - {PFC}
write_files:
  - path: /etc/nccl.conf
    content: |
      NCCL_IB_TC=106
"""


def test_the_tasks_of_a_playbook_are_commands(tmp_path: Path) -> None:
    path = tmp_path / "roce.yml"
    path.write_text(PLAYBOOK, encoding="utf-8")
    (device,) = load((str(path),), jobs=1).devices
    assert device.fleet
    assert (lossless(device), lossless(device, "ens2")) == (THREE, THREE)
    assert set(device.interfaces) == {"ens1", "ens2"}
    assert device.environment == {"NCCL_IB_TC": "106"}
    assert device.kernel == {"net.ipv4.tcp_ecn": "1"}


def test_user_data_is_what_a_host_runs_at_boot(tmp_path: Path) -> None:
    path = tmp_path / "user-data"
    path.write_text(CLOUD_INIT, encoding="utf-8")
    (device,) = load((str(path),), jobs=1).devices
    assert (device.hostname, lossless(device)) == ("gpu9", THREE)
    assert device.nics["mlx5_0"].cma_tos == 106
    assert device.environment == {"NCCL_IB_TC": "106"}


def test_arguments_of_a_daemon_set_are_commands(tmp_path: Path) -> None:
    path = tmp_path / "nic.yaml"
    path.write_text(
        "apiVersion: apps/v1\nkind: DaemonSet\nmetadata:\n  name: nic-setup\nspec:\n  template:\n"
        "    spec:\n      containers:\n      - name: a\n        env:\n        - name: NCCL_IB_TC\n"
        f'          value: "106"\n        command: [sh, -c]\n        args:\n        - |\n'
        f"          set_up() {{ {PFC.replace('ens1', '$1')}; }}\n"
        "          for d in ens1 ens2; do set_up $d; done\n",
        encoding="utf-8",
    )
    (device,) = load((str(path),), jobs=1).devices
    assert (lossless(device), lossless(device, "ens2")) == (THREE, THREE)
    assert device.environment == {"NCCL_IB_TC": "106"}
