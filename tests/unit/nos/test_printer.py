"""Printing by templates: sandboxed, total, and every stated field printed or reported."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from roce_lint.errors import RenderError
from roce_lint.model.device import Device
from roce_lint.model.interface import Interface
from roce_lint.nos.base import Printing, RenderedFiles, RenderRequest
from roce_lint.nos.printer import render
from roce_lint.nos.registry import all_nos


def device(**port: object) -> Device:
    """A golden leaf with one port."""
    made = Device(hostname="leaf1", nos="eos", partial=True, at={"": 1, "hostname": 1})
    made.interfaces["Ethernet1"] = Interface(
        name="Ethernet1", at=dict.fromkeys(["", *port], 1), **port
    )
    return made


def printed(tmp_path: Path, text: str, made: Device, **templates: str) -> RenderedFiles:
    """The files of a system with one template of this text."""
    folder = tmp_path / "own" / "render"
    folder.mkdir(parents=True, exist_ok=True)
    for name, other in {"config": text, **templates}.items():
        (folder / f"{name}.j2").write_text(other)
    nos = replace(all_nos()["eos"], templates=folder.parent, printing=Printing())
    return render(nos, RenderRequest(made, header=("of a test",)))


PORTS = "{{ heading }}\n{% for p in d.interfaces.values() %}\ninterface {{ p.name }}\n"


def test_lines_are_printed_as_written_without_empty_ones(tmp_path: Path) -> None:
    text = PORTS + "{% if p.ip_mtu %}   mtu {{ p.ip_mtu }}{% endif +%}\n\n{% endfor %}"
    made = printed(tmp_path, text, device(ip_mtu=9214))
    assert made.files == {"leaf1.cfg": "! of a test\ninterface Ethernet1\n   mtu 9214\n"}
    assert made.left == ()


def test_a_stated_field_that_no_template_reads_is_reported(tmp_path: Path) -> None:
    made = printed(tmp_path, PORTS + "{% endfor %}", device(ip_mtu=9214, vrf="A"))
    assert made.left == ("vrf of Ethernet1: no confirmed wording",
                         "ip_mtu of Ethernet1: no confirmed wording")  # fmt: skip
    assert "! vrf of Ethernet1: no confirmed wording\n" in made.files["leaf1.cfg"]


def test_a_default_of_the_platform_needs_no_line(tmp_path: Path) -> None:
    made = device(ip_mtu=9214)
    made.interfaces["Ethernet1"].at["ip_mtu"] = -1
    assert printed(tmp_path, PORTS + "{% endfor %}", made).left == ()


def test_an_omission_is_a_comment_with_its_reason(tmp_path: Path) -> None:
    text = PORTS + '   {{ left(p.name ~ " vrf " ~ p.vrf, "not tried") }}\n{% endfor %}'
    made = printed(tmp_path, text, device(vrf="A"))
    assert made.left == ("Ethernet1 vrf A: not tried",)
    assert "   ! Ethernet1 vrf A: not tried\n" in made.files["leaf1.cfg"]


def test_an_implied_field_is_settled(tmp_path: Path) -> None:
    text = PORTS + '{{ implied(p, "vrf") }}\n{% endfor %}'
    assert printed(tmp_path, text, device(vrf="A")).left == ()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{{ p.description }}", "'up\\n shutdown' is not one line of printable text"),
        ("{{ p.lag }}", "a value is missing in this line"),
        ("{{ p.mtu }}", "'roce_lint.model.interface.Interface object' has no attribute 'mtu'"),
        ("{{ p.__class__ }}", "access to attribute '__class__' of 'Interface' object is unsafe."),
        ("{{ p.at.clear() }}", "access to attribute 'clear' of 'dict' object is unsafe."),
        ("{% include '../../secret' %}", "../../secret"),
        ("{{ 1 / 0 }}", "ZeroDivisionError: division by zero"),
        ("{{ 'a' ~ '\\x1b' }}", "'a\\x1b' is not one line of printable text"),
        ("{{ 1 | nothing }}", "No filter named 'nothing'."),
        ("{% if %}", "Expected an expression, got 'end of statement block'"),
    ],
)
def test_a_failing_template_is_refused(tmp_path: Path, line: str, message: str) -> None:
    made = device(description="up\n shutdown")
    with pytest.raises(RenderError) as caught:
        printed(tmp_path, f"{PORTS}{line}\n{{% endfor %}}", made)
    assert message in str(caught.value)


def test_a_value_with_a_line_break_is_refused_in_a_macro_too(tmp_path: Path) -> None:
    text = "{% macro m(p) %}{{ p.description }}{% endmacro %}{% for p in d.interfaces.values() %}"
    with pytest.raises(RenderError, match="not one line"):
        printed(tmp_path, text + "{{ m(p) }}{% endfor %}", device(description="a\nb"))


def test_the_name_of_the_template_and_its_line_are_named(tmp_path: Path) -> None:
    with pytest.raises(RenderError) as caught:
        printed(tmp_path, '{% include "port.j2" %}', device(), port="a\n{{ 1 / 0 }}\n")
    assert str(caught.value.location) == "templates/eos/render/port.j2:2"


def site(tmp_path: Path, **templates: str) -> RenderedFiles:
    """A leaf with templates of a site."""
    folder = tmp_path / "site" / "eos"
    folder.mkdir(parents=True)
    for name, text in templates.items():
        (folder / f"{name}.j2").write_text(text)
    return render(all_nos()["eos"], RenderRequest(device(), templates=folder.parent))


def test_a_template_of_the_site_replaces_one(tmp_path: Path) -> None:
    made = site(tmp_path, device="hostname {{ d.hostname }}\nbanner motd none\n")
    assert "hostname leaf1\nbanner motd none\n" in made.files["leaf1.cfg"]
    assert "interface Ethernet1\n" in made.files["leaf1.cfg"]


def test_a_template_that_does_not_end_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("roce_lint.nos.printer.SECONDS", 0.2)
    loop = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
    with pytest.raises(RenderError, match="took more than"):
        site(tmp_path, device=loop)


def test_a_template_cannot_fill_the_memory(tmp_path: Path) -> None:
    with pytest.raises(RenderError):
        site(tmp_path, device="{{ 'a' * 9999999999 }}")


def test_a_system_without_templates_is_refused() -> None:
    nos = replace(all_nos()["eos"], printing=None)
    with pytest.raises(RenderError, match="Arista EOS is designed, and not printed yet"):
        render(nos, RenderRequest(device()))
