"""What reward functions, OpenEvolve and ShinkaEvolve make of raw scores without a ceiling."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from tests.packages import write_package
from tests.trainer_adapter.failing import Doom, doomed
from trainer_adapter import reward_funcs
from trainer_adapter.integrations import core
from trainer_adapter.integrations.openevolve import LostEvaluation, make_evaluator
from trainer_adapter.reward_funcs import CodeReward, Kind, Settings

#: The output is the raw score; "no" is refused.
VALIDATOR = """\
import sys
word = sys.stdin.read().strip()
open(sys.argv[3] + "score.txt", "w").write(word)
sys.exit(43 if word == "no" else 42)
"""
CASES = {"secret/1": ("10", ""), "secret/2": ("20", "")}


def make(root: Path, objective: str) -> str:
    files = {"output_validator/v.py": VALIDATOR, "judge.yaml": f"objective: {objective}\n"}
    return str(write_package(root / "raw", CASES, metadata="type: scoring\n", files=files))


def program(*words: str) -> str:
    """Prints them on the inputs 10 and 20."""
    return f"print(dict(zip((10, 20), {words!r}))[int(input())])\n"


@pytest.fixture
def settings(shared_cache: Path, backend: str) -> Settings:
    return Settings(language="python3", slots=1, backend=backend, cache_directory=shared_cache)


@pytest.mark.parametrize(
    ("objective", "words", "score", "ratio", "improvement"),
    [
        ("{best: 10, baseline: 5}", ("5", "5"), 0.0, 0.5, 0.0),
        ("{best: 10, baseline: 5}", ("10", "10"), 1.0, 1.0, 1.0),
        ("{best: 10, baseline: 5}", ("20", "20"), 1.0, 2.0, 3.0),
        ("{best: 10, baseline: 5}", ("no", "10"), 0.5, 0.0, 0.0),
        ("{direction: min, best: 10}", ("20", "20"), 0.5, 0.5, 0.5),
        ("{direction: min, best: 10}", ("5", "5"), 1.0, 2.0, 2.0),
        ("{direction: min, best: 10}", ("0.001", "0"), 1.0, 1000.0, 1000.0),
        ("{direction: min, best: 10}", ("-3", "0"), 1.0, 1000.0, 1000.0),
    ],
)
def test_what_is_paid(
    settings: Settings, tmp_path: Path, objective: str, words: tuple[str, str], score: float, ratio: float,
    improvement: float,
) -> None:  # fmt: skip
    completions = [f"```python\n{program(*words)}```"]
    problem = make(tmp_path, objective)
    paid = [
        CodeReward(kind, settings)(completions, problem_id=[problem])
        for kind in (Kind.SUBTASK, Kind.RATIO, Kind.IMPROVEMENT)
    ]
    assert paid == [[pytest.approx(score)], [pytest.approx(ratio)], [pytest.approx(improvement)]]


def test_openevolve(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reward = CodeReward(Kind.RATIO, settings)
    problem = make(tmp_path, "{best: 10}")
    evaluate = make_evaluator(problem, language="python3", reward=reward)
    path = tmp_path / "program.py"
    path.write_text(program("20", "10"))
    assert evaluate(str(path)) == {"combined_score": 1.5, "accepted": 1.0, "raw_score": 30.0}
    path.write_text(program("no", "10"))
    assert evaluate(str(path)) == {"combined_score": 0.0, "accepted": 0.0}
    monkeypatch.setattr(core, "PAUSE_S", 0)
    reward_funcs.close()
    Doom(monkeypatch)
    path.write_text(doomed("int main(void) { return 0; }\n"))
    with pytest.raises(LostEvaluation) as lost:
        make_evaluator(problem, language="c17", reward=reward)(str(path))
    assert isinstance(pickle.loads(pickle.dumps(lost.value)), core.NoVerdict), "as the other process gets it"


def test_openevolve_stores_nothing_for_what_was_lost(settings: Settings, tmp_path: Path) -> None:
    """By its own evaluator, where it is installed."""
    evaluator = pytest.importorskip("openevolve.evaluator")
    config = pytest.importorskip("openevolve.config")
    import asyncio

    problem = make(tmp_path, "{best: 10}")
    file = tmp_path / "evaluation.py"
    file.write_text(
        "from pathlib import Path\n"
        "from trainer_adapter.integrations.openevolve import make_evaluator\n"
        "from trainer_adapter.reward_funcs import CodeReward, Kind, Settings\n"
        f"settings = Settings(language='python3', slots=1, cache_directory=Path({str(settings.cache_directory)!r}))\n"
        f"known = make_evaluator({problem!r}, language='python3', reward=CodeReward(Kind.RATIO, settings))\n"
        "lost = make_evaluator('no-such-problem', language='python3', reward=CodeReward(Kind.RATIO, settings))\n"
        "def evaluate(path):\n"
        "    return (lost if 'lost' in Path(path).read_text() else known)(path)\n"
    )
    settings_of_theirs = config.EvaluatorConfig(cascade_evaluation=False, max_retries=1)
    theirs = evaluator.Evaluator(settings_of_theirs, str(file), suffix=".py")
    metrics = asyncio.run(theirs.evaluate_program(program("20", "10"), "one"))
    assert metrics["combined_score"] == 1.5
    with pytest.raises(LostEvaluation):
        asyncio.run(theirs.evaluate_program("lost = 1\n", "two"))


def test_shinka(settings: Settings, tmp_path: Path) -> None:
    problem = make(tmp_path, "{best: 10}")
    evaluation = tmp_path / "evaluate.py"
    evaluation.write_text(
        "import sys\nfrom pathlib import Path\n"
        "from trainer_adapter.integrations.shinka import main\n"
        "from trainer_adapter.reward_funcs import CodeReward, Kind, Settings\n"
        f"settings = Settings(language='python3', slots=1, cache_directory=Path({str(settings.cache_directory)!r}))\n"
        f"main(sys.argv.pop(1), language='python3', reward=CodeReward(Kind.RATIO, settings))\n"
    )

    def evaluate(name: str, text: str) -> tuple[int, dict[str, object]]:
        path, results = tmp_path / "program.py", tmp_path / "results"
        path.write_text(text)
        given = ["--program_path", str(path), "--results_dir", str(results)]
        done = subprocess.run([sys.executable, str(evaluation), name, *given], check=False)
        return done.returncode, {file.stem: json.loads(file.read_text()) for file in results.iterdir()}

    code, found = evaluate("no-such-problem", program("1", "1"))
    assert (code, sorted(found)) == (2, ["correct"])
    code, found = evaluate(problem, program("20", "10"))
    assert code == 0
    assert found["metrics"] == {
        "combined_score": 1.5,
        "public": {"verdict": "AC", "accepted": True, "raw_score": 30.0},
    }
    assert found["correct"] == {"correct": True, "error": None}
    code, found = evaluate(problem, program("no", "no"))
    assert (code, found["correct"]) == (0, {"correct": False, "error": "WA"})


def test_the_names_are_those_of_the_kinds() -> None:
    assert (reward_funcs.ratio.kind, reward_funcs.improvement.kind) == (Kind.RATIO, Kind.IMPROVEMENT)
