"""The step of action.yml, run by a shell like on GitHub, and the pieces for other pipelines."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.command import ended

LEAF = "broken-fabric/switches/leaf2.cfg"
COMMAND = str(Path(sys.executable).with_name("roce-lint"))


class Step:
    """One run of the step in a folder of its own."""

    def __init__(self, root: Path, folder: Path, **inputs: str):
        self.summary = folder / "summary.md"
        self._output = folder / "output"
        env = {
            "PATH": os.environ["PATH"],
            "ROCE_LINT": COMMAND,
            "RUNNER_TEMP": str(folder),
            "GITHUB_OUTPUT": str(self._output),
            "GITHUB_STEP_SUMMARY": str(self.summary),
            "GITHUB_ACTIONS": "true",
            "XDG_CACHE_HOME": str(folder / "cache"),
            **inputs,
        }
        done = subprocess.run(
            ["bash", root / ".ci" / "action.sh"],
            cwd=root / "sample_configs",
            env=env,
            capture_output=True,
            text=True,
            check=False,
        )
        self.status, self.out, self.err = done.returncode, done.stdout, done.stderr

    @property
    def outputs(self) -> dict[str, str]:
        return dict(line.split("=", 1) for line in self._output.read_text().splitlines())


def test_findings_are_annotated_and_summed_up(root: Path, tmp_path: Path) -> None:
    step = Step(root, tmp_path, PATHS="broken-fabric")
    assert step.status == 1, step.err
    assert "::error file=broken-fabric/" in step.out
    assert step.outputs["status"] == "1"
    assert step.outputs["verdict"] == "not-ready"
    assert "NOT READY" in step.summary.read_text()
    assert json.loads(Path(step.outputs["json"]).read_text())["summary"]["error"] > 0
    assert json.loads(Path(step.outputs["sarif"]).read_text())["version"] == "2.1.0"


def test_a_clean_folder(root: Path, tmp_path: Path) -> None:
    step = Step(root, tmp_path, PATHS="clean-fabric", REQUIRE="ready", STRICT="true")
    assert (step.status, step.outputs["verdict"]) == (0, "ready"), step.err


def test_fixes_are_written_before_the_check(root: Path, tmp_path: Path) -> None:
    folder = tmp_path / "configs"
    folder.mkdir()
    shutil.copy(root / "sample_configs" / LEAF, folder)
    step = Step(root, tmp_path, PATHS=str(folder), FIX="disruptive")
    assert "MTU001" not in step.out
    assert "  mtu 1500\n" not in (folder / "leaf2.cfg").read_text()
    assert Step(root, tmp_path, PATHS=str(folder), FIX="yes").status == 2


def test_rules_are_linked_where_the_action_comes_from(root: Path, tmp_path: Path) -> None:
    published = {"SERVER_URL": "https://git.site", "REPOSITORY": "net/roce-lint", "REF": "v0"}
    step = Step(root, tmp_path, PATHS=LEAF, **published)
    log = json.loads(Path(step.outputs["sarif"]).read_text())
    links = {rule["helpUri"] for rule in log["runs"][0]["tool"]["driver"]["rules"]}
    pages = {f"{page.parent.name}/{page.name}" for page in (root / "rules").glob("*/*.md")}
    assert {
        link.removeprefix("https://git.site/net/roce-lint/blob/v0/rules/") for link in links
    } <= pages


def test_inputs_are_words_and_no_commands(root: Path, tmp_path: Path) -> None:
    hostile = f"clean-fabric; touch {tmp_path}/made\n$(touch {tmp_path}/made)\n--output=x=y"
    step = Step(root, tmp_path, PATHS=hostile)
    assert step.status == 2
    assert not (tmp_path / "made").exists()
    assert "verdict" not in step.outputs


def test_further_options(root: Path, tmp_path: Path) -> None:
    step = Step(root, tmp_path, PATHS=LEAF, ARGS="--fail-on\nnever\n--select\nMTU")
    assert step.status == 0, step.err
    found = json.loads(Path(step.outputs["json"]).read_text())["findings"]
    assert {finding["rule"][:3] for finding in found} == {"MTU"}


def test_every_input_reaches_the_step(root: Path) -> None:
    action = yaml.safe_load((root / "action.yml").read_text())
    text = (root / "action.yml").read_text()
    for name in action["inputs"]:
        assert f"inputs.{name} " in text or f"inputs.{name} }}}}" in text, name
    script = (root / ".ci" / "action.sh").read_text()
    (step,) = [step for step in action["runs"]["steps"] if step.get("id") == "check"]
    for variable in step["env"]:
        assert f"${{{variable}" in script, variable
    for output in action["outputs"].values():
        assert f"output {output['value'].split('.')[-1].split(' ')[0]}" in script
    # An input that stands in a script itself could be a command.
    assert all("inputs." not in step.get("run", "") for step in action["runs"]["steps"])


def test_the_hook_of_pre_commit(root: Path, tmp_path: Path) -> None:
    hook, fix = yaml.safe_load((root / ".pre-commit-hooks.yaml").read_text())
    (tmp_path / "configs").mkdir()
    shutil.copy(root / "sample_configs" / LEAF, tmp_path / "configs")
    words = [COMMAND, *hook["entry"].split()[1:], *hook["args"]]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "configs/" in done.stdout
    assert hook["pass_filenames"] is fix["pass_filenames"] is False
    words = [COMMAND, *fix["entry"].split()[1:], "--disruptive", *fix["args"]]
    subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "mtu 1500\n" not in (tmp_path / "configs" / "leaf2.cfg").read_text()


@pytest.mark.parametrize("name", ["gitlab.yml", "azure.yml", "Jenkinsfile"])
def test_pieces_of_other_pipelines_use_options_that_there_are(root: Path, name: str) -> None:
    text = (root / "docs" / "pipelines" / name).read_text()
    if name.endswith("yml"):
        assert yaml.safe_load(text)
    help_text = ended("check", "--help").stdout
    used = {word.split("=")[0] for word in text.split() if word.startswith("--")}
    own = {"--quiet", "--disable-pip-version-check"}
    assert used - own, text
    for option in used - own:
        assert option in help_text, option


def test_the_image_takes_what_the_package_needs(root: Path) -> None:
    lines = (root / "Dockerfile").read_text().splitlines()
    taken = {word for line in lines if line.startswith("COPY ") for word in line.split()[1:-1]}
    kept = {
        line[1:] for line in (root / ".dockerignore").read_text().splitlines() if line[0] == "!"
    }
    needed = {"pyproject.toml", "README.md", "LICENSE", "roce_lint", "rules", "templates"}
    assert needed <= taken
    assert needed <= kept
    assert any(line.startswith("USER ") and "root" not in line for line in lines)


def test_the_documented_workflow_uses_the_action_of_a_checkout(root: Path) -> None:
    text = (root / "docs" / "ci.md").read_text(encoding="utf-8")
    blocks = [
        yaml.safe_load(each)
        for each in re.findall(r"^```yaml\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    ]
    (workflow,) = [each for each in blocks if isinstance(each, dict) and "jobs" in each]
    _, checkout, check = workflow["jobs"]["fabric"]["steps"]
    assert check["uses"] == f"./{checkout['with']['path']}"
    action = yaml.safe_load((root / "action.yml").read_text(encoding="utf-8"))
    assert check["with"].keys() <= action["inputs"].keys()
    variable = re.search(r"vars\.(\w+)", checkout["with"]["repository"])
    assert variable is not None
    for piece in (root / "docs" / "pipelines").iterdir():
        assert variable[1] in piece.read_text(encoding="utf-8"), piece
