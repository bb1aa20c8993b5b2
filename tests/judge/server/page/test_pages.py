"""The pages over HTTP: who may see what, forms, lists."""

from __future__ import annotations

import html
import json
import re
import shutil
import time
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest

from judge.server.page.folding import fold_tests
from judge.server.page.wordings import say_detail
from problems.files import parcel
from tests.judge.server.conftest import Serve, Server
from tests.judge.server.page.conftest import RIGHT, WRONG, Guarded
from tests.packages import MINIMAL, write_files, write_package

ROOT = Path(__file__).resolve().parents[4]
TOKEN = re.compile(r'name="csrf" value="([0-9a-f]{64})"')


class Visitor(httpx.Client):
    """A browser without scripts."""

    def form(self, path: str, page: str = "/", **fields: str) -> httpx.Response:
        """Send a form of `page` with its token."""
        token = TOKEN.search(self.get(page, follow_redirects=True).text)
        assert token is not None
        return self.post(path, data={"csrf": token[1], **fields})

    def sign_in(self, key: str) -> httpx.Response:
        return self.form("/login", "/login", key=key)


@pytest.fixture
def visitor(server: Server) -> Iterator[Visitor]:
    with Visitor(base_url=server.client.base_url, timeout=60) as one:
        yield one


@pytest.fixture
def guest(guarded: Guarded) -> Iterator[Visitor]:
    with Visitor(base_url=guarded.url, timeout=60) as one:
        yield one


