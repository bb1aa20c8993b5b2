"""Packages that clients send: what is none is refused, and leaves nothing."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from problems.files import parcel
from tests.conftest import MakePackage
from tests.judge.server.conftest import Server
from tests.judge.server.test_v1 import judged
from tests.trainer_adapter.programs import CASES, METADATA, RIGHT

UNKNOWN = "0" * 64


def zipped(**files: str) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return content.getvalue()


def linked() -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        entry = zipfile.ZipInfo("problem.yaml")
        entry.external_attr = 0o120777 << 16
        archive.writestr(entry, "/etc/passwd")
    return content.getvalue()


def test_a_package_is_judged_on_by_its_digest(server: Server, package: MakePackage) -> None:
    path = package(CASES, metadata=METADATA, name="sum")
    digest = parcel.digest(path)
    where = f"/v1/packages/{digest}"
    assert server.client.get(where).status_code == 404
    for _ in range(2):  # again: nothing changes
        sent = server.client.put(where, params={"name": "sum"}, content=parcel.pack(path))
        assert sent.json() == {"problem": f"package:{digest}"}
    assert server.client.get(where).status_code == 200
    assert judged(server, RIGHT, problem=f"package:{digest}", language="c17")["verdict"] == "AC"
    row = f'{{"problem": "package:{digest}", "source": "x"}}'
    assert server.client.post("/v1/batches", content=row).status_code == 201


@pytest.mark.parametrize(
    ("content", "name", "said"),
    [
        (b"", "sum", "no zip file"),
        (b"PK\3\4 and nothing more", "sum", "no zip file"),
        (zipped(**{"../../escape": "x"}), "sum", "escape"),
        (zipped(**{"/etc/passwd": "x"}), "sum", "passwd"),
        (linked(), "sum", "link"),
        (zipped(**{"problem.yaml": "name: x\n"}), "sum", ""),
        (zipped(**{"problem.yaml": "x"}), "..", "name"),
        (zipped(**{"problem.yaml": "x"}), "a/b", "name"),
        (b"PK\3\4 and nothing more", "sum.zip", "zip"),
    ],
)
def test_what_is_no_package(server: Server, content: bytes, name: str, said: str) -> None:
    answer = server.client.put(f"/v1/packages/{UNKNOWN}", params={"name": name}, content=content)
    assert answer.status_code == 422, answer.text
    assert said in answer.text
    assert server.client.get(f"/v1/packages/{UNKNOWN}").status_code == 404


def test_another_digest_than_its_own(server: Server, package: MakePackage, tmp_path: Path) -> None:
    """Else who sends first would choose the tests of who sends later."""
    path = package(CASES, metadata=METADATA, name="sum")
    answer = server.client.put(f"/v1/packages/{UNKNOWN}", params={"name": "sum"}, content=parcel.pack(path))
    assert answer.status_code == 422
    assert "digest" in answer.json()["error"]


def test_an_unknown_package(server: Server) -> None:
    sent = {"source": RIGHT, "language": "c17", "problem": f"package:{UNKNOWN}"}
    answer = server.client.post("/v1/judgements", json=sent)
    assert answer.status_code == 422
    assert answer.json()["where"] == ["body", "problem"]
    assert server.client.post("/v1/judgements", json=sent | {"problem": "package:../x"}).status_code == 422
    row = f'{{"problem": "package:{UNKNOWN}", "source": "x"}}'
    assert server.client.post("/v1/batches", content=row).status_code == 422
