"""Manifests and job scripts: their statements, never merged into a host."""

from __future__ import annotations

from pathlib import Path

import pytest

from roce_lint.errors import UnknownFormat
from roce_lint.loading.identify import identify
from roce_lint.loading.load import load
from roce_lint.model.device import NoteKind, Role
from roce_lint.model.interface import InterfaceKind
from roce_lint.model.nic import Certainty
from roce_lint.model.qos import Trust
from tests.nos.linux.reading import leaf, notes, read
from tests.nos.reader import line

JOB = """
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata:
  name: all-reduce
spec:
  mpiReplicaSpecs:
    Launcher:
      template:
        spec:
          containers:
          - name: mpi
            env:
            - name: NCCL_IB_HCA
              value: "=mlx5_0,mlx5_1"
            - name: PASSWORD
              value: hunter2
            - name: UCX_NET_DEVICES
              valueFrom: {fieldRef: {fieldPath: status.podIP}}
            command: [mpirun]
            args: ["-x", "NCCL_IB_TC=106", "-x", "HOME", "all_reduce_perf"]
          - name: other
            command: ["/bin/bash", "-c"]
            args:
            - |
              export NVSHMEM_IB_TRAFFIC_CLASS=104
              UNSEEN=1
              mpirun -x NCCL_IB_GID_INDEX=3 \\
                -x NCCL_IB_TIMEOUT=22 all_reduce_perf
"""
CONTAINERS = "spec|mpiReplicaSpecs|Launcher|template|spec|containers"


def test_variables_and_commands_of_a_job() -> None:
    device = read(("job.yaml", JOB))
    assert (device.fleet, device.role, device.nics) == (True, Role.OTHER, {})
    assert device.environment == {
        "NCCL_IB_HCA": "=mlx5_0,mlx5_1",
        "NCCL_IB_TC": "106",
        "NVSHMEM_IB_TRAFFIC_CLASS": "104",
        "NCCL_IB_GID_INDEX": "3",
        "NCCL_IB_TIMEOUT": "22",
    }
    assert [(e.by, e.dscp, e.certainty, leaf(e, "dscp")) for e in device.emits] == [
        ("NCCL_IB_TC", 26, Certainty.STATED, f"{CONTAINERS}|0|args|1"),
        ("NVSHMEM_IB_TRAFFIC_CLASS", 26, Certainty.STATED, f"{CONTAINERS}|1|args|0"),
    ]
    assert device.notes == []


def test_files_of_a_config_map() -> None:
    text = """
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: nccl
    data:
      nccl.conf: |
        NCCL_IB_TC=106
        NCCL_IB_GID_INDEX=3
      run.sh: |
        #!/bin/bash
        NCCL_IB_SL=3
        export UCX_TLS=rc
        srun --export=ALL,NCCL_IB_TIMEOUT=22 ./a.out
    """
    device = read(("nccl.yaml", text))
    assert device.environment == {
        "NCCL_IB_TC": "106",
        "NCCL_IB_GID_INDEX": "3",
        "UCX_TLS": "rc",
        "NCCL_IB_TIMEOUT": "22",
    }
    assert leaf(device, "NCCL_IB_TC") == "data|nccl.conf"


def test_two_containers_that_differ() -> None:
    text = JOB + "            env: [{name: NCCL_IB_TC, value: '96'}]\n"
    device = read(("job.yaml", text))
    assert "NCCL_IB_TC" not in device.environment
    assert sorted(e.dscp for e in device.emits if e.by == "NCCL_IB_TC") == [24, 26]


def test_policies_for_virtual_functions() -> None:
    text = """
    apiVersion: sriovnetwork.openshift.io/v1
    kind: SriovNetworkNodePolicy
    metadata:
      name: rail1
    spec:
      mtu: 4220
      isRdma: true
      nicSelector:
        pfNames: [ens1f0#0-3, ens2f0]
    ---
    apiVersion: sriovnetwork.openshift.io/v1
    kind: SriovNetworkNodePolicy
    metadata:
      name: rail2
    spec:
      mtu: 0
    """
    device = read(("policy.yaml", text))
    (policy,) = device.interfaces.values()
    assert (policy.name, policy.kind, policy.ip_mtu) == ("rail1", InterfaceKind.VF, 4220)
    assert leaf(policy, "ip_mtu") == "spec|mtu"
    assert policy.aliases == ("ens1f0", "ens2f0")


