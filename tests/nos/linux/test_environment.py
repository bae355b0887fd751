"""Variable files: the line in force, NCCL's own file, unknown values."""

from __future__ import annotations

import pytest

from roce_lint.model.device import Device, NoteKind
from roce_lint.model.nic import Flow
from roce_lint.model.sourced import Concern
from roce_lint.text.source import LineState
from tests.nos.linux.reading import notes, read
from tests.nos.reader import line, states

LINK = ("rdma link", "link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev ens1\n")
NCCL = "cat /etc/nccl.conf"


def marks(device: Device) -> list[tuple[int, str]]:
    return [(e.dscp, e.by) for e in device.emits if e.flow is not Flow.CNP]


@pytest.mark.parametrize("name", [NCCL, "nccl.conf", "cat /root/.nccl.conf", "rccl.conf"])
def test_nccl_keeps_the_first_of_two_lines(name: str) -> None:
    text = "NCCL_IB_TC=106\nNCCL_IB_SL=3\nNCCL_IB_TC=96\n"
    device = read(LINK, (name, text))
    first = int(" " in name)  # of the header
    assert device.environment == {"NCCL_IB_TC": "106", "NCCL_IB_SL": "3"}
    assert line(device, "NCCL_IB_TC") == 1 + first
    assert marks(device) == [(26, "NCCL_IB_TC")]
    assert notes(device, NoteKind.DUPLICATE) == [
        "NCCL_IB_TC=96 is overruled by NCCL_IB_TC=106, as NCCL keeps the first"
    ]
    assert (line(device.notes[0]), line(device.notes[0], Concern.BESIDE)) == (3 + first, 1 + first)


def test_of_other_files_the_last_line_counts() -> None:
    device = read(LINK, ("job.env", "NCCL_IB_TC=106\nNCCL_IB_SL=3\nNCCL_IB_TC=96\n"))
    assert (device.environment["NCCL_IB_TC"], line(device, "NCCL_IB_TC")) == ("96", 3)
    assert marks(device) == [(24, "NCCL_IB_TC")]
    assert notes(device, NoteKind.DUPLICATE) == ["NCCL_IB_TC=106 is overruled by NCCL_IB_TC=96"]
    assert (line(device.notes[0]), line(device.notes[0], Concern.BESIDE)) == (1, 3)


def test_two_lines_that_say_the_same_are_none_too_many() -> None:
    device = read(LINK, ("nccl.conf", "NCCL_IB_TC=106\nNCCL_IB_TC=106\n"))
    assert (device.environment, device.notes) == ({"NCCL_IB_TC": "106"}, [])
    assert states(device, LineState.UNDERSTOOD, file=1) == [1, 2]


QUOTES = "NCCL takes the quotes of NCCL_IB_TC for a part of its value: it reads no shell"


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ('NCCL_IB_TC="106"', QUOTES),
        ("NCCL_IB_TC='106'", QUOTES),
        (
            "export NCCL_IB_TC=106",
            "NCCL sets a variable called 'export NCCL_IB_TC', not NCCL_IB_TC: it reads no shell",
        ),
        (
            "NCCL_IB_TC = 106",
            "NCCL sets a variable called 'NCCL_IB_TC ', not NCCL_IB_TC: it reads no shell",
        ),
    ],
)
def test_the_file_of_nccl_is_not_a_shell_script(text: str, note: str) -> None:
    device = read(LINK, ("nccl.conf", f"NCCL_IB_SL=3\n{text}\n"))
    assert device.environment == {"NCCL_IB_SL": "3"}
    assert (marks(device), line(device, "NCCL_IB_TC")) == ([], 2)
    assert [(n.kind, n.message, line(n)) for n in device.notes] == [(NoteKind.LEXICAL, note, 2)]


def test_what_the_shell_reads_may_have_quotes() -> None:
    device = read(LINK, ("job.env", 'export NCCL_IB_SL=3\nexport NCCL_IB_TC="106"\n'))
    assert (device.environment["NCCL_IB_TC"], device.notes) == ("106", [])


def test_the_file_of_nccl_has_comments_and_lines_of_others() -> None:
    text = '# NCCL_IB_TC=96\nNCCL_DEBUG="INFO"\nno setting\nNCCL_IB_TC=106 \n'
    device = read(LINK, ("nccl.conf", text))
    assert (device.environment, line(device, "NCCL_IB_TC")) == ({"NCCL_IB_TC": "106"}, 4)
    assert device.notes == []


@pytest.mark.parametrize("value", ["256", "AF31", "-1"])
def test_a_value_that_no_byte_has_is_not_known(value: str) -> None:
    device = read(LINK, ("nccl.conf", f"NCCL_IB_SL=3\nNCCL_IB_TC={value}\n"))
    assert (device.environment, line(device, "NCCL_IB_TC")) == ({"NCCL_IB_SL": "3"}, 2)
    assert notes(device, NoteKind.BAD_VALUE) == [f"NCCL_IB_TC={value} is no number from 0 to 255"]


def test_files_that_differ_leave_a_variable_with_a_line_and_no_value() -> None:
    device = read(LINK, ("nccl.conf", "NCCL_IB_TC=106\n"), ("job.env", "NCCL_IB_TC=96\n"))
    assert (device.environment, line(device, "NCCL_IB_TC")) == ({}, 1)
    assert len(notes(device, NoteKind.CONFLICT)) == 1


def test_what_a_running_job_has_goes_before_a_line_that_is_not_understood() -> None:
    device = read(LINK, ("nccl.conf", 'NCCL_IB_TC="96"\n'), ("env", "NCCL_IB_TC=106\n"))
    assert device.environment == {"NCCL_IB_TC": "106"}


