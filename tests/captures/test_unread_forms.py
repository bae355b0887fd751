"""Text in the formats of other programs: reported with the form to save instead, never checked."""

from __future__ import annotations

import base64
import gzip
import io
import json
import quopri
import time
import zipfile
from pathlib import Path

import pytest

from roce_lint.loading.decode import decode
from roce_lint.loading.forms import form_of_text
from roce_lint.pipeline import Request, run
from roce_lint.settings import Settings
from tests.captures.bases import BASES
from tests.captures.test_matrix import findings_of, judged, model, put

EOS = BASES["eos"].text
MAIL = "From: a@b\nTo: c@d\nSubject: leaf1\nMIME-Version: 1.0\nContent-Transfer-Encoding: {}\n\n{}"


def office(name: str) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr(name, f"<w:t>{EOS}</w:t>")
    return data.getvalue()


def page(begin: str, end: str) -> str:
    lines = "".join(f"{begin}{line}{end}" for line in EOS.split("\n"))
    return f"<!DOCTYPE html>\n<html><head><title>leaf1</title></head><body>{lines}</body></html>"


PORTS = {"interface": [{"name": "Ethernet1", "config": {"name": "Ethernet1", "mtu": 9214}}]}
UNREAD: dict[str, tuple[str | bytes, str]] = {
    "PDF": (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n" + bytes(range(256)) * 9, "PDF"),
    "PDF of text": (f"%PDF-1.4\n1 0 obj\n{EOS}", "PDF"),
    "PNG": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)) * 4, "picture"),
    "JPEG": (b"\xff\xd8\xff\xe0\0\x10JFIF" + bytes(range(256)) * 4, "picture"),
    "Word": (office("word/document.xml"), "office"),
    "Excel": (office("xl/workbook.xml"), "office"),
    "old Word": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500), "office"),
    "SQLite": (b"SQLite format 3\0" + bytes(500), "SQLite"),
    "RTF": ("{\\rtf1\\ansi {\\fonttbl}\n" + EOS.replace("\n", "\\par\n") + "}", "RTF"),
    "base64": (base64.encodebytes(EOS.encode()), "base64"),
    "base64 on one line": (base64.b64encode(EOS.encode()), "base64"),
    "base64 of gzip": (base64.encodebytes(gzip.compress(EOS.encode())), "base64"),
    "gzip in gzip": (gzip.compress(gzip.compress(EOS.encode())), "packed"),
    "PGP": ("-----BEGIN PGP MESSAGE-----\n\nhQEMA\n=abcd\n-----END PGP MESSAGE-----\n", "PGP"),
    "a vault": ("$ANSIBLE_VAULT;1.1;AES256\n" + f"{'6' * 80}\n" * 20, "Ansible"),
    "OpenSSL": (b"Salted__" + bytes(range(256)) * 5, "encrypted"),
    "SOPS": (json.dumps({"hostname": "ENC[AES256_GCM,data:abc]", "sops": {"kms": []}}), "SOPS"),
    "a page of rows": (page("<tr><td>", "</td></tr>"), "HTML"),
    "a page of lines": (page('<div class="line">', "</div>"), "HTML"),
    "a page to log in": ("<html><head><title>Sign in</title></head></html>", "HTML"),
    "OpenConfig": (json.dumps({"openconfig-interfaces:interfaces": PORTS}), "OpenConfig"),
    "OpenConfig without modules": (json.dumps({"interfaces": PORTS}, indent=1), "OpenConfig"),
    "OpenConfig in XML": (
        '<data xmlns="urn:ietf:params:xml:ns:netconf:base:1.0"><interfaces xmlns="oc"/></data>',
        "NETCONF",
    ),
    "gNMI": (json.dumps([{"timestamp": 1, "updates": [{"Path": "a", "values": {}}]}]), "gNMI"),
    "gNMI as text": ("notification: {\n  timestamp: 17\n  update: {\n  }\n}\n", "gNMI"),
    "NX-OS in JSON": (json.dumps({"nf:filter": {"m:configure": {"m:terminal": {}}}}), "NX-OS"),
    "NX-OS in XML": (
        '<?xml version="1.0"?>\n<nf:reply xmlns:nf="urn:ietf:params:xml:ns:netconf:base:1.0">\n',
        "NETCONF",
    ),
    "tables": (json.dumps({"TABLE_interface": {"ROW_interface": []}}), "JSON"),
    "an API": (json.dumps({"jsonrpc": "2.0", "id": 1, "result": [{"interfaces": {}}]}), "API"),
    "XML": ('<?xml version="1.0"?>\n<Response MajorVersion="1"><Get/></Response>', "XML"),
    "lines below a level": (
        "set mtu 9216\nset unit 0 family inet mtu 9170\nset description x\n", "relative",
    ),
    "a session of those": (
        "netops@leaf4# show interfaces et-0/0/0 | display set relative\nset mtu 9216\n", "relative",
    ),
    "a JSON patch": (json.dumps([{"op": "add", "path": "/PORT/x", "value": "1"}]), "patch"),
    "a difference": (
        "--- leaf1.cfg\t2026-11-20\n+++ leaf1.cfg\t2026-11-21\n@@ -10,6 +10,7 @@\n"
        + "".join(f" {line}\n" for line in EOS.split("\n")), "a diff",
    ),
    "a pointer": ("version https://git-lfs.github.com/spec/v1\noid sha256:4d\nsize 1\n", "LFS"),
    "a mail in base64": (MAIL.format("base64", base64.encodebytes(EOS.encode()).decode()), "mail"),
    "a quoted mail": (
        MAIL.format("quoted-printable", quopri.encodestring(EOS.encode()).decode()), "mail",
    ),
    "a failure": ("% Invalid input detected at '^' marker.\n", "an error message"),
    "no connection": ("ssh: connect to host leaf1 port 22: Connection timed out\n", "an error message"),
}  # fmt: skip