SPEC = "apiVersion: x/v1\nkind: {}\nmetadata: {{name: rail}}\nspec: {}\n"


@pytest.mark.parametrize(
    ("spec", "read_as"),
    [
        ("{nicSelector: {pfNames: [ens1f0, 'ens2f0#0-3']}}", ("", ("ens1f0", "ens2f0"), False, False)),
        ("{isRdma: true, deviceType: vfio-pci}", ("", (), True, True)),
        ("{nodeSelector: {kubernetes.io/hostname: gpu7, kubernetes.io/os: linux}}", ("gpu7", (), False, False)),
        ("{nodeSelector: {node-role.kubernetes.io/worker: ''}}", ("", (), False, False)),
        ("{nodeSelector: {rack: r12, kubernetes.io/hostname: gpu7}}", (None, (), False, False)),
        ("{nodeSelector: gpu7, nicSelector: {pfNames: ens1f0}}", ("", (), False, False)),
    ],
)  # fmt: skip
def test_what_a_policy_is_for(spec: str, read_as: tuple[object, ...]) -> None:
    device = read(("policy.yaml", SPEC.format("SriovNetworkNodePolicy", spec)))
    (policy,) = device.policies
    assert (policy.node, policy.ports, policy.rdma, policy.handed_over) == read_as
    assert policy.stated("rdma") is ("isRdma" in spec)


@pytest.mark.parametrize(
    "spec", ["{isRdma: maybe}", "{deviceType: dpdk}", "{nicSelector: {pfNames: ['a b']}}"]
)
def test_a_policy_that_its_operator_would_refuse(spec: str) -> None:
    device = read(("policy.yaml", SPEC.format("SriovNetworkNodePolicy", spec)))
    assert len(notes(device, NoteKind.BAD_VALUE)) == 1


RANGE = '"subnet": "10.7.0.0/20"'


@pytest.mark.parametrize(
    ("kind", "spec", "pool"),
    [
        ("NetworkAttachmentDefinition", f'{{"type": "sriov", "ipam": {{"type": "host-local", {RANGE}}}}}', (("10.7.0.0/20",), None)),
        ("NetworkAttachmentDefinition", f'{{"plugins": [{{"type": "host-device", "ipam": {{"type": "host-local", "ranges": [[{{{RANGE}, "rangeStart": "10.7.0.9"}}]]}}}}]}}', (("10.7.0.0/20 10.7.0.9",), None)),
        ("NetworkAttachmentDefinition", f'{{"type": "macvlan", "master": "ens1", "ipam": {{"type": "host-local", {RANGE}}}}}', (("10.7.0.0/20",), "ens1")),
        ("NetworkAttachmentDefinition", f'{{"type": "bridge", "ipam": {{"type": "host-local", {RANGE}}}}}', None),
        ("NetworkAttachmentDefinition", f'{{"type": "sriov", "ipam": {{"type": "whereabouts", {RANGE}}}}}', None),
        ("NetworkAttachmentDefinition", '{"type": "sriov", "ipam": {"type": "host-local", "subnet": "usePodCidr"}}', None),
        ("NetworkAttachmentDefinition", '{"type": "sriov", "ipam": 7, "plugins": {"a": [1, null]}}', None),
        ("NetworkAttachmentDefinition", '[1, "two"]', None),
        ("HostDeviceNetwork", f'{{"type": "host-local", {RANGE}}}', (("10.7.0.0/20",), None)),
    ],
)  # fmt: skip
def test_addresses_that_each_node_gives_out(kind: str, spec: str, pool: object) -> None:
    field = "config" if kind == "NetworkAttachmentDefinition" else "ipam"
    device = read(("net.yaml", SPEC.format(kind, f"\n  {field}: '{spec}'")))
    made = [(each.ranges, each.master) for each in device.node_pools]
    assert made == ([] if pool is None else [pool])
    assert [leaf(each, "ranges") for each in device.node_pools] == [f"spec|{field}"] * len(made)
    assert device.notes == []


