"""Rollouts are made: each once, whatever breaks off; judged while others are sampled; none of our failures is wrong."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoModelForCausalLM, PreTrainedTokenizerBase

from judge import Verdict
from tests.containers.conformance.test_lifecycle import ended
from tests.processes import descendants
from tests.trainer_adapter.endpoint import Endpoint, serve
from tests.trainer_adapter.runs import Configure
from trainer_adapter.commands.main import main
from trainer_adapter.rewards.shared_judge import Settings, SharedJudge
from trainer_adapter.rollouts.making.local import LocalSampler
from trainer_adapter.rollouts.making.pipeline import RolloutJudging, roll_out
from trainer_adapter.rollouts.making.requests import How, SampledText, SampleRequest, Task, make_requests
from trainer_adapter.rollouts.row import Rollout, read
from trainer_adapter.training import train

ROOT = Path(__file__).resolve().parents[3]
_SUM = "a, b = map(int, input().split())\nprint(a {} b)\n"
_SECONDS = 120


def fenced(program: str) -> str:
    return f"So:\n```python\n{program}```\n"


def answer(request: dict[str, Any]) -> tuple[int, str]:
    """Right, wrong, or none, by the seed alone."""
    seed = request["seed"]
    return 200, (fenced(_SUM.format("+")), fenced(_SUM.format("-") + f"# {seed}\n"), "I do not know.")[seed % 3]


@pytest.fixture
def judge() -> Iterator[SharedJudge]:
    found = SharedJudge(Settings(language="python3", slots=2, all_tests=True))
    yield found
    found.close()


def arguments(url: str, output: Path, *more: str) -> list[str]:
    asked = ["--endpoint", url, "--model", "m", "--language", "python3", "--only", "P1001"]
    return ["rollout", "-o", str(output), *asked, *more]


def rows(path: Path) -> dict[str, tuple[str, Verdict | None]]:
    found = list(read(path))
    assert len({row.id for row in found}) == len(found)
    return {str(row.id): (row.completion, row.verdict) for row in found}


def test_an_endpoint_is_sampled_and_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "rollouts.jsonl"
    with serve(answer) as endpoint:
        assert main(arguments(endpoint.url, output, "-n", "9", "--workers", "3", "--temperature", "0.5")) == 0
        assert endpoint.most_at_once <= 3
        assert {(each["temperature"], each["max_tokens"], each["model"]) for each in endpoint.requests} == {
            (0.5, 1024, "m")
        }
        assert len({each["seed"] for each in endpoint.requests}) == 9
    found = list(read(output))
    assert {row.id for row in found} == {f"P1001#{sample}" for sample in range(9)}
    for row in found:
        right, none = "+ b" in row.completion, "know" in row.completion
        assert row.verdict is (Verdict.AC if right else Verdict.CE if none else Verdict.WA)
        assert (row.tokens, row.truncated, row.tags) == (7, False, ("arithmetic",))
        assert row.judgement is not None
        assert row.judgement["id"] == row.id
    said = capsys.readouterr().out
    accepted = sum(row.accepted for row in found)
    assert f"9 rows, {accepted} accepted" in said
    assert "spent waiting for the judge" in said


def test_a_failed_request_is_lost_and_never_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def broken(request: dict[str, Any]) -> tuple[int, str]:
        return answer(request) if request["seed"] % 2 else (400, "no such luck")

    output = tmp_path / "rollouts.jsonl"
    with serve(broken) as endpoint:
        assert main(arguments(endpoint.url, output, "-n", "8")) == 1
    lost = [row for row in read(output) if row.verdict is None]
    assert 0 < len(lost) < 8
    assert all(row.score is None and "no such luck" in str(row.error) for row in lost)
    capsys.readouterr()
    assert main(["eval", str(output), "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["not_judged"] == len(lost)


def test_a_request_that_fails_for_now_is_tried_again(tmp_path: Path) -> None:
    refused = set[int]()

    def busy(request: dict[str, Any]) -> tuple[int, str]:
        if request["seed"] in refused:
            return answer(request)
        refused.add(request["seed"])
        return 503, "later"

    with serve(busy) as endpoint:
        assert main(arguments(endpoint.url, tmp_path / "out.jsonl", "-n", "3")) == 0


def test_other_settings_are_refused_and_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "rollouts.jsonl"
    with serve(answer) as endpoint:
        assert main(arguments(endpoint.url, output)) == 0
        before = output.read_bytes()
        assert main(arguments(endpoint.url, output, "--temperature", "0.3", "--seed", "4")) == 2
        said = capsys.readouterr().err
        assert "sampling.seed is 0 there, and 4 now; sampling.temperature is 1.0 there, and 0.3 now" in said
        assert main(arguments(endpoint.url, output, "--workers", "2")) == 0  # nothing that decides a row
        assert output.read_bytes() == before
        assert len(endpoint.requests) == 1
        Path(f"{output}.settings.json").unlink()
        assert main(arguments(endpoint.url, output)) == 2
        assert "does not say what" in capsys.readouterr().err


def test_a_torn_line_is_repaired(tmp_path: Path) -> None:
    output = tmp_path / "rollouts.jsonl"
    with serve(answer) as endpoint:
        assert main(arguments(endpoint.url, output, "-n", "4")) == 0
        whole, known = output.read_bytes(), rows(output)
        output.write_bytes(whole[:-20])
        assert main(arguments(endpoint.url, output, "-n", "4")) == 0
        assert len(endpoint.requests) == 5
    assert rows(output) == known


def slowly(request: dict[str, Any]) -> tuple[int, str]:
    time.sleep(0.05)
    return answer(request)


def broken_off(endpoint: Endpoint, output: Path, number: signal.Signals) -> tuple[int, str, set[int]]:
    """The exit code, and what was said, of a run that gets a signal when some rows are written."""
    argv = [sys.executable, "-m", "trainer_adapter", *arguments(endpoint.url, output, "-n", "40", "--workers", "2")]
    with subprocess.Popen(argv, cwd=ROOT, stderr=subprocess.PIPE, text=True) as run:
        try:
            while not output.exists() or output.read_bytes().count(b"\n") < 8:
                assert run.poll() is None, run.communicate()[1]
                time.sleep(0.01)
            launched = descendants(run.pid)
            run.send_signal(number)
            _, said = run.communicate(timeout=_SECONDS)
        finally:
            run.kill()
    return run.returncode, said, launched


@pytest.mark.parametrize(
    "number", [signal.SIGKILL, signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.long)]
)
def test_a_run_that_is_broken_off_goes_on_to_the_same_rows(tmp_path: Path, number: signal.Signals) -> None:
    output, whole = tmp_path / "rollouts.jsonl", tmp_path / "whole.jsonl"
    with serve(slowly) as endpoint:
        code, said, launched = broken_off(endpoint, output, number)
        assert 8 <= output.read_bytes().count(b"\n") < 40
        if number is not signal.SIGKILL:
            assert code == {signal.SIGTERM: 143, signal.SIGINT: 130}[number]
            assert "of 40 rows are in" in said
            assert "Traceback" not in said
            assert all(map(ended, launched))
        assert main(arguments(endpoint.url, output, "-n", "40")) == 0
        assert main(arguments(endpoint.url, whole, "-n", "40")) == 0
    assert len(rows(output)) == 40
    assert rows(output) == rows(whole)


class Scripted:
    """A sampler that says these texts."""

    def __init__(self, texts: Iterable[SampledText], before: Callable[[int], object] = lambda _: None) -> None:
        self.texts, self.before = iter(texts), before

    def sample(self, requests: Iterable[SampleRequest]) -> Iterator[tuple[SampleRequest, SampledText]]:
        for number, request in enumerate(requests):
            self.before(number)
            yield request, next(self.texts)


def sums(count: int) -> list[SampledText]:
    return [SampledText(text=fenced(_SUM.format("+") + f"# {number}\n")) for number in range(count)]


TASK = Task(problem="P1001", prompt=[{"role": "user", "content": "a + b"}])
HOW = RolloutJudging(language="python3")


def test_rows_are_judged_while_others_are_sampled(judge: SharedJudge) -> None:
    """The second completion is sampled only when the first is judged."""
    first = threading.Event()
    found: list[Rollout] = []

    def write(row: Rollout) -> None:
        found.append(row)
        first.set()

    def before(number: int) -> None:
        assert not number or first.wait(_SECONDS)

    timing = roll_out(make_requests([TASK], 2), Scripted(sums(2), before), judge, write, HOW)
    assert [row.verdict for row in found] == [Verdict.AC, Verdict.AC]
    assert (timing.rows, timing.accepted, timing.not_judged) == (2, 2, 0)
    assert 0 < timing.judging_s <= timing.wall_s


def test_the_sampler_waits_where_the_judge_is_slower(judge: SharedJudge) -> None:
    found: list[Rollout] = []
    ahead: list[int] = []
    sampler = Scripted(sums(12), lambda number: ahead.append(number - len(found)))
    how = RolloutJudging(language="python3", window=2)
    timing = roll_out(make_requests([TASK], 12), sampler, judge, found.append, how)
    assert len(found) == 12
    assert max(ahead) <= 2
    assert timing.waiting_s > 0


def test_a_failed_write_ends_it_and_nothing_follows(judge: SharedJudge) -> None:
    written: list[Rollout] = []

    def full(row: Rollout) -> None:
        written.append(row)
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        roll_out(make_requests([TASK], 6), Scripted(sums(6)), judge, full, HOW)
    assert len(written) == 1


def test_a_judge_of_which_nothing_comes_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    stuck = SharedJudge(Settings(language="python3", slots=1, deadline_s=0.2))
    batch = stuck.batch()
    monkeypatch.setattr(type(batch), "submit", lambda *_: __import__("concurrent.futures").futures.Future())
    found: list[Rollout] = []
    timing = roll_out(make_requests([TASK], 2), Scripted(sums(2)), stuck, found.append, HOW)
    assert timing.not_judged == 2
    assert all(row.verdict is None and "no judgement ended" in str(row.error) for row in found)
    stuck.close()


def test_a_lone_surrogate_and_tests_in_the_row(judge: SharedJudge) -> None:
    tests = json.dumps([{"input": "1 2\n", "output": "3\n"}])
    task = Task(problem="../a/b", prompt=TASK.prompt, tests=tests)
    found: list[Rollout] = []
    texts = [SampledText(text=f"\ud800 {fenced(_SUM.format('+'))}")]
    roll_out(make_requests([task], 1), Scripted(texts), judge, found.append, HOW)
    (row,) = found
    assert (row.verdict, row.problem, row.completion[0]) == (Verdict.AC, "../a/b", "\ufffd")
    assert row.line().encode()


@pytest.fixture(scope="module")
def model(model_directory: Path) -> Any:
    return AutoModelForCausalLM.from_pretrained(model_directory, dtype=torch.float32)


def texts(sampler: LocalSampler, wanted: Iterable[SampleRequest]) -> dict[str, SampledText]:
    return {request.id: text for request, text in sampler.sample(wanted)}


def test_the_seed_of_a_request_decides_its_completion(model: Any, tokenizer: PreTrainedTokenizerBase) -> None:
    """Whatever stands beside it, and in whatever order."""
    tasks = [Task(problem=f"P{n}", prompt=[{"role": "user", "content": "print " * n}]) for n in range(1, 4)]
    how = How(temperature=1.0, max_tokens=12, seed=3)
    wanted = list(make_requests(tasks, 4))
    together = texts(LocalSampler(model, tokenizer, how, 12), wanted)
    assert texts(LocalSampler(model, tokenizer, how, 5), wanted[::-1]) == together
    assert len({each.text for each in together.values()}) > 6
    other = texts(LocalSampler(model, tokenizer, How(temperature=1.0, max_tokens=12, seed=4), 12), wanted)
    assert sum(other[name] != together[name] for name in other) > 6
    torch.manual_seed(5)
    before = torch.random.get_rng_state()
    texts(LocalSampler(model, tokenizer, how), wanted[:1])
    assert torch.equal(torch.random.get_rng_state(), before)  # training's dice are untouched


def test_tokens_are_drawn_as_often_as_the_model_says(model: Any, tokenizer: PreTrainedTokenizerBase) -> None:
    prompt = TASK.prompt
    words = tokenizer.apply_chat_template(prompt, add_generation_prompt=True, tokenize=False)
    with torch.no_grad():
        logits = model(**tokenizer(words, return_tensors="pt", add_special_tokens=False)).logits[0, -1].float()
    for how in (How(temperature=0.25, max_tokens=1), How(temperature=0.25, top_p=0.3, max_tokens=1)):
        shares = (logits / how.temperature).softmax(-1)
        if how.top_p < 1:
            ordered, places = shares.sort(descending=True)
            kept = places[ordered.cumsum(0) - ordered < how.top_p]
            shares = torch.zeros_like(shares).index_put((kept,), shares[kept]) / shares[kept].sum()
        drawn = texts(LocalSampler(model, tokenizer, how, 500), make_requests([TASK], 2000))
        best = int(shares.argmax())
        word, share = tokenizer.decode([best], skip_special_tokens=True), float(shares[best])
        same = [n for n in range(len(shares)) if tokenizer.decode([n], skip_special_tokens=True) == word]
        share = float(shares[same].sum())
        often = sum(each.text == word for each in drawn.values()) / len(drawn)
        assert abs(often - share) < 4 * (share * (1 - share) / len(drawn)) ** 0.5 + 1e-3


def test_greedy_is_what_transformers_says(model: Any, tokenizer: PreTrainedTokenizerBase) -> None:
    words = tokenizer.apply_chat_template(TASK.prompt, add_generation_prompt=True, tokenize=False)
    given = tokenizer(words, return_tensors="pt", add_special_tokens=False)
    made = model.generate(**given, do_sample=False, max_new_tokens=10)[0, given["input_ids"].shape[1] :]
    (found,) = texts(
        LocalSampler(model, tokenizer, How(temperature=0, max_tokens=10)), make_requests([TASK], 1)
    ).values()
    assert found.text == tokenizer.decode(made, skip_special_tokens=True)
    assert (found.tokens, found.truncated) == (10, True)


def test_a_model_in_this_process_is_sampled_and_goes_on(model_directory: Path, tmp_path: Path) -> None:
    """Half of the rows are lost, and come again as they were."""
    output = tmp_path / "rollouts.jsonl"
    argv = ["rollout", "-o", str(output), "--model", str(model_directory), "-n", "3", "--problems", "4"]
    argv += ["--max-tokens", "6", "--batch-size", "4"]
    assert main(argv) == 0
    known, lines = rows(output), output.read_bytes().splitlines(keepends=True)
    assert len(known) == 12
    output.write_bytes(b"".join(lines[::2]))
    assert main(argv) == 0
    assert rows(output) == known


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        ([], "which model?"),
        (["--model", "m", "--endpoint", "127.0.0.1"], "is no http address"),
        (["--model", "m", "--endpoint", "http://x", "--adapter", "."], "an endpoint knows its adapters"),
        (["--model", "m", "--held-out"], "need --config"),
    ],
)
def test_what_cannot_be_meant(tmp_path: Path, argv: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rollout", "-o", str(tmp_path / "out.jsonl"), *argv]) == 2
    assert words in capsys.readouterr().err


def test_two_problems_of_one_name_are_refused(judge: SharedJudge) -> None:
    with pytest.raises(Exception, match="two problems of the data are called 'P1001'"):
        roll_out(make_requests([TASK, TASK], 1), Scripted(sums(2)), judge, lambda _: None, HOW)


def test_an_adapter_of_a_run_is_sampled_as_its_configuration_says(
    configure: Configure, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Greedy completions of the trained model, and of the base without the adapter."""
    config = configure(grpo={"max_steps": 2, "learning_rate": 2.0, "save_strategy": "no"})
    trainer = train.train(config)
    words, (row, *_) = trainer.processing_class, trainer.train_dataset
    task = Task(problem=row["problem_id"], prompt=row["prompt"])
    sampler = LocalSampler(trainer.model, words, How(temperature=0, max_tokens=4))
    (expected,) = texts(sampler, make_requests([task], 1)).values()
    path = str(config.run.directory / "record" / "config.yaml")
    found = {}
    for name, more in {"base": [], "adapted": ["--adapter", str(config.run.directory)]}.items():
        output = tmp_path / f"{name}.jsonl"
        asked = ["--config", path, "--temperature", "0", "--only", task.problem, "--no-judgements", *more]
        assert main(["rollout", "-o", str(output), *asked]) == 0
        (one,) = read(output)
        assert one.judgement is None
        found[name] = one.completion
    assert found["adapted"] == expected.text
    assert found["base"] != found["adapted"]
    assert main(["rollout", "-o", str(tmp_path / "x.jsonl"), "--config", path, "--adapter", str(tmp_path)]) == 2
    assert "holds no adapter" in capsys.readouterr().err