@pytest.mark.parametrize("form", UNREAD)
def test_a_form_that_is_not_read_is_told_and_the_answer_is_incomplete(
    form: str, tmp_path: Path
) -> None:
    content, word = UNREAD[form]
    path = tmp_path / "leaf1.cfg"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    report = judged(path)
    assert report.devices == []
    (said,) = [entry for entry in report.diagnostics if entry.incomplete]
    assert word in said.message
    assert any(
        what in said.message for what in ("save", "decrypt", "decode", "fetch", "unpack", "collect")
    )


@pytest.mark.parametrize("form", ["PNG", "a page to log in", "SOPS", "XML", "a failure"])
def test_such_a_file_that_nobody_named_is_passed_over_with_the_reason(
    form: str, tmp_path: Path
) -> None:
    content, word = UNREAD[form]
    path = tmp_path / "other.dat"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    put(tmp_path, EOS)
    report = run(Request((str(tmp_path),), jobs=1, cache=False), Settings())
    assert [entry for entry in report.diagnostics if entry.incomplete] == []
    assert any(word in entry.reason for entry in report.skipped)


@pytest.mark.parametrize("coding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("base", ["eos", "sonic", "junos set"])
def test_wide_characters_are_read_with_and_without_a_mark(
    base: str, coding: str, tmp_path: Path
) -> None:
    text = BASES[base].text
    plain, findings = model(put(tmp_path, text)), findings_of(judged(put(tmp_path, text)))
    path = tmp_path / "capture.txt"
    path.write_bytes(text.encode(coding))
    assert model(path) == plain
    assert findings_of(judged(path)) == findings


@pytest.mark.parametrize("data", [b"\0" * 100, b"a\0" * 4 + bytes(range(256)) * 9, b"\0a\0\0" * 9])
def test_noise_is_no_text_of_wide_characters(data: bytes) -> None:
    assert decode(data).text is None


@pytest.mark.deep
@pytest.mark.parametrize(
    "text",
    ["a" * 200_000 + "!", "set x\n" * 100_000 + "!", "A: b\n" * 100_000, "{" + '"a": {' * 50_000,
     "%" * 200_000, "<" * 200_000, "--- a\n" * 50_000, "^\n" * 100_000],
)  # fmt: skip
def test_a_form_is_recognised_in_little_time(text: str) -> None:
    begin = time.process_time()
    form_of_text(text)
    assert time.process_time() - begin < 2


def test_a_prompt_in_angles_is_no_document(tmp_path: Path) -> None:
    (said,) = judged(put(tmp_path, "<leaf1>display clock\n08:11:43\n<leaf1>\n")).diagnostics
    assert "XML" not in said.message


@pytest.mark.parametrize("base", BASES)
def test_no_configuration_is_taken_for_one(base: str) -> None:
    assert form_of_text(BASES[base].text, quotes=True) == ""
