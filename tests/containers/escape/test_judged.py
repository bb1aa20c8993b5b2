"""Every program of judged/, on every backend and tier: the verdict is one that it earned, whoever runs beside it keeps
theirs, and whoever comes after it too. Outside, the naive judge falls for it."""

from __future__ import annotations

import json
import shutil
from concurrent.futures import Future
from pathlib import Path

import click
import pytest

from judge import Judge, Judgement, Verdict, languages
from judge.cli.report import report
from judge.selftest.trial import Said
from tests.containers.escape import judged, record
from tests.containers.escape.control import control_user, work_directory
from tests.containers.escape.judged import HERE, HONEST, PROBLEMS, Judged
from tests.containers.variants import VARIANTS
from tests.distinct import declaration

SUM = PROBLEMS / "sum"
_ALL = judged.load()
#: Tighter than for other controls: nothing here needs much.
_LIMITS = ("--nproc=128", f"--as={1 << 30}", f"--fsize={64 << 20}", "--nofile=256", "--cpu=5", "--core=0")


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """For packages that are made."""
    return tmp_path_factory.mktemp("packages")


@pytest.mark.parametrize("cheat", _ALL, ids=[cheat.name for cheat in _ALL])
def test_judged(cheat: Judged, tier: str, judge: Judge, made: Path) -> None:
    neighbour = judge.submit(judged.submission(HONEST / "patient.c", SUM))
    judgement = judge.judge(cheat.submission(judged.package(cheat.problem, made)), cheat.options)
    side_effects = _not_accepted("the neighbour", neighbour)
    # Both slots at once; one program is compiled anew.
    nonce = declaration().encode()
    after = [judge.submit(judged.submission(HONEST / "honest.c", SUM, nonce=nonce))]
    after += [judge.submit(judged.submission(HONEST / f"honest.{suffix}", SUM)) for suffix in ("py", "cpp")]
    for future in after:
        side_effects += _not_accepted("afterwards", future)
    # gVisor counts the time in which threads wait for a core.
    permitted = cheat.permitted | ({Verdict.TLE} if VARIANTS[tier].gvisor else set())
    found = _weaknesses(judgement, permitted)
    record.write(
        attack=cheat.name,
        tries=cheat.tries,
        variant=f"{judgement.isolation.backend if judgement.isolation else 'none'}/{tier}",
        result="ESCAPED" if found else "contained",
        termination=judgement.verdict,
        found=found,
        side_effects=side_effects,
    )
    assert (found, side_effects) == ([], []), judgement.to_json()


def _not_accepted(who: str, future: Future[Judgement]) -> list[str]:
    judgement = future.result()
    return [] if judgement.verdict is Verdict.AC else [f"{who}: {judgement.to_json()[:2000]}"]


def _weaknesses(judgement: Judgement, permitted: frozenset[Verdict]) -> list[str]:
    found = []
    if judgement.verdict not in permitted:
        found.append(f"{judgement.verdict}, not {' or '.join(sorted(permitted))}: {judgement.error}")
    if judgement.accepted is not (judgement.verdict is Verdict.AC):
        found.append(f"accepted is {judgement.accepted}")
    if (judgement.score is None) is not (judgement.verdict is Verdict.IE):
        found.append(f"its score is {judgement.score}")
    if judgement.score == 1.0 and judgement.verdict is not Verdict.AC:
        found.append("a full score without AC")
    for test in judgement.tests:
        found += [f"test {test.name}: ESCAPED {what}" for what in Said.of(test.stdout.encode()).escaped]
    return found + _unprintable(judgement)


def _unprintable(judgement: Judgement) -> list[str]:
    """What a report would do to a terminal, or a line of JSON to its reader."""
    with pytest.MonkeyPatch.context() as plain:
        plain.setattr(click, "style", lambda text, **_: text)
        text = "\n\n".join(report(judgement))
    bad = [character for character in text if not (character.isprintable() or character == "\n")]
    found = [f"the report has {bad[:10]!r}"] if bad else []
    line = judgement.to_json()
    if not line.isascii() or not line.isprintable() or json.loads(line)["verdict"] != judgement.verdict:
        found.append("the line of JSON is not one")
    return found


@pytest.mark.long
@pytest.mark.parametrize("cheat", _ALL, ids=[cheat.name for cheat in _ALL])
def test_control(cheat: Judged, made: Path) -> None:
    if cheat.no_control is not None:
        record.write(attack=cheat.name, control=f"no: {cheat.no_control}")
        return
    with control_user() as user, work_directory(user) as work:
        data = work.parent / "data"
        shutil.copytree(judged.package(cheat.problem, made) / "data", data)
        honest = work.parent / "sum"
        shutil.copytree(SUM / "data", honest)
        shutil.copy(HERE / "naive.py", work)

        def naive(source: Path, data: Path, timeout_s: float = 20) -> tuple[str, bytes]:
            argv = (str(languages.get("python3").find()), "naive.py", str(shutil.copy(source, work.parent)), str(data))
            done = user.run(argv, cwd=work, stdin=b"", limits=_LIMITS, timeout_s=timeout_s)
            lines = done.stdout.decode(errors="replace").split()
            said = next((line for line in reversed(lines) if line in Verdict.__members__), "IE")
            return "AC" if done.returncode == 0 else said, done.stdout

        before = [naive(HONEST / name, honest)[0] for name in ("honest.c", "honest.py")]
        assert before == ["AC", "AC"]
        verdict, output = naive(cheat.path, data, timeout_s=8)  # some never end
        after = [naive(HONEST / name, honest) for name in ("honest.c", "honest.py")]
        said = b"".join((output, *(text for _, text in after)))
        worked = verdict not in cheat.permitted or b"ESCAPED" in said or any(verdict != "AC" for verdict, _ in after)
    record.write(attack=cheat.name, control="works" if worked else "DOES NOT WORK")
    assert worked, (verdict, output[-2000:].decode(errors="replace"))