@pytest.mark.parametrize("config", ["{not json", '{"type": "sriov", "ipam": {"subnet": "ten"}}'])
def test_a_network_that_cannot_be_read(config: str) -> None:
    text = SPEC.format("NetworkAttachmentDefinition", f"\n  config: '{config}'")
    device = read(("net.yaml", text))
    assert device.node_pools == []
    assert len(notes(device, NoteKind.BAD_VALUE)) == 1


TEMPLATE = """
apiVersion: configuration.net.nvidia.com/v1alpha1
kind: NicConfigurationTemplate
metadata:
  name: roce
spec:
  template:
    roceOptimized:
      enabled: true
      qos:
        trust: dscp
        pfc: "0,0,0,1,0,0,0,0"
"""


def test_a_template_for_adapters() -> None:
    qos = read(("nic.yaml", TEMPLATE)).interfaces["roce"].qos
    assert qos is not None
    assert qos.pfc is not None
    assert (qos.trust, qos.pfc.generate) == (Trust.DSCP, frozenset({3}))
    assert leaf(qos.pfc, "generate") == "spec|template|roceOptimized|qos|pfc"


def test_other_settings_of_a_template() -> None:
    more = "cableLen: 30\n        pauseFrames: {enabled: true}\n      roceMode: 1"
    device = read(("nic.yaml", TEMPLATE.rstrip() + f"\n        {more}\n"))
    qos = device.interfaces["roce"].qos
    assert qos is not None
    assert qos.pfc is not None
    assert (qos.pfc.cable_m, qos.pfc.link_pause_rx, qos.pfc.link_pause_tx) == (30.0, True, True)
    assert [(p.roce_version, leaf(p, "roce_version")) for p in device.policies] == [
        (1, "spec|template|roceOptimized|roceMode")
    ]


@pytest.mark.parametrize(
    "change",
    [("enabled: true", "enabled: false"), ("1,0,0,0,0", "1,0,0,0"), ("0,0,0,1", "a,b,c,d")],
)
def test_a_template_that_sets_no_pfc(change: tuple[str, str]) -> None:
    ports = read(("nic.yaml", TEMPLATE.replace(*change))).interfaces
    assert [port.qos.pfc for port in ports.values() if port.qos is not None] in ([], [None])


@pytest.mark.parametrize(
    ("old", "new", "message", "place"),
    [
        ("trust: dscp", "trust: l2", "roce: trust l2 is none of dscp, pcp", "trust"),
        (
            "0,0,0,1,0,0,0,0",
            "0,0,0,1,0,0,0",
            "roce: pfc 0,0,0,1,0,0,0 is no 0 or 1 for each of 8 priorities",
            "pfc",
        ),
    ],
)
def test_a_template_that_its_operator_would_refuse(
    old: str, new: str, message: str, place: str
) -> None:
    assert old in TEMPLATE
    device = read(("template.yaml", TEMPLATE.replace(old, new)))
    assert notes(device, NoteKind.BAD_VALUE) == [message]
    assert leaf(device.notes[0]) == f"spec|template|roceOptimized|qos|{place}"


def test_a_list_of_objects() -> None:
    items = TEMPLATE.replace("\n", "\n  ").replace("\n  apiVersion", "- apiVersion", 1)
    device = read(("list.yaml", f"apiVersion: v1\nkind: List\nitems:\n{items}"))
    qos = device.interfaces["roce"].qos
    assert qos is not None
    assert qos.pfc is not None
    assert leaf(qos.pfc, "generate") == "items|0|spec|template|roceOptimized|qos|pfc"


@pytest.mark.parametrize(
    "variables",
    [
        "    - {name: NCCL_IB_TC, value: '160'}\n",
        '    - {"name": "NCCL_IB_TC", "value": "160"}\n',
        "    - name: NCCL_IB_TC\n      value: '160'\n",
    ],
)
def test_variables_in_braces_and_below_each_other(variables: str) -> None:
    text = f"apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - env:\n{variables}"
    assert identify("pod.yaml", text).source == "manifest"
    assert [e.dscp for e in read(("pod.yaml", text)).emits] == [40]


