"""Printed configurations are accepted by programs that know nothing of roce-lint."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from roce_lint.nos.base import RenderRequest
from roce_lint.nos.printer import render
from roce_lint.nos.registry import all_nos
from tests.circle.circle import golden
from tests.sampling import sampled

PLATFORMS = {
    "eos": "ARISTA_EOS", "nxos": "CISCO_NXOS", "iosxr": "CISCO_XR", "aoscx": "HP_PROCURVE",
    "os10": "GENERIC", "esonic": "GENERIC",
}  # fmt: skip
INDENTED = [name for name, each in golden().items() if each.nos in PLATFORMS]
HOSTS = [name for name, each in golden().items() if each.is_host]


def files_of(name: str) -> dict[str, str]:
    device = golden()[name]
    return dict(render(all_nos()[device.nos], RenderRequest(device)).files)


@pytest.mark.parametrize("name", sampled(INDENTED, 6))
def test_hier_config_sees_the_same_lines(name: str) -> None:
    """Each stanza is at its depth: hier_config joins what belongs together, and loses nothing."""
    hier_config = pytest.importorskip("hier_config")
    device = golden()[name]
    platform = getattr(hier_config.Platform, PLATFORMS[device.nos])
    (text,) = files_of(name).values()
    lines = [line for line in text.splitlines() if not line.strip().startswith("!")]
    seen = hier_config.get_hconfig(platform, "\n".join(lines)).all_children()
    lost = {line.text for line in seen} ^ {line.strip() for line in lines}
    assert [line for line in lost if not line.startswith(("end", "exit"))] == []


@pytest.mark.parametrize("name", sampled(HOSTS, 6))
def test_the_script_of_a_host_is_shell(name: str, tmp_path: Path) -> None:
    for path, text in files_of(name).items():
        file = tmp_path / Path(path).name
        file.write_text(text)
        if file.suffix == ".sh":
            for shell in ("sh", "bash"):
                if shutil.which(shell):
                    done = subprocess.run([shell, "-n", file], capture_output=True, check=False)
                    assert (done.returncode, done.stderr) == (0, b""), path
        elif file.suffix == ".yaml":
            assert yaml.safe_load(text)["network"]["version"] == 2


@pytest.mark.deep
@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed")
@pytest.mark.parametrize("name", HOSTS)
def test_systemd_takes_the_unit(name: str, tmp_path: Path) -> None:
    (text,) = (text for path, text in files_of(name).items() if path.endswith(".service"))
    unit = tmp_path / "roce-setup.service"
    unit.write_text(text.replace("/usr/local/sbin/roce-setup.sh", "/bin/true"))
    done = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()


@pytest.mark.deep
@pytest.mark.parametrize("name", [each for each, made in golden().items() if made.nos == "eos"])
def test_the_lines_of_eos_are_those_of_another_generator(name: str) -> None:
    """The forms of lines that Arista's own generator prints, as far as it knows them."""
    pyavd = pytest.importorskip("pyavd")
    device = golden()[name]
    ports = [
        {
            "name": port.name,
            "mtu": port.ip_mtu,
            "description": port.description,
            "switchport": {"enabled": False},
            "ip_address": next(iter(port.addresses), None),
            "shutdown": not port.enabled,
        }
        for port in device.interfaces.values()
        if port.kind.value == "physical" and port.addresses and ":" not in port.addresses[0]
    ]
    known = pyavd.get_device_config({"hostname": name, "ethernet_interfaces": ports})
    (text,) = files_of(name).values()
    ours = {line.strip() for line in text.splitlines()}
    theirs = {line.strip() for line in known.splitlines() if line.startswith("   ")}
    assert theirs - ours == set()


@pytest.mark.deep
@pytest.mark.parametrize("name", [each for each, made in golden().items() if made.nos == "sonic"])
def test_the_yang_models_of_sonic_take_the_tables(name: str, root: Path, tmp_path: Path) -> None:
    """With what the image has: lanes of ports, and the profile of lossless queues."""
    pytest.importorskip("libyang", reason="the YANG models are no dependency")
    check = root.parent / "shared" / "yang" / "tools" / "config_db_yang_check.py"
    if not check.is_file():
        pytest.skip("no YANG models beside the project (../shared/yang)")
    (text,) = files_of(name).values()
    tables = json.loads(text)
    for number, row in enumerate(tables["PORT"].values()):
        row["lanes"] = ",".join(str(8 * number + lane) for lane in range(8))
        row |= {"index": str(number), "alias": f"etp{number}"}
    pool = {"type": "egress", "mode": "static", "size": "12766208"}
    tables.setdefault("BUFFER_POOL", {})["egress_lossless_pool"] = pool
    profile = {"pool": "egress_lossless_pool", "size": "0", "static_th": "12766208"}
    tables.setdefault("BUFFER_PROFILE", {})["egress_lossless_profile"] = profile
    file = tmp_path / "config_db.json"
    file.write_text(json.dumps(tables))
    done = subprocess.run([sys.executable, check, file], capture_output=True, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr).decode()[-1000:]
