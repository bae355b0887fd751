"""No password, key or community of a configuration reaches a report, `show` or the cache."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from roce_lint.report import FORMATS
from tests.unit.cli.conftest import Run

SECRET = "hunter"  # without digits: shapes of lines have none, and would hide it by chance

CONFIG = f"""! device: leaf1 (DCS-7060X6-64PE, EOS-4.32.1F)
hostname leaf1
username admin secret sha512 $6${SECRET}
enable password {SECRET}
snmp-server community {SECRET} rw
tacacs-server key 7 {SECRET}
!
interface Ethernet1
   no switchport
   mtu 1500
   mtu 1501
   snmp-server community {SECRET} ro
   qos trust password 7 {SECRET}
   priority-flow-control key {SECRET}
   priority-flow-control on
   priority-flow-control priority 3 no-drop
end
"""
TABLES = (
    '{"DEVICE_METADATA": {"localhost": {"hostname": "leaf2"}},'
    f'"PORT": {{"Ethernet0": {{"mtu": "1500", "x_password": "{SECRET}", "passkey": "{SECRET}"}}}},'
    f'"SNMP_COMMUNITY": {{"{SECRET}": {{"TYPE": "RO"}}}},'
    f'"TACPLUS": {{"global": {{"passkey": "{SECRET}"}}}}}}'
)
HOST = f"NCCL_IB_TC=106\nAWS_SECRET_ACCESS_KEY={SECRET}\nDB_PASSWORD='{SECRET}'\nexport TOKEN={SECRET}\n"


@pytest.fixture
def written(site: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> list[str | bytes]:
    """All outputs about the three devices, and the cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(site / "cache"))
    (site / "configs" / "gpu1").mkdir()
    (site / "configs" / "leaf1.cfg").write_text(CONFIG)
    (site / "configs" / "leaf2.json").write_text(TABLES)
    (site / "configs" / "gpu1" / "nccl.conf").write_text(HOST)
    outputs = [f"--output={name}=out.{name}" for name in FORMATS]
    words = (["check", "-v", "--show-unknown", "--write-baseline=known", *outputs], ["show", "-v"])
    done = [
        run(*each, "configs") for each in (*words, ["show", "--lines"], ["show", "--format=json"])
    ]
    assert [each.exit_code for each in done] == [0, 0, 0, 0]
    files = [(site / f"out.{name}").read_text() for name in FORMATS]
    kept = [path.read_bytes() for path in (site / "cache").rglob("*") if path.is_file()]
    assert kept != []
    return [each.output for each in done] + files + [(site / "known").read_text()] + kept


def test_no_secret_is_told_or_kept(written: list[str | bytes]) -> None:
    for text in written:
        assert (SECRET if isinstance(text, str) else SECRET.encode()) not in text


def test_the_lines_that_hold_them_are_told(written: list[str | bytes]) -> None:
    assert ": snmp-server community ***" in str(written[0])
    assert ": qos trust password ***" in str(written[0])


TOKEN = "ghp_" + "Zqname" * 5
NAMES = f"""! device: leaf1 (DCS-7060X6-64PE, EOS-4.33.1F)
hostname leaf1
class-map type qos match-any {TOKEN}
   match dscp 26
policy-map type quality-of-service password=Zqpolicy
   class token=Zqclass
      set traffic-class 3
interface Ethernet1
   no switchport
   mtu 9214
   service-policy type qos input secret=Zqreference
end
"""
BARE = """#
 version 7.1.070, Release 6710
#
 sysname leaf2
#
traffic classifier simple operator or
#
acl number 3000
#
qos trust simple Zqbare
interface HundredGigE1/0/1
 port link-mode route
 priority-flow-control simple Zqbare
#
return
"""
KEYS = (
    '{"DEVICE_METADATA": {"localhost": {"hostname": "leaf3"}}, "PORT": {"Ethernet0": {"mtu": "9100"}},'
    '"DSCP_TO_TC_MAP": {"A": {"3": "3", "password": "Zqvalue"}, "password=Zqtable": {"3": "99"}},'
    '"WRED_PROFILE": {"A": {"secret": "Zqwred"}}}'
)


