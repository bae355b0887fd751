"""Output forms of one configuration: another form is not a difference."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.diff.compared import change_lines, compared, device
from tests.metamorphic.snapshot import sample
from tests.nos.sonic.making import chain, device_of, flattened

NOS = ROOT / "tests" / "nos"


def differing(first: tuple[str, str], second: tuple[str, str], folder: Path) -> list[str]:
    """Differences between the devices of two files, by name."""
    a, b = (device(text, folder / str(n), name) for n, (name, text) in enumerate((first, second)))
    return change_lines(compared(a, b))


@pytest.mark.parametrize("form", ["leaf-braces/config.cfg", "leaf-json/config.json"])
def test_three_forms_of_one_tree(form: str, tmp_path: Path) -> None:
    folder = NOS / "srlinux"
    first, other = ((n.split("/")[1], (folder / n).read_text()) for n in ("leaf/config.cfg", form))
    assert differing(first, other, tmp_path) == []


@pytest.mark.parametrize("name", ["llq-cr1-ptx10001", "bbe-sw2-qfx5210"])
def test_captures_in_braces_and_as_commands(name: str, tmp_path: Path) -> None:
    corpus = ROOT.parent / "shared" / "corpus" / "junos"
    if not corpus.is_dir():
        pytest.skip("no corpus of real configs")
    files = [
        (f"{name}.{form}", (corpus / f"{name}.{form}").read_text()) for form in ("conf", "set")
    ]
    assert differing(files[0], files[1], tmp_path) == []


def test_nested_and_flat_keys() -> None:
    assert change_lines(compared(device_of(chain()), device_of(flattened(chain())))) == []


def test_old_and_new_references() -> None:
    old = json.loads(
        json.dumps(chain())
        .replace('_tc_map": "M"', '_tc_map": "[DSCP_TO_TC_MAP|M]"')
        .replace('_queue_map": "M"', '_queue_map": "[TC_TO_QUEUE_MAP|M]"')
        .replace('"scheduler": "S"', '"scheduler": "[SCHEDULER|S]"')
    )
    assert change_lines(compared(device_of(old), device_of(chain()))) == []


STATED = {
    "leaf2.cfg": ("  ", ("flowcontrol receive off", "flowcontrol send off", "speed auto",
                         "negotiate auto", "fec auto", "mtu 1500", "lldp transmit")),
    "leaf1.cfg": ("   ", ("flowcontrol send off", "flowcontrol receive off", "no shutdown",
                          "lldp transmit", "load-interval 300")),
}  # fmt: skip
"""Port lines that a switch prints only in its full configuration."""


def as_all(text: str, lead: str, lines: tuple[str, ...]) -> str:
    """The configuration with what ports do unasked."""
    shown = []
    for stanza in re.split(r"^(?=\S)", text, flags=re.MULTILINE):
        if re.match(r"interface Ethernet[\d/]+$", stanza.split("\n")[0]):
            known = {line.strip().removeprefix("no ").split(" ")[0] for line in stanza.split("\n")}
            more = [line for line in lines if line.removeprefix("no ").split(" ")[0] not in known]
            head, _, rest = stanza.partition("\n")
            shown.append("\n".join([head, *(lead + line for line in more), rest]))
        else:
            shown.append(stanza)
    return "".join(shown).replace("show running-config\n", "show running-config all\n")


@pytest.mark.parametrize("name", STATED)
def test_running_config_with_and_without_defaults(name: str, tmp_path: Path) -> None:
    text = sample("clean-fabric")[f"switches/{name}"]
    more = as_all(text, *STATED[name])
    assert more.count("\n") > text.count("\n") + 100
    assert differing((name, text), (name, more), tmp_path) == []
    (a, b) = (device(t, tmp_path / f"s{n}", name) for n, t in enumerate((text, more)))
    assert [d for d in compared(a, b, stated=True) if d.wording] != []
