"""`pull` through a real OpenSSH server: from a host, from a terminal, and by its host key."""

from __future__ import annotations

import getpass
import shutil
from pathlib import Path

import pytest

from tests.command import Ended, ended
from tests.conftest import ROOT
from tests.live.openssh import Sshd, keygen, sshd
from tests.live.test_host_script import Host

pytestmark = pytest.mark.deep

CLEAN = ROOT / "sample_configs" / "clean-fabric"
SHOWN = "show running-config"
TERMINAL = """\
#!/bin/sh
printf 'leaf1#'
while read -r line; do
    case "$line" in
        '{shown}') cat '{config}' ;;
        'terminal width 511') echo 'Width set to 511 columns.' ;;
        'terminal length 0') echo 'Pagination disabled.' ;;
        ?*) echo '% Invalid input' ;;
    esac
    printf 'leaf1#'
done
"""


def pull(home: Path, server: Sshd, name: str, nos: str, known: str, *options: str) -> Ended:
    (home / ".ssh" / "known_hosts").write_text(known)
    (home / "devices.yaml").write_text(
        f"devices:\n  - {{name: {name}, host: 127.0.0.1, port: {server.port}, "
        f"user: {getpass.getuser()}, nos: {nos}}}\n"
    )
    given = {"HOME": str(home), "ROCE_LINT_PASSWORD": None, "SSH_AUTH_SOCK": None}
    return ended("pull", home / "devices.yaml", "-o", home / "snap", *options, **given)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    place = tmp_path / "home"
    place.mkdir()
    return place


def test_a_host_is_collected_by_its_own_shell(home: Path, tmp_path: Path) -> None:
    sample = CLEAN / "hosts" / "gpu01"
    host = Host(tmp_path, sample)
    path = f"{host.tools}:/usr/local/bin:/usr/bin:/bin"
    settings = f"SetEnv PATH={path} ROCE_LINT_HOST=gpu01 ROCE_LINT_ROOT={host.root}"
    with sshd(home, settings) as server:
        done = pull(home, server, "gpu01", "linux", server.known())
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "sample" / "gpu01"
    shutil.copytree(sample, folder)
    compared = ended("diff", folder, home / "snap" / "gpu01" / "collected.tar", "--no-cache")
    assert (compared.returncode, compared.stdout) == (0, "")


def test_a_terminal_is_asked_for_its_configuration(home: Path) -> None:
    config = CLEAN / "switches" / "leaf1.cfg"
    terminal = home / "terminal"
    terminal.write_text(TERMINAL.format(shown=SHOWN, config=config))
    terminal.chmod(0o755)
    with sshd(home, f"ForceCommand {terminal}") as server:
        done = pull(home, server, "leaf1", "eos", server.known())
    assert done.returncode == 0, done.stderr
    kept = (home / "snap" / "leaf1" / "show-running-config.txt").read_text()
    assert kept.partition("\n")[2] == config.read_text()


def test_a_host_key_that_is_not_known_is_refused(home: Path) -> None:
    with sshd(home) as server:
        other = server.known().replace(server.key, keygen(home / "other"))
        for known, cause in (("", "unknown"), (other, "changed")):
            done = pull(home, server, "gpu01", "linux", known, "--resume")
            assert done.returncode == 3
            assert f"gpu01: host key {cause} (ssh-ed25519 SHA256:" in done.stderr
        assert "Accepted publickey" not in server.log.read_text()
        taken = pull(home, server, "gpu01", "linux", "", "--accept-new", "--resume")
        assert taken.returncode == 0, taken.stderr
    assert (home / ".ssh" / "known_hosts").read_text() == server.known()
    assert server.log.read_text().count("Accepted publickey") == 1