def test_headers(visitor: Visitor) -> None:
    for path in ("/", "/judgements", "/nowhere/at/all", "/judgements/nowhere"):
        headers = visitor.get(path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
        if "html" in headers["content-type"]:
            policy = headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "frame-ancestors 'none'" in policy
            assert "unsafe" not in policy
    sheet = re.search(r'href="(/static/page.css\?v=\w+)"', visitor.get("/").text)
    assert sheet is not None
    assert "immutable" in visitor.get(sheet[1]).headers["cache-control"]
    assert "no-store" in visitor.get("/").headers["cache-control"]


class _Loads(HTMLParser):
    """The addresses that a browser loads by itself, where links lead within the page, and where they may."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.within: set[str] = set()
        self.ids: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("src", "srcset", "data", "poster", "background") or (name == "href" and tag != "a"):
                self.addresses.append(value or "")
            elif name == "href" and value and value.startswith("#"):
                self.within.add(value[1:])
            elif name == "id":
                self.ids.add(value or "")


@pytest.mark.parametrize(
    "path",
    ["/", "/judgements", "/batches", "/problems", "/problems/P1001", "/machine", "/docs"],
)
def test_pages_load_nothing_from_elsewhere(visitor: Visitor, path: str) -> None:
    answer = visitor.get(path)
    assert answer.status_code == 200
    assert "default-src 'none'; script-src 'self';" in answer.headers["content-security-policy"]
    found = _Loads(answer.text)
    assert len(found.addresses) >= 3
    assert all(re.match(r"/(?!/)", address) for address in found.addresses), found.addresses
    assert found.within <= found.ids
    for address in found.addresses:
        assert not re.search(r"@import|url\((?!.?data:)|https?://(?!www\.w3\.org)", visitor.get(address).text), address


def test_the_editor_is_of_the_versions_that_are_named() -> None:
    """`npm run build` was not forgotten."""
    asked = json.loads((ROOT / "scripts/editor/package.json").read_text())["dependencies"]
    licences = (ROOT / "judge/server/page/static/editor-licences.txt").read_text()
    assert len(asked) > 10
    for name, version in asked.items():
        assert f"{name} {version} (MIT)\n" in licences


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_call_is_described(visitor: Visitor, language: str) -> None:
    text = visitor.get("/docs", headers={"accept-language": language}).text
    described = visitor.get("/openapi.json").json()
    for path, methods in described["paths"].items():
        for method in methods:
            assert f"<strong>{method.upper()}</strong> {path}</code>" in text
    for word in ("needed", "number") if language == "en" else ("必填",):
        assert word in text
    assert '<a href="#OptionsRequest">OptionsRequest</a>' in text
    assert "≤ 60" in text
    assert "first_failure" in text


def test_calls_are_described_to_whoever_has_no_key(guest: Visitor) -> None:
    answer = guest.get("/docs")
    assert (answer.status_code, "/v1/judgements" in answer.text) == (200, True)


def test_a_form_needs_its_token(visitor: Visitor) -> None:
    fields = {"problem": "P1001", "source": RIGHT, "language": "cpp17"}
    before = visitor.get("/judgements").text
    for csrf in (None, "", "0" * 64, "é", "\ud800"):
        sent = fields if csrf is None else {**fields, "csrf": csrf.encode("utf-8", "surrogatepass")}
        assert visitor.post("/", data=sent).status_code == 403
    token = TOKEN.search(visitor.get("/").text)
    assert token is not None
    visitor.cookies.clear()
    assert visitor.post("/", data={**fields, "csrf": token[1]}).status_code == 403, "the token is another visitor's"
    assert visitor.get("/judgements").text.count("<tr>") == before.count("<tr>")
    assert visitor.form("/", **fields).status_code == 303


def test_what_is_sent_as_multipart_with_too_much_in_it(visitor: Visitor) -> None:
    many = {f"field{n}": "x" for n in range(100)}
    assert visitor.form("/", **many).status_code in (303, 400, 403, 422)
    broken = {"content-type": "multipart/form-data; boundary=x"}
    assert visitor.post("/", content=b"--x\r\nnonsense", headers=broken).status_code in (400, 403)
    assert visitor.post("/", content=b'{"a": 1}', headers={"content-type": "application/json"}).status_code == 403


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"source": ""}, "choose a file"),
        ({"source": "x", "problem": "P10001"}, "unknown problem"),
        ({"source": "x", "problem": "../library/P1001"}, "/problems and /v1/problems list them"),
        ({"source": "x", "problem": f"package:{'0' * 64}"}, "unknown problem"),
        ({"source": "x", "problem": "x" * 500}, "at most 200"),
        ({"source": "x", "problem": "P1001", "language": "klingon"}, "unknown language"),
    ],
)
def test_wrong_fields(visitor: Visitor, fields: dict[str, str], said: str) -> None:
    answer = visitor.form("/", **fields)
    assert answer.status_code == 422
    assert said in answer.text


def test_lists_are_chosen_and_paged(server: Server, visitor: Visitor) -> None:
    rows = [{"source": f"print({n})", "problem": "P1001", "language": "python3"} for n in range(60)]
    rows = [{**row, "options": {"stop": "first_failure"}} for row in rows]
    ids = server.client.post("/v1/judgements/many", json=rows).json()["ids"]
    for one in ids:
        server.client.get(f"/v1/judgements/{one}", params={"wait": 60})
    seen, address = [], "/judgements?problem=P1001&language=python3&verdict=WA&since=hour"
    while True:
        text = visitor.get(address).text
        seen += re.findall(r'<a href="/judgements/([\w-]+)"><span class="verdict v-WA"', text)
        older = re.search(r'rel="next" href="([^"]+)"', text)
        if older is None:
            break
        address = "/judgements" + older[1].replace("&amp;", "&")
    assert [one for one in seen if one in ids] == ids[::-1]
    assert len(seen) == len(set(seen))
    newer = re.search(r'rel="prev" href="([^"]+)"', text)
    assert newer is not None
    back = visitor.get("/judgements" + newer[1].replace("&amp;", "&")).text
    assert len(re.findall(r'<a href="/judgements/([\w-]+)"><span', back)) == 25
    for path in ("?verdict=XX", "?problem=nosuch", "?language=klingon", f"?problem=nosuch{quote(chr(0))}"):
        answer = visitor.get(f"/judgements{path}")
        assert answer.status_code == 200
        assert "Nothing fits" in answer.text
    for path in ("?before=x", "?before=-1", f"?before={10**30}", f"?problem={'x' * 300}"):
        assert visitor.get(f"/judgements{path}").status_code == 422


def test_without_a_key_nothing_is_shown(guest: Visitor) -> None:
    for path in ("/", "/judgements", "/batches", "/problems", "/problems/P1001", "/machine", "/judgements/x/json"):
        answer = guest.get(path)
        assert (answer.status_code, answer.headers["location"]) == (303, f"/login?next={path}")
    assert guest.form("/", "/login", source=RIGHT, problem="P1001").status_code == 303
    assert guest.sign_in("wrong").status_code == 401
    assert guest.get("/").status_code == 303


@pytest.mark.parametrize("next_", ["//evil", "/\\evil", "https://evil", "javascript:x", "/a\r\nX: y", "/é"])
def test_signing_in_leads_nowhere_else(guarded: Guarded, next_: str) -> None:
    with Visitor(base_url=guarded.url) as guest:
        sent = guest.form("/login", "/login", key=guarded.keys["read"], next=next_)
        assert (sent.status_code, sent.headers["location"]) == (303, "/")
        assert guest.get("/language/en", params={"next": next_}).headers["location"] == "/"


def test_roles(guarded: Guarded) -> None:
    with Visitor(base_url=guarded.url, timeout=60) as submit, Visitor(base_url=guarded.url) as read:
        assert submit.sign_in(guarded.keys["submit"]).status_code == 303
        assert read.sign_in(guarded.keys["read"]).status_code == 303
        where = submit.form("/", source=WRONG, problem="P1001", language="cpp17").headers["location"]
        header = {"Authorization": f"Bearer {guarded.keys['submit']}"}
        guarded.server.client.get(f"/v1{where}", params={"wait": 60}, headers=header)
        shown = submit.get(where).text
        assert "v-WA" in shown
        assert "expected &#34;" not in shown
        assert '"stdout": "3\\n"' not in submit.get(f"{where}/json").text
        assert "expected" not in submit.get(f"{where}/events").text
        assert read.get(where).status_code == 404, "another key's"
        assert "has no role submit" in read.get("/").text
        assert read.form("/", source=RIGHT, problem="P1001").status_code == 403
        with Visitor(base_url=guarded.url) as admin:
            admin.sign_in(guarded.keys["admin"])
            assert "expected &#34;" in admin.get(where).text
            assert where in admin.get("/judgements").text
        assert where not in read.get("/judgements").text


def test_a_session_ends(guarded: Guarded) -> None:
    with Visitor(base_url=guarded.url) as guest:
        first = guest.get("/login").cookies["judge_session"]
        guest.sign_in(guarded.keys["submit"])
        kept = dict(guest.cookies)
        assert kept["judge_session"] != first, "one that somebody else may have set is not taken over"
        assert guest.get("/").status_code == 200
        assert guest.form("/logout").status_code == 303
        guest.cookies.update(kept)
        assert guest.get("/").status_code == 303


def test_a_session_ends_with_its_key_and_outlives_the_server(
    serve: Serve, tmp_path_factory: pytest.TempPathFactory
) -> None:
    from judge.server.guarding.keys import new_key

    directory = tmp_path_factory.mktemp("keys")
    (key, lines), (_, other) = new_key("one"), new_key("two")
    database = ("--database", str(directory / "kept.sqlite"), "--keys", str(directory / "keys.toml"))
    (directory / "keys.toml").write_text(lines + other)
    server = serve(*database)
    with Visitor(base_url=server.client.base_url) as guest:
        guest.sign_in(key)
        cookies = dict(guest.cookies)
    for kept, status in ((lines + other, 200), (other, 303)):
        server.stop()
        (directory / "keys.toml").write_text(kept)
        server = serve(*database)
        with Visitor(base_url=server.client.base_url, cookies=cookies) as guest:
            assert guest.get("/").status_code == status
    raw = (directory / "kept.sqlite").read_bytes()
    assert key.encode() not in raw
    assert cookies["judge_session"].encode() not in raw


def test_odd_requests(visitor: Visitor) -> None:
    for path in (
        "/judgements/%00",
        "/batches/%ff",
        "/problems/..%2f..",
        "/problems/%00",
        "/?again=%00",
        "/batches?before=x",
    ):
        assert visitor.get(path).status_code in (404, 422), path
    assert visitor.get("/batches?before=nan").status_code == 200
    assert visitor.get("/static/../look.py").status_code == 404
    assert visitor.get("/static/%2e%2e/look.py").status_code == 404
    assert visitor.get("/", headers={"cookie": b"judge_session=\xff; judge_language=xx"}).status_code == 200
    assert visitor.get("/", params={"problem": "x" * 20_000}).status_code == 200


def test_the_limits_of_a_key_hold_for_the_page(
    serve: Serve, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    from judge.server.guarding.keys import new_key

    directory = tmp_path_factory.mktemp("limited")
    key, lines = new_key("one")
    (directory / "keys.toml").write_text(lines + "requests_per_minute = 4\n")
    monkeypatch.setenv("JUDGE_SERVE_JUDGEMENT_SECONDS", "1")
    server = serve("--keys", str(directory / "keys.toml"))
    with Visitor(base_url=server.client.base_url) as guest:
        guest.sign_in(key)
        too_long = guest.form("/", problem="P1001", language="c17", source="x")
        assert (too_long.status_code, "one judgement may take" in too_long.text) == (422, True)
        answers = [guest.get("/judgements") for _ in range(2)]  # he signed in, the form was asked for, and sent
        assert [answer.status_code for answer in answers] == [200, 429]
        assert int(answers[-1].headers["retry-after"]) >= 1
        assert "may send 4 requests a minute" in answers[-1].text
        assert guest.sign_in(key).status_code == 429, "nor may he sign in again and again"


def test_addresses_take_turns_where_no_keys_are_asked_for(serve: Serve) -> None:
    server = serve("--slots", "1")

    def visit(number: int) -> Visitor:
        return Visitor(
            base_url=server.client.base_url,
            transport=httpx.HTTPTransport(local_address=f"127.0.1.{number}"),
            timeout=60,
        )

    with visit(1) as many, visit(2) as few:
        for number in range(30):
            sent = many.form("/", source=f"import time; time.sleep(2)#{number}", language="python3", problem="")
            assert sent.status_code == 303
        where = few.form("/", source="print(1)", language="python3", problem="").headers["location"]
        id_ = where.rsplit("/")[-1]
        ran = server.client.get(f"/v1/executions/{id_}", params={"wait": 60}).json()
        assert ran["execution"]["stdout"] == "1\n"
        assert server.client.get("/v1/limits").json()["waiting"] > 10, "the one did not wait for all of the other's"


def test_of_interactive_problems_the_conversation_is_shown(visitor: Visitor) -> None:
    page = visitor.get("/problems/guess").text
    assert "&lt;7\n&gt;? 4\n&lt;&gt;\n" in page
    assert ">7 5<" not in page and "7 5\n" not in page, "what the interactor alone reads"
    assert "of which 1 are samples" in page
    assert "20 30" in visitor.get("/problems/P1001").text


@pytest.mark.parametrize(
    ("detail", "chinese"),
    [
        ('line 1, token 2: expected "-13", got "3"', "第 1 行第 2 个词：期望“-13”，实际为“3”"),
        ('line 1, token 2: extra token "{0}"', "第 1 行第 2 个词：多出的词“{0}”"),
        ("output ends after 3 of 5 tokens", "输出只有 5 个词中的 3 个"),
        ("CPU time 1.200 s over the limit of 1.000 s", "CPU 时间 1.200 s，超出限制 1.000 s"),
        ("wall time over the limit of 2.000 s (CPU time 0.001 s)", "墙钟时间超出限制 2.000 s（CPU 时间 0.001 s）"),
        ("pass 2: exit code 3", "第 2 轮：退出码 3"),
        ("wrong answer 2nd numbers differ - expected: '3', found: '4'", "第 2 个数不同：期望“3”，实际为“4”"),
        ("wrong answer the path {rest} is broken", "答案错误：the path {rest} is broken"),
        ("over the time limit", "超出时间限制"),
        ("the checker's own words", "the checker's own words"),
    ],
)
def test_details_are_told_in_chinese(detail: str, chinese: str) -> None:
    assert say_detail(detail, "zh") == chinese
    assert say_detail(detail, "en") == detail


def test_what_classify_says_is_told_in_chinese() -> None:
    """A wording that was changed, or is new, has to be in the table, too."""
    for source in ("judge/ruling/classify.py", "judge/checkers/difference.py", "judge/judging/public.py"):
        text = (ROOT / source).read_text()
        said = re.findall(r"""(?:detail=|return |: )f?(["'])([a-z{][^\n]*? [^\n]*?)\1""", text)
        for _, wording in said:
            example = re.sub(r"\{[^{}]*\}", "7", wording.replace("{self.unit}", "token"))
            if example[0].isdigit() or example.startswith("line 7") or example.count("(") != example.count(")"):
                continue
            assert say_detail(example, "zh") != example, f"{source}: {example}"


def test_hostile_details_cost_little() -> None:
    began = time.process_time()
    for text in (
        'line 1: expected "' + '", got "' * 240,
        "wrong answer " * 150,
        "pass 1: " * 240,
        "used more than (" * 120,
    ):
        say_detail(text, "zh")
    assert time.process_time() - began < 1


def test_tests_are_folded_chosen_and_found() -> None:
    tests = [{"name": f"secret/{n:04}", "verdict": "WA" if n in (333, 777) else "AC"} for n in range(1, 1001)]
    all_ = fold_tests(tests, "", "")
    assert [(part.first, part.last) for part in all_.parts[:2]] == [(1, 50), (51, 100)]
    assert [part.first for part in all_.parts if part.open] == [301]
    assert all_.counts == {"AC": 998, "WA": 2}
    wrong = fold_tests(tests, "WA", "")
    assert [test["name"] for part in wrong.parts for test in part.tests] == ["secret/0333", "secret/0777"]
    found = fold_tests(tests, "", "0600")
    assert (found.found, found.wanted, [part.first for part in found.parts if part.open]) == (
        True,
        "secret/0600",
        [551],
    )
    assert not fold_tests(tests, "", "nowhere").found
    assert len(fold_tests(tests[:60], "", "").parts) == 1
    assert fold_tests([], "", "").parts == []


def test_whole_texts_are_given_as_text(server: Server, visitor: Visitor) -> None:
    source = "import sys\nsys.stdout.write(sys.stdin.read() * 2)\n"
    body = {"source": source, "language": "python3", "stdin": "<b>x</b>\n" * 1000}
    ran = server.client.post("/v1/executions?wait=60", json=body).headers["location"].rsplit("/", 1)[1]
    shown = visitor.get(f"/judgements/{ran}").text
    assert "The beginning of 8.8 KiB" in shown, "its input"
    assert "The beginning of 17.6 KiB" in shown, "its output"
    assert len(shown) < 30_000
    for what, text in (("source", source), ("stdin", body["stdin"]), ("stdout", body["stdin"] * 2)):
        answer = visitor.get(f"/judgements/{ran}/text/{what}")
        assert (answer.status_code, answer.text) == (200, text)
        assert answer.headers["content-type"] == "text/plain; charset=utf-8"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["content-disposition"].startswith("inline")
    saved = visitor.get(f"/judgements/{ran}/text/stdout?download=1")
    assert saved.headers["content-disposition"] == 'attachment; filename="stdout.txt"'
    for path in (
        f"/judgements/{ran}/text/request",
        "/judgements/nowhere/text/source",
        f"/judgements/{ran}/tests/input?test=x",
    ):
        assert visitor.get(path).status_code in (404, 422)
    assert visitor.get("/problems/P1001/samples/1/input").text == "20 30\n"
    for path in ("/problems/P1001/samples/9/input", "/problems/P1001/samples/0/input", "/problems/P1001/samples/1/x"):
        assert visitor.get(path).status_code == 404


def test_hidden_inputs_are_kept_from_keys_that_may_not_read(guarded: Guarded) -> None:
    with Visitor(base_url=guarded.url, timeout=60) as submit, Visitor(base_url=guarded.url) as admin:
        submit.sign_in(guarded.keys["submit"])
        admin.sign_in(guarded.keys["admin"])
        where = submit.form("/", source=WRONG, problem="P1001", language="cpp17").headers["location"]
        hidden, sample = f"{where}/tests/input?test=secret/04-both-negative", f"{where}/tests/answer?test=sample/1"
        assert (submit.get(hidden).status_code, submit.get(sample).text) == (404, "50\n")
        assert len(admin.get(hidden).text.split()) == 2
        with Visitor(base_url=guarded.url) as other:
            other.sign_in(guarded.keys["read"])
            assert other.get(sample).status_code == 404, "another key's"


def test_lists_fold_batches_and_name_packages(server: Server, visitor: Visitor, tmp_path: Path) -> None:
    path = write_files(tmp_path / "adding", MINIMAL)
    name = f"package:{parcel.digest(path)}"
    sent = server.client.put(
        f"/v1/packages/{parcel.digest(path)}", params={"name": "adding"}, content=parcel.pack(path)
    )
    assert sent.json() == {"problem": name}
    body = {"problem": name, "source": RIGHT, "language": "cpp17"}
    judged = server.client.post("/v1/judgements?wait=60", json=body).headers["location"].rsplit("/", 1)[1]
    row = json.dumps({"problem": "P1001", "source": "print(41)", "language": "python3"}) + "\n"
    batch = server.client.post("/v1/batches", content=row * 5).json()["id"]
    with server.client.stream("GET", f"/v1/batches/{batch}/results?follow=true") as stream:
        assert len(list(stream.iter_lines())) == 5
    for page in ("/judgements", "/"):
        text = visitor.get(page).text
        assert text.count(f'href="/batches/{batch}"') == 2, "one line, and no other row of it"
        assert "5 rows, 5 ended" in text
        assert f'<a href="/problems/{quote(name)}">adding</a>' in text
    for query in ("rows=all", "language=python3"):
        assert batch not in visitor.get(f"/judgements?{query}").text, "its rows, each with a link to its judgement"
    shown = visitor.get(f"/judgements/{judged}").text
    assert f'<a href="/problems/{quote(name)}">adding</a> <span class="title">Sum</span>' in shown
    assert name[:20] not in re.sub(r'"[^"]*"', "", shown)
    assert "Sum" in visitor.get(f"/problems/{name}").text
    assert visitor.get(f"/problems/package:{'0' * 64}").status_code == 404


def test_raw_scores_are_shown(serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    validator = "import sys\nopen(sys.argv[3] + 'score.txt', 'w').write(sys.stdin.read())\nsys.exit(42)\n"
    files = {"output_validator/v.py": validator, "judge.yaml": "objective: {direction: min, best: 10}\n"}
    write_package(tmp_path / "problems" / "raw", {"secret/1": ("", "")}, metadata="type: scoring\n", files=files)
    monkeypatch.setenv("JUDGE_PROBLEMS", str(tmp_path / "problems"))
    client = serve().client
    asked = {"problem": "raw", "language": "python3", "source": "print(40)"}
    judged = client.post("/v1/judgements?wait=60", json=asked).json()
    assert (judged["judgement"]["raw_score"], judged["judgement"]["score"]) == (40.0, 0.25)
    page = client.get(f"/judgements/{judged['id']}").text
    assert "<dt>Raw score, less is better</dt><dd>40 (best 10)</dd>" in page


def test_a_judgement_of_a_problem_that_is_gone_is_shown(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_package(tmp_path / "problems" / "passing", {"secret/1": ("", "40\n")})
    monkeypatch.setenv("JUDGE_PROBLEMS", str(tmp_path / "problems"))
    client = serve().client
    asked = {"problem": "passing", "language": "python3", "source": "print(40)"}
    judged = client.post("/v1/judgements?wait=60", json=asked).json()
    shutil.rmtree(tmp_path / "problems" / "passing")
    time.sleep(1.1)  # for a second it is still known
    assert client.post("/v1/judgements", json=asked).status_code == 422
    for path in (f"/judgements/{judged['id']}", f"/judgements/{judged['id']}/text/source", f"/?again={judged['id']}"):
        shown = client.get(path)
        assert shown.status_code == 200, path
        assert "print(40)" in html.unescape(re.sub(r"<[^>]*>", "", shown.text)), path