def test_a_script_may_start_two_programs_with_two_values() -> None:
    script = "#!/bin/sh\nexport NCCL_IB_TC=106\n./a\nmpirun -x NCCL_IB_TC=160 ./b\n"
    device = read(LINK, ("run.sh", script))
    assert (device.environment, line(device, "NCCL_IB_TC")) == ({}, 2)
    assert marks(device) == [(26, "NCCL_IB_TC"), (40, "NCCL_IB_TC")]
    assert device.notes == []


DEVICES = (
    "rdma link",
    "link mlx5_0/1 state ACTIVE netdev ens1\nlink mlx5_1/1 state ACTIVE netdev ens2\n",
)
LEAVING = {
    "NCCL_IB_DISABLE=1": "NCCL_IB_TC",
    "NCCL_NET=Socket": "NCCL_IB_TC",
    "UCX_TLS=tcp,self": "UCX_IB_TRAFFIC_CLASS",
    "NVSHMEM_REMOTE_TRANSPORT=none": "NVSHMEM_IB_TRAFFIC_CLASS",
    "MC_FORCE_TCP=1": "MC_IB_TC",
}


@pytest.mark.parametrize("switch", LEAVING)
def test_an_application_that_leaves_rdma_marks_nothing(switch: str) -> None:
    name = LEAVING[switch]
    device = read(DEVICES, ("env | sort", f"{switch}\n{name}=26\nUCCL_IB_TC=104\n"))
    assert marks(device) == [(26, "UCCL_IB_TC")]
    assert notes(device, NoteKind.LEXICAL) == []
    perhaps = read(
        ("j.sbatch", f"#!/bin/sh\nif x; then export {switch}; fi\nexport {name}=160\nsrun ./a\n")
    )
    assert [(e.by, str(e.certainty.value)) for e in perhaps.emits] == [(name, "possible")]


@pytest.mark.parametrize(
    ("text", "value", "sent"),
    [
        ("export NCCL_IB_TC=26\nunset NCCL_IB_TC\nsrun ./a", None, []),
        ("export NCCL_IB_TC=26\nexport -n NCCL_IB_TC\nsrun ./a", None, []),
        ("export NCCL_IB_TC=26\nexport NCCL_IB_TC=\nsrun ./a", "", []),
        ("export NCCL_IB_TC=26\nNCCL_IB_TC= srun ./a", None, [(6, "possible")]),
        ("export NCCL_IB_TC=26\n(unset NCCL_IB_TC)\nsrun ./a", None, [(6, "possible")]),
        ("export NCCL_IB_TC=26\nunset -f NCCL_IB_TC\nsrun ./a", "26", [(6, "stated")]),
        ("export NCCL_IB_TC=26\nunset NCCL_IB_TC\nexport NCCL_IB_TC=98", "98", [(24, "stated")]),
        ("export NCCL_IB_TC=26\nexport NCCL_IB_TC=98\nsrun ./a", "98", [(24, "stated")]),
        (
            "export NCCL_IB_TC=26\nsrun ./a\nexport NCCL_IB_TC=98\nsrun ./a",
            None,
            [(6, "stated"), (24, "stated")],
        ),
        ("old() { export NCCL_IB_TC=26; }\nexport NCCL_IB_TC=98\nsrun ./a", "98", [(24, "stated")]),
        ("old() { export NCCL_IB_TC=26; }\nsrun ./a", None, [(6, "possible")]),
        (
            "export NCCL_IB_TC=98\nif x; then export NCCL_IB_TC=26; fi\nsrun ./a",
            None,
            [(24, "possible"), (6, "possible")],
        ),
        ("if x; then export NCCL_IB_TC=98; fi\nsrun ./a", None, [(24, "possible")]),
    ],
)
def test_the_last_event_of_a_script_holds_where_it_is_certain(
    text: str, value: str | None, sent: list[tuple[int, str]]
) -> None:
    device = read(("j.sbatch", f"#!/bin/sh\n{text}\n"))
    assert device.environment.get("NCCL_IB_TC") == value
    assert [(e.dscp, str(e.certainty.value)) for e in device.emits] == sent
    assert notes(device, NoteKind.CONFLICT) == []


def test_what_a_process_has_goes_before_files() -> None:
    device = read(DEVICES, ("nccl.conf", "NCCL_IB_TC=160\n"), ("env | sort", "NCCL_IB_TC=106\n"))
    assert marks(device) == [(26, "NCCL_IB_TC")]


@pytest.mark.parametrize(
    ("chosen", "nics"),
    [
        ("", ()),
        ("ms_async_rdma_device_name = mlx5_1\n", ("mlx5_1",)),
        ("ms_async_rdma_device_name = mlx4_0\n", None),
        ("ms_type = async+posix\n", None),
        ("ms_type = async+posix\nms_cluster_type = async+rdma\n", ()),
    ],
)
def test_ceph_uses_the_device_that_it_names(chosen: str, nics: tuple[str, ...] | None) -> None:
    device = read(DEVICES, ("ceph.conf", f"[global]\n{chosen}ms_async_rdma_dscp = 96\n"))
    assert [e.nics for e in device.emits if e.storage] == ([] if nics is None else [nics])


@pytest.mark.parametrize(
    ("option", "nics"),
    [("", ()), ("--host-iface=ens2", ("mlx5_1",)), ("-f ens2.7", ("mlx5_1",)), ("-f eno1", None)],
)
def test_nvme_leaves_by_the_interface_that_it_names(
    option: str, nics: tuple[str, ...] | None
) -> None:
    command = f"nvme connect -t rdma -a 192.0.2.9 -n nqn.x --tos=136 {option}"
    device = read(DEVICES, ("n.sh", f"#!/bin/sh\n{command}\n"))
    assert [e.nics for e in device.emits if e.storage] == ([] if nics is None else [nics])
