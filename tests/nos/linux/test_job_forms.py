"""Jobs in common forms: each sets the variables that it passes on, at its line, for no host, and
nothing that is filled in later.
"""

from __future__ import annotations

import pytest

from roce_lint.model.device import Device, NoteKind
from tests.nos.linux.reading import notes, read
from tests.nos.reader import line

SH = "#!/bin/bash\n"
SET = "NCCL_IB_TC=160"

SCRIPTS = {
    "export": (SH + f"export {SET}\npython train.py\n", 2),
    "no shebang": (f"export {SET}\npython3 train.py\n", 1),
    "launcher alone": (f"mpirun -np 2 \\\n  -x {SET} ./a.out\n", 1),
    "prefix": (SH + f"{SET} ./a.out\n", 2),
    "env": (SH + f"env -i {SET} ./a.out\n", 2),
    "set -a": (SH + f"set -a\n{SET}\nset +a\n./a.out\n", 3),
    "default": (SH + 'export NCCL_IB_TC="${TC:-160}"\n./a.out\n', 2),
    "default given": (SH + ": ${NCCL_IB_TC:=160}\nexport NCCL_IB_TC\n./a.out\n", 2),
    "csh": ("#!/bin/csh\nsetenv NCCL_IB_TC 160\n./a.out\n", 2),
    "genv": (SH + "mpiexec -genv NCCL_IB_TC 160 ./a.out\n", 2),
    "array": (SH + f"A=(-np 2 -x {SET})\nmpirun ${{A[@]}} ./a.out\n", 2),
    "prterun": (SH + f"prterun -x {SET} ./a.out\n", 2),
    "srun": (SH + f"srun --export=ALL,{SET} ./a.out\n", 2),
    "srun apart": (SH + f"srun --export ALL,{SET},NCCL_IB_HCA=mlx5_0,mlx5_1 ./a.out\n", 2),
    "srun env": (SH + f"srun -N 2 env {SET} ./a.out\n", 2),
    "srun shell": (SH + f"srun bash -c 'export {SET}; ./a.out'\n", 2),
    "sbatch option": (SH + f"#SBATCH --export=ALL,{SET}\nsrun ./a.out\n", 2),
    "pbs option": (SH + f"#PBS -v {SET},NCCL_IB_SL=3\n./a.out\n", 2),
    "sbatch document": (SH + f"sbatch <<EOF\n#!/bin/bash\nexport {SET}\nsrun ./a.out\nEOF\n", 4),
    "written script": (SH + f"cat > run.sh <<EOF\nexport {SET}\nEOF\nsbatch run.sh\n", 3),
    "docker": (SH + f"sudo docker run -e {SET} img\n", 2),
    "docker attached": (SH + f"docker run -e{SET} img\n", 2),
    "enroot": (SH + f"enroot start --env {SET} img\n", 2),
    "apptainer": (SH + f"apptainer exec --env {SET},NCCL_IB_SL=3 img\n", 2),
    "kubectl": (SH + f"kubectl set env deploy/x {SET}\n", 2),
}
POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec:\n"
HELM = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: {{ .Release.Name }}\nspec:\n"
TASKS = "- hosts: all\n  tasks:\n"
FILES = {
    "helm values": ("values.yaml", "env:\n  - name: NCCL_IB_TC\n    value: '160'\n", 3),
    "helm map": ("values-a.yaml", "env:\n  NCCL_IB_TC: 160 # all\n", 2),
    "helm braces": ("values.yaml", 'w:\n  env:\n  - {name: NCCL_IB_TC, value: "160"}\n', 3),
    "helm value first": ("t.yaml", HELM + "  env:\n  - value: 160\n    name: NCCL_IB_TC\n", 8),
    "helm words": ("t.yaml", HELM + f"  args:\n  - mpirun -np {{{{ .n }}}} -x {SET} ./a\n", 7),
    "helm control": (
        "t.yaml",
        "{{- if .x }}\n" + HELM + f"  env:\n  - '{SET}'\n{{{{- end }}}}\n",
        8,
    ),
    "vars": ("all.yml", "---\nnccl:\n  NCCL_IB_TC: '160'\n  NCCL_IB_HCA: '{{ hca }}'\n", 3),
    "inventory": ("hosts.ini", '[gpu:vars]\nnccl={"NCCL_IB_TC": "160"}\n', 2),
    "template": ("nccl.conf.j2", f"{SET}\nNCCL_IB_HCA={{{{ hca }}}}\n", 1),
    "ini module": (
        "p.yml",
        TASKS + "  - ini_file:\n      option: NCCL_IB_TC\n      value: 160\n",
        5,
    ),
    "compose": (
        "docker-compose.yml",
        "services:\n  a:\n    environment:\n      NCCL_IB_TC: 160\n",
        4,
    ),
    "compose list": ("docker-compose.yml", f"services:\n  a:\n    environment:\n    - {SET}\n", 4),
    "compose flow": ("c.yaml", f"services:\n  a:\n    environment: [A=1, {SET}]\n", 3),
    "unit": ("train.service", f'[Service]\nEnvironment="{SET}" "A=1"\nExecStart=/opt/train\n', 2),
    "env file": ("train.env", f"{SET}\nNCCL_DEBUG=INFO\n", 1),
    "image": ("Dockerfile", f"FROM x\nENV {SET}\n", 2),
    "runtime": ("job.json", '{\n "env_vars": {\n  "NCCL_IB_TC": "160"\n }\n}\n', 3),
}
TREES = {
    "pod as JSON": '{"apiVersion": "v1", "kind": "Pod",\n "env": [{"name": "NCCL_IB_TC", "value": "160"}]}\n',
    "pod in braces": POD + "  containers: [{env: [{name: NCCL_IB_TC, value: '160'}]}]\n",
    "environment": TASKS + "  - shell: ./a\n    environment:\n      NCCL_IB_TC: '160'\n",
    "set_fact": TASKS + "  - set_fact:\n      env:\n        NCCL_IB_TC: '160'\n  - shell: ./a\n",
    "play vars": "- hosts: all\n  vars: {e: {NCCL_IB_TC: 160}}\n  tasks:\n  - shell: ./a\n",
    "lineinfile": TASKS + f"  - lineinfile: {{path: /etc/nccl.conf, line: {SET}}}\n",
}