def test_a_secret_as_a_name_or_below_a_key_that_tells_it_is_masked(site: Path, run: Run) -> None:
    """Names of structures, a password written bare, and values in a map of code points."""
    (site / "configs" / "leaf1.cfg").write_text(NAMES)
    (site / "configs" / "leaf2.cfg").write_text(BARE)
    (site / "configs" / "leaf3.json").write_text(KEYS)
    form = ["check", "-v", "--strict", "--show-unknown", "configs", "--no-cache", "--format"]
    written = {name: run(*form, name).output for name in FORMATS}
    written["show json"] = run("show", "--format=json", "-v", "configs", "--no-cache").output
    leaks = [name for name, text in written.items() if "Zq" in text]
    assert leaks == []
    assert "class map token=***" in written["json"]
    assert "DSCP_TO_TC_MAP class '***' is refused" in written["json"]


_POD = "{{apiVersion: v1, kind: Pod, metadata: {{name: t}}, spec: {{containers: [{{name: t, env: [{}]}}]}}}}"
_MINIFIED = (
    '{{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"t"}},"spec":{{"containers":['
    '{{"name":"t","env":[{}]}}]}}}}'
)
VARIABLES = {
    "flow.yaml": _POD.format('{name: NCCL_IB_TC, value: "260"}, {name: WANDB, value: "hunter"}'),
    "turned.yaml": _POD.format("{value: hunter, name: WANDB}, {value: '260', name: NCCL_IB_TC}"),
    "block.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {name: t}\nspec:\n  containers:\n  - name: t\n    env:\n"
    "    - name: WANDB\n      value: hunter\n    - name: NCCL_IB_TC\n      value: '260'\n",
    "pod.json": _MINIFIED.format(
        '{"name":"NCCL_IB_TC","value":"260"},{"name":"HF_TOKEN","value":"hunter"}'
    ),
    "chart/values.json": '{"env":[{"name":"NCCL_IB_TC","value":"260"},{"name":"HF_TOKEN","value":"hunter"}]}\n',
    "compose.yaml": "services:\n  t:\n    image: x\n    environment: {NCCL_IB_TC: 260, WANDB: hunter}\n",
    "args.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {name: t}\nspec:\n  containers:\n  - name: t\n"
    '    command: ["sh", "-c", "export WANDB=hunter NCCL_IB_TC=260; ./x"]\n',
    "export.sh": "#!/bin/bash\nexport NCCL_IB_TC=260 WANDB=hunter\nsrun ./x\n",
    "mpirun.sh": "#!/bin/bash\nmpirun -x WANDB=hunter -x NCCL_IB_TC=260 ./x\n",
    "genv.sh": "#!/bin/bash\nmpirun -genv WANDB hunter -genv NCCL_IB_TC 260 ./x\n",
    "docker.sh": '#!/bin/bash\ndocker run -e "WANDB=a hunter" -e NCCL_IB_TC=260 x\n',
    "srun.sh": "#!/bin/bash\nsrun --export=ALL,NCCL_IB_TC=260,WANDB=hunter ./x\n",
    "hook.sh": "#!/bin/bash\nHOOK=https://hooks.slack.com/services/T/B/hunter NCCL_IB_TC=260 srun ./x\n",
    "default.sh": "#!/bin/bash\nNCCL_IB_TC=260 srun ./x ${WANDB:-hunter}\n",
    "lines.sbatch": '#!/bin/bash\n#SBATCH -N 2\nexport NCCL_IB_TC="26\nWANDB=hunter"\nsrun ./x\n',
    "gpu1/x.service": '[Service]\nEnvironment="NCCL_IB_TC=260" "WANDB=a hunter"\nExecStart=/x\n',
}


def test_no_value_of_an_unknown_variable_is_told(
    site: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(site / "cache"))
    for name, text in VARIABLES.items():
        (site / "configs" / name).parent.mkdir(exist_ok=True)
        (site / "configs" / name).write_text(text)
    outputs = [f"--output={name}=out.{name}" for name in FORMATS]
    written = [run("check", "-v", "--fail-on=never", *outputs, "configs").output]
    written += [run("show", "-v", *form, "configs").output for form in ([], ["--lines"])]
    written += [(site / f"out.{name}").read_text() for name in FORMATS]
    leaks = [line for text in written for line in text.splitlines() if SECRET in line]
    assert leaks == []
    report = json.loads((site / "out.json").read_text())
    places = [p for f in report["findings"] for o in f["occurrences"] for p in o["locations"]]
    quoted = {p["file"].removeprefix("configs/"): p["text"] for p in places}
    assert [name for name in VARIABLES if "26" not in quoted.get(name, "")] == []
    messages = [finding["message"] for finding in report["findings"]]
    assert any("NCCL_IB_TC=26… is not a number" in text for text in messages)
    assert all(text.isprintable() for text in (*messages, *quoted.values()))
