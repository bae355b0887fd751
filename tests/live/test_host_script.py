"""The host collection script, run by real shells on a simulated host with stand-in tools."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from roce_lint.cli.main import cli
from tests.parts import part

SHELLS = ["sh", *(pytest.param(name, marks=pytest.mark.deep) for name in ("dash", "bash"))]

READING = re.compile(
    r"ip( -\w+)* (link|addr) show|rdma -j link show|ibv_devinfo -v|ibdev2netdev|show_gids"
    r"|lldpcli -f json0 show neighbors details|devlink -j dev param show|lspci -vvv"
    r"|iptables-save|nft list ruleset|dcb( -\w)* \w+ show dev \S+|mlnx_qos -i \S+"
    r"|ethtool( -i| -a| --show-fec| --show-priv-flags| -S)? \S+|lldptool -t( -n)? -i \S+( -V \S+ -c)?"
    r"|m(lx|st)config -d \S+ -e q|rdma link show"
)
"""Permitted tool invocations: all of them read-only."""


def script(*options: str) -> str:
    done = CliRunner().invoke(cli, ["host-script", *options])
    assert done.exit_code == 0
    return done.stdout


class Host:
    """A simulated host: files below a folder, and tools that print the outputs of a sample host."""

    def __init__(self, folder: Path, sample: Path):
        self.root, self.tools, self.asked = folder / "root", folder / "tools", folder / "asked.txt"
        self.folder = folder
        self.name = sample.name
        (self.root / "proc").mkdir(parents=True)
        self.tools.mkdir()
        answers: dict[str, list[tuple[str, Path]]] = {}
        for file in sample.iterdir():
            head, _, body = file.read_text().partition("\n")
            command = head.removeprefix("# command: ").split("  host:")[0]
            words = command.split()
            if words[0] == "cat":
                self.put(words[1], body)
            elif words[0] == "grep":
                for line in body.splitlines():
                    path, _, value = line.partition(":")
                    self.put(path, value + "\n")
            elif command != "hostname":
                kept = folder / file.name
                kept.write_text(body)
                for asked in (command, LIKE.get(command, command)):
                    answers.setdefault(words[0], []).append((asked, kept))
        for tool, known in answers.items():
            cases = "".join(f"{shlex.quote(asked)}) cat {kept} ;;\n" for asked, kept in known)
            self.tool(tool, f'case "{tool}${{*:+ $*}}" in\n{cases}*) exit 1 ;;\nesac')
        for number, netdev in enumerate(("ens1f0np0", "ens2f0np0")):
            port = f"/sys/class/infiniband/mlx5_{number}/ports/1"
            self.put(f"{port}/link_layer", "Ethernet\n")
            self.put(f"{port}/gid_attrs/ndevs/0", f"{netdev}\n")
            self.put(f"/sys/devices/pci0000:00/0000:1{number}:00.0/vendor", "0x15b3\n")
            device = self.root / f"sys/class/infiniband/mlx5_{number}/device"
            device.symlink_to(self.root / f"sys/devices/pci0000:00/0000:1{number}:00.0")

    def put(self, path: str, text: str) -> None:
        file = self.root / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def tool(self, name: str, body: str) -> None:
        file = self.tools / name
        file.write_text(f'#!/bin/sh\necho "{name}${{*:+ $*}}" >> {self.asked}\n{body}\n')
        file.chmod(0o755)

    def collect(self, shell: str = "sh", text: str = "", **env: str) -> Path:
        """The tar that the script writes here."""
        words = shell.split()
        words[0] = part(words[0])
        made = self.folder / f"{self.name}.tar"
        with made.open("wb") as out:
            done = subprocess.run(
                [*words, "-s"],
                input=(text or script()).encode(),
                stdout=out,
                stderr=subprocess.PIPE,
                check=False,
                timeout=60,
                env={
                    "PATH": f"{self.tools}:{os.environ['PATH']}",
                    "ROCE_LINT_HOST": self.name,
                    "ROCE_LINT_ROOT": str(self.root),
                    **env,
                },
            )
        assert (done.returncode, done.stderr) == (0, b"")
        return made

    def log(self, made: Path) -> str:
        return member(made, f"{self.name}/collector.log")


LIKE = {
    "ip -j addr": "ip -j addr show",
    "ibv_devinfo": "ibv_devinfo -v",
    "lldpcli -f json show neighbors": "lldpcli -f json0 show neighbors details",
}
"""Commands that the sample spells differently from the script."""


def member(made: Path, name: str) -> str:
    with tarfile.open(made) as tar:
        file = tar.extractfile(name)
        assert file is not None
        return file.read().decode()


@pytest.fixture
def sample(root: Path) -> Path:
    return root / "sample_configs" / "clean-fabric" / "hosts" / "gpu01"


@pytest.mark.parametrize("shell", SHELLS)
def test_what_is_collected_is_what_the_sample_says(
    tmp_path: Path, sample: Path, shell: str
) -> None:
    host = Host(tmp_path, sample)
    made = host.collect(shell)
    folder = tmp_path / "sample" / sample.name
    shutil.copytree(sample, folder)
    done = CliRunner().invoke(cli, ["diff", str(folder), str(made), "--no-cache"])
    assert (done.exit_code, done.stdout) == (0, "")


@pytest.mark.deep
def test_busybox_which_has_tools_of_its_own(tmp_path: Path, sample: Path) -> None:
    made = Host(tmp_path, sample).collect("busybox sh")
    with tarfile.open(made) as tar:
        assert f"{sample.name}/mlnx_qos_-i_ens1f0np0.txt" in tar.getnames()


def test_a_fabric_with_it_is_judged_like_one_with_the_folder(
    root: Path, tmp_path: Path, sample: Path
) -> None:
    made = Host(tmp_path, sample).collect()
    fabric = tmp_path / "fabric"
    shutil.copytree(root / "sample_configs" / "clean-fabric", fabric)
    shutil.rmtree(fabric / "hosts" / sample.name)
    shutil.copy(made, fabric / "hosts")
    words = ["check", str(fabric), "--no-cache", "--strict", "--require", "ready"]
    done = CliRunner().invoke(cli, words)
    assert done.exit_code == 0, done.output


def test_it_only_asks(tmp_path: Path, sample: Path) -> None:
    host = Host(tmp_path, sample)
    for tool in ("dcb", "lldptool", "mlxconfig", "mstconfig", "devlink", "nft", "lspci"):
        host.tool(tool, "exit 1")
    before = sorted(str(path) for path in host.root.rglob("*"))
    host.collect(ROCE_LINT_COUNTERS="0")
    asked = host.asked.read_text().splitlines()
    assert len(asked) > 30
    assert [line for line in asked if not READING.fullmatch(line)] == []
    assert sorted(str(path) for path in host.root.rglob("*")) == before
    assert not [path for path in tmp_path.iterdir() if path.name.startswith("tmp")]


@pytest.mark.deep
def test_nothing_is_written_but_the_output(tmp_path: Path, sample: Path) -> None:
    part("strace")
    host = Host(tmp_path, sample)
    trace = tmp_path / "trace"
    words = f"strace -f -qq -e trace=openat,open,creat,mkdir,mkdirat,unlink,rename -o {trace} sh"
    host.collect(words)
    written = [
        line
        for line in trace.read_text().splitlines()
        if re.search(r"O_WRONLY|O_RDWR|O_CREAT|\b(creat|mkdir\w*|unlink|rename)\(", line)
        and "/dev/null" not in line
        and str(host.asked) not in line
    ]
    assert written == []


def test_every_tool_may_be_absent(tmp_path: Path, sample: Path) -> None:
    host = Host(tmp_path, sample)
    shutil.rmtree(host.tools)
    host.tools.mkdir()
    made = host.collect()
    assert "mlnx_qos: not installed" in host.log(made)
    with tarfile.open(made) as tar:
        assert f"{host.name}/cat__etc_nccl.conf.txt" in tar.getnames()


def test_a_tool_that_floods_is_left_out(tmp_path: Path, sample: Path) -> None:
    host = Host(tmp_path, sample)
    host.tool("show_gids", "yes | head -c 9000000")
    made = host.collect()
    assert "show_gids: more than 2097152 bytes, left out" in host.log(made)
    with tarfile.open(made) as tar:
        assert not [name for name in tar.getnames() if "show_gids" in name]


@pytest.mark.deep
def test_a_tool_that_hangs_is_left_out(tmp_path: Path, sample: Path) -> None:
    host = Host(tmp_path, sample)
    host.tool("mlnx_qos", "sleep 60")
    made = host.collect(text=script().replace("SHORT=5 ", "SHORT=1 "))
    assert "mlnx_qos -i ens1f0np0: took more than 1 seconds" in host.log(made)


def test_secrets_stay(tmp_path: Path, sample: Path) -> None:
    host = Host(tmp_path, sample)
    host.put(
        "/etc/NetworkManager/system-connections/ens1.nmconnection",
        "[connection]\nid=ens1\n[802-1x]\npassword=hunter2\nprivate-key-password: hunter3\npsk=hunter4\n",
    )
    host.put("/etc/shadow", "root:hunter5\n")
    host.put(
        "/proc/77/environ", "NCCL_IB_TC=106\0HOME=/root\0NCCL_TOKEN=hunter6\0AWS_KEY=hunter7\0"
    )
    made = host.collect(UCX_SECRET="hunter8", OTHER="hunter9")
    assert b"hunter" not in made.read_bytes()
    assert b"id=ens1" in made.read_bytes()
    assert b"NCCL_IB_TC=106" in made.read_bytes()


def test_the_scripts_that_units_run(tmp_path: Path, sample: Path) -> None:
    host = Host(tmp_path, sample)
    host.put("/etc/systemd/system/roce.service", "[Service]\nExecStart=-/usr/local/bin/roce.sh x\n")
    host.put("/usr/local/bin/roce.sh", "#!/bin/sh\nmlnx_qos -i ens1f0np0 --trust dscp\n")
    host.put("/etc/systemd/system/other.service", "[Service]\nExecStart=/usr/bin/other\n")
    made = host.collect()
    with tarfile.open(made) as tar:
        names = " ".join(tar.getnames())
    assert "roce.sh" in names
    assert "other" not in names


def test_counters_are_read_twice(tmp_path: Path, sample: Path) -> None:
    host = Host(tmp_path, sample)
    host.put("/sys/class/infiniband/mlx5_0/ports/1/hw_counters/out_of_sequence", "7\n")
    made = host.collect(text=script("--with-counters").replace(":-10}", ":-0}"))
    with tarfile.open(made) as tar:
        found = [name for name in tar.getnames() if "hw_counters" in name]
    assert len(found) == 2


def test_names_that_shells_and_tars_could_stumble_over(tmp_path: Path, sample: Path) -> None:
    host = Host(tmp_path, sample)
    made = host.collect(ROCE_LINT_HOST="../../x y;%s\\n")
    with tarfile.open(made) as tar:
        assert {name.split("/")[0] for name in tar.getnames()} == {".._.._x_y__s_n"}
        assert all(name.count("/") == 1 for name in tar.getnames())


def test_the_daemonset() -> None:
    made = yaml.safe_load(script("--kubernetes"))
    pod = made["spec"]["template"]["spec"]
    (mount,) = pod["containers"][0]["volumeMounts"]
    assert mount["readOnly"] is True
    assert (made["kind"], pod["volumes"][0]["hostPath"]) == ("DaemonSet", {"path": "/"})


@pytest.mark.deep
@pytest.mark.parametrize("shell", ["dash", "bash", "busybox sh"])
def test_shells_can_read_it(shell: str, tmp_path: Path) -> None:
    name, *more = shell.split()
    file = tmp_path / "collect.sh"
    file.write_text(script())
    subprocess.run([part(name), *more, "-n", file], check=True)


@pytest.mark.deep
def test_shellcheck(tmp_path: Path) -> None:
    file = tmp_path / "collect.sh"
    file.write_text(script())
    done = subprocess.run([part("shellcheck"), file], capture_output=True, text=True, check=False)
    assert done.stdout == ""