def sent(device: Device) -> list[int]:
    assert device.fleet is True
    return [emission.dscp for emission in device.emits]


@pytest.mark.parametrize(("text", "number"), SCRIPTS.values(), ids=SCRIPTS)
def test_a_script_that_starts_a_job(text: str, number: int) -> None:
    device = read(("job.sh", text))
    assert sent(device) == [40]
    assert line(device.emits[0], "dscp") == number
    assert notes(device, NoteKind.LEXICAL) == []
    if "NCCL_IB_HCA" in text:
        assert device.environment["NCCL_IB_HCA"] == "mlx5_0,mlx5_1"


@pytest.mark.parametrize(("name", "text", "number"), FILES.values(), ids=FILES)
def test_a_file_that_no_shell_runs(name: str, text: str, number: int) -> None:
    device = read((name, text))
    assert sent(device) == [40]
    assert line(device.emits[0], "dscp") == number
    assert notes(device, NoteKind.BAD_VALUE) == []


@pytest.mark.parametrize("text", TREES.values(), ids=TREES)
def test_a_tree(text: str) -> None:
    assert sent(read(("job.yaml", text))) == [40]


@pytest.mark.parametrize(
    "value", ["{{ .Values.tc }}", '"{{ .tc }}"', "${TC}", "{{ tc | default(106) }}", '"$(TC)"']
)
def test_a_class_that_is_put_in_later_is_named_and_not_known(value: str) -> None:
    device = read(("t.yaml", HELM + f"  env:\n  - name: NCCL_IB_TC\n    value: {value}\n"))
    assert sent(device) == []
    (note,) = [note for note in device.notes if note.kind is NoteKind.BAD_VALUE]
    assert line(note) == 8


def test_comments_of_a_template_set_nothing() -> None:
    pair = "  - name: NCCL_IB_TC\n    value: 160\n"
    text = (
        HELM + "{{/*\n" + pair + "*/}}\n{# \n" + pair + "#}\n" + "#" + pair.replace("\n ", "\n# ")
    )
    assert sent(read(("t.yaml", text + "  env:\n  - name: NCCL_IB_SL\n    value: 3\n"))) == []


@pytest.mark.parametrize(
    "value", ["160\\n161", "1" * 5000, "\x1b[31m", "-1e9", "0x" + "f" * 40, "٣٤", "--", "a=b=c"]
)
def test_a_hostile_value_is_not_a_class(value: str) -> None:
    device = read(("t.yaml", HELM + f'  env:\n  - name: NCCL_IB_TC\n    value: "{value}"\n'))
    assert sent(device) == []
    assert all(len(message) < 200 for message in notes(device, NoteKind.BAD_VALUE))


def test_a_variable_over_several_lines_is_not_known() -> None:
    text = SH + 'export NCCL_IB_TC="160\n161"\nexport NCCL_IB_SL=3\n./a.out\n'
    assert sent(read(("job.sh", text))) == []
    assert (
        sent(read(("v.yaml", "env:\n  NCCL_IB_TC: |\n    160\n    161\n  NCCL_IB_SL: 3\n"))) == []
    )


def test_what_is_read_of_a_large_file_is_its_lines_and_its_time() -> None:
    item = "  - name: NCCL_IB_SL\n    value: '3'\n  - name: {{ .x }}\n    value: {{ .y }}\n"
    text = HELM + "  env:\n  - name: NCCL_IB_TC\n    value: 160\n" + item * 10_000
    assert sent(read(("t.yaml", text))) == [40]
