"""Pasted host sessions: every command with its output, and its host."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.captures.bases import host_outputs, session
from tests.captures.test_matrix import judged, model, put

PROMPTS = {
    "root": "root@gpu-017:~# ",
    "user in a folder": "ops@gpu-017:/var/log$ ",
    "brackets": "[root@gpu-017 ~]# ",
    "virtual environment": "(base) ops@gpu-017:~/work$ ",
    "zsh": "ops@gpu-017:~% ",
    "dollar": "$ ",
    "hash": "# ",
    "traced": "+ ",
}


def healthy(folder: Path) -> Path:
    """The same outputs, each in a file of its own as the collector writes them."""
    host = folder / "gpu-017"
    host.mkdir()
    for number, (command, output) in enumerate(host_outputs()):
        text = f"# command: {command}  host: gpu-017\n{output}"
        (host / f"{number:02}.txt").write_text(text, encoding="utf-8")
    return host


@pytest.mark.parametrize("prompt", PROMPTS)
def test_a_session_says_what_its_outputs_say(prompt: str, tmp_path: Path) -> None:
    path = tmp_path / "gpu-017.txt"
    path.write_text(session(PROMPTS[prompt]), encoding="utf-8")
    wanted = str(model(healthy(tmp_path)))
    (found,) = model(path)
    assert found["hostname"] == "gpu-017"
    plain = "".join(part.partition(".txt")[2] or part for part in wanted.split("@"))
    assert len(str(found)) > 0.8 * len(plain)
    report = judged(path)
    assert [device.nos for device in report.devices] == ["linux"]
    assert report.devices[0].lines["understood"] > 100


def test_what_was_typed_and_printed_nothing_is_read_as_a_script(tmp_path: Path) -> None:
    path = put(
        tmp_path,
        "root@gpu1:~# mlnx_qos -i ens1 --pfc 0,0,0,1,0,0,0,0 --trust dscp\n"
        "root@gpu1:~# cma_roce_tos -d mlx5_0 -t 106\n"
        "root@gpu1:~# exit\n",
    )
    report = judged(path)
    assert [(device.name, device.nos) for device in report.devices] == [("gpu1", "linux")]
    assert report.devices[0].lines["understood"] >= 2


def test_a_script_with_comments_stays_a_script(tmp_path: Path) -> None:
    path = put(tmp_path, "#!/bin/bash\n# mlnx_qos -i ens1\nmlnx_qos -i ens1 --trust dscp\n")
    report = judged(path)
    assert [entry.kind for entry in report.diagnostics if entry.kind == "capture"] == []


@pytest.mark.parametrize("prompt", ["ops@head:~$ ", "$ ", "[ops@head ~]$ "])
def test_what_a_session_asks_of_another_host_is_that_hosts(prompt: str, tmp_path: Path) -> None:
    text = "".join(
        f"{prompt}ssh -o BatchMode=yes root@gpu-017 '{command}'\n{output}"
        for command, output in host_outputs()
    )
    report = judged(put(tmp_path, text))
    assert [(device.name, device.nos) for device in report.devices] == [("gpu-017", "linux")]
    assert report.devices[0].lines["understood"] > 100