@pytest.mark.parametrize(
    ("body", "source"),
    [
        ("export NCCL_IB_TC=34\nmpirun -np 8 ./all_reduce_perf", "job-script"),
        ("mpirun -np 16 -x UCX_IB_TRAFFIC_CLASS=34 -x UCX_TLS=rc ./a.out", "job-script"),
        ("UCX_IB_TRAFFIC_CLASS=34 srun ./a.out", "job-script"),
        ("# after mlnx_qos was run\nexport NCCL_IB_TC=34", "job-script"),
        ("export NCCL_IB_TC=34\nmlnx_qos -i ens1 --trust dscp", "script"),  # sets up a host
        ("export NCCL_IB_TC=34\necho 106 > /sys/class/infiniband/mlx5_0/tc/1/traffic_class", "script"),
    ],
)  # fmt: skip
def test_a_script_that_sets_no_adapter_is_a_job(body: str, source: str) -> None:
    text = f"#!/bin/bash\n{body}\n"
    assert identify("start.sh", text).source == source
    device = read(("start.sh", text))
    assert device.fleet is (True if source == "job-script" else None)
    assert 8 in [e.dscp for e in device.emits]


SLURM = "#!/bin/bash\n#SBATCH --nodes=2\nexport NCCL_IB_TC=106\nsrun ./a.out\n"


def test_a_job_script() -> None:
    device = read(("job.sbatch", SLURM))
    assert (device.fleet, device.role) == (True, Role.OTHER)
    assert [(e.by, e.dscp, line(e, "dscp")) for e in device.emits] == [("NCCL_IB_TC", 26, 3)]


@pytest.mark.parametrize(
    ("command", "dscps"),
    [
        ("nvme connect -t rdma -a 10.0.0.1 -s 4420 -n nqn.x --tos=106", [26]),
        ("nvme connect-all --transport=rdma --tos 96", [24]),
        ("nvme connect -t tcp -a 10.0.0.1 --tos=106", []),
        ("nvme connect -t rdma -a 10.0.0.1", []),
    ],
)
def test_storage_over_rdma(command: str, dscps: list[int]) -> None:
    device = read(("nvme.sh", f"#!/bin/sh\nexport NCCL_IB_SL=0\n{command}\n"))
    assert [e.dscp for e in device.emits] == dscps


@pytest.mark.parametrize(
    "text",
    [
        "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - env:\n    - {name: A, value: b}\n",
        "apiVersion: v1\nkind: Pod\nenv:\n- name: NCCL_DEBUG\n  value: {{ .Values.level }}\n",
        "kind: MPIJob\nenv:\n- name: NCCL_DEBUG\n",
        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n",
    ],
)
def test_other_manifests_and_templates_are_passed_over(text: str) -> None:
    with pytest.raises(UnknownFormat):
        identify("x.yaml", text, only="linux")


def test_files_for_many_hosts_are_no_host(tmp_path: Path) -> None:
    folder = tmp_path / "gpu1"
    folder.mkdir()
    (folder / "rdma.txt").write_text(
        "# command: rdma link  host: gpu1\nlink mlx5_0/1 state ACTIVE physical_state LINK_UP netdev e1\n"
    )
    for name in ("job.yaml", "gpu1/job.yaml", "gpu1/run.sbatch"):
        (tmp_path / name).write_text(SLURM if name.endswith("sbatch") else JOB.lstrip())
    loaded = load((str(tmp_path),))
    assert {(d.hostname, d.fleet) for d in loaded.devices} == {
        ("gpu1", None),
        ("gpu1/job.yaml", True),
        ("gpu1/run.sbatch", True),
        ("job.yaml", True),
    }
    host = next(device for device in loaded.devices if not device.fleet)
    assert (host.environment, [e.by for e in host.emits]) == ({}, ["cnp_dscp"])
    assert loaded.diagnostics == []
