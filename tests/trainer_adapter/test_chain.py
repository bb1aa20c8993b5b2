"""From examples to preferences by the commands, as users call them. SFT raises pass@1, SFT on the model's own
accepted rollouts (RFT) raises it again, and DPO on judged pairs widens the margin. The judge judges every program."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
import yaml
from transformers import AutoModelForCausalLM

from judge import Judge, Options, Stop, Submission, Verdict
from judge.languages.extraction import extract
from tests.trainer_adapter.runs import on_examples
from trainer_adapter.commands.main import main
from trainer_adapter.demo import apprentice, corpus
from trainer_adapter.rollouts.row import Rollout
from trainer_adapter.training.model import tokenizer_of

#: How much of a course a form of the test takes.
SHORT = {"problems": ("P1001",), "lessons": 60, "steps": 10, "samples": 64}
LONG = {"problems": ("P1001", "P1046", "P1177"), "lessons": 120, "steps": 40, "samples": 256}


@dataclass
class Course:
    directory: Path
    judge: Judge
    problems: Sequence[str]
    samples: int

    def __post_init__(self) -> None:
        self.prompts = {name: [{"role": "user", "content": f"Solve {name}."}] for name in self.problems}
        self._verdicts: dict[tuple[str, str], Verdict] = {}

    def examples(self, skill: float, count: int) -> Path:
        dice, path = random.Random(1), self.directory / "examples.jsonl"
        author = corpus.Author(skill=skill)
        rows = ((name, author.write(name, dice)) for _ in range(count) for name in self.prompts)
        path.write_text(
            "".join(json.dumps({"prompt": self.prompts[name], "completion": text}) + "\n" for name, text in rows)
        )
        return path

    def train(self, kind: str, name: str, model: Path, source: Path, **how: Any) -> Path:
        """`judge-train sft` or `dpo`; returns the run's directory."""
        start = how.pop("start", None)
        config = on_examples(
            kind, model, source, self.directory / name,
            data={"source": str(source), "near_duplicates": None},
            adapter={"kind": "lora", "r": 16, "alpha": 32} | ({"start": str(start)} if start else {}),
            **{kind: {"max_length": 512, "save_steps": 1000, **how}},
        )  # fmt: skip
        path = self.directory / f"{name}.yaml"
        path.write_text(yaml.safe_dump(config.model_dump(mode="json", by_alias=True)))
        assert main([kind, str(path)]) == 0
        return self.directory / name

    def rollouts(self, model: Path, name: str) -> Path:
        """Sampled from the model, and judged."""
        torch.manual_seed(0)
        words, policy = tokenizer_of(str(model), None), AutoModelForCausalLM.from_pretrained(model)
        path = self.directory / f"{name}.jsonl"
        with path.open("w") as file:
            for problem, prompt in self.prompts.items():
                text = words.apply_chat_template(prompt, add_generation_prompt=True, tokenize=False)
                asked = words([text] * self.samples, return_tensors="pt")
                told = policy.generate(**asked, do_sample=True, top_k=0, max_new_tokens=24)[
                    :, asked.input_ids.shape[1] :
                ]
                for number, tokens in enumerate(told):
                    completion = words.decode(tokens, skip_special_tokens=True)
                    row = Rollout(
                        id=f"{problem}#{number}", problem=problem, sample=number, prompt=prompt, completion=completion,
                        language="cpp17", verdict=self.verdict(problem, completion),
                        truncated=words.eos_token_id not in tokens,
                    )  # fmt: skip
                    file.write(row.line())
        return path

    def verdict(self, problem: str, completion: str) -> Verdict:
        code = extract(completion).code
        if code is None:
            return Verdict.CE
        if (problem, code) not in self._verdicts:
            submission = Submission(source=code.encode(), problem=problem)
            found = self.judge.judge(submission, Options(stop=Stop.FIRST_FAILURE)).verdict
            assert found is not Verdict.IE
            self._verdicts[problem, code] = found
        return self._verdicts[problem, code]

    def merged(self, run: Path) -> Path:
        out = run.with_name(f"{run.name}-merged")
        assert main(["merge", str(run), "-o", str(out)]) == 0
        return out

    def pass_at_1(self, rollouts: Path) -> float:
        figures = rollouts.with_suffix(".eval.json")
        assert main(["eval", str(rollouts), "--json", str(figures)]) == 0
        found: float = json.loads(figures.read_bytes())["pass@1"]["mean"]
        return found


@pytest.mark.parametrize(
    "how", [pytest.param(SHORT, id="short"), pytest.param(LONG, id="long", marks=pytest.mark.long)]
)
def test_examples_then_own_rollouts_then_pairs(
    judges: Callable[..., Judge], tmp_path: Path, how: dict[str, Any]
) -> None:
    course = Course(tmp_path, judges(), how["problems"], how["samples"])
    base, steps = tmp_path / "base", how["steps"]
    apprentice.teach(corpus.Author(skill=0.7), course.prompts, base, steps=how["lessons"], seed=0)
    rates = [course.pass_at_1(course.rollouts(base, "before"))]

    examples = course.examples(0.95, 24)
    sft = course.train("sft", "sft", base, examples, max_steps=steps, learning_rate=3e-3)
    rollouts = course.rollouts(course.merged(sft), "after-sft")
    rates.append(course.pass_at_1(rollouts))

    accepted, pairs = tmp_path / "accepted.jsonl", tmp_path / "pairs.jsonl"
    assert main(["rft", str(rollouts), "-o", str(accepted)]) == 0
    assert main(["pairs", str(rollouts), "-o", str(pairs)]) == 0
    rft = course.train("sft", "rft", base, accepted, start=sft, max_steps=steps, learning_rate=2e-3)
    rates.append(course.pass_at_1(course.rollouts(course.merged(rft), "after-rft")))
    assert rates[0] + 0.1 < rates[1] < rates[2] - 0.1, rates

    dpo = course.train("dpo", "dpo", base, pairs, start=sft, max_steps=2 * steps, learning_rate=2e-3)
    last = dpo / "checkpoints" / f"checkpoint-{2 * steps}" / "trainer_state.json"
    history = json.loads(last.read_bytes())["log_history"]
    margins = [log["rewards/margins"] for log in history if "rewards/margins" in log]
    assert abs(margins[0]) < 1e-3
    assert min(margins[-3:]) > 0.2, margins
