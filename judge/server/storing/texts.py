"""Results as they are stored: their JSON, and which of their tests everybody may see.

A judgement that is known is encoded once, however many rows ask for it: only their ids differ.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from pathlib import Path

import problems
from judge.common.execution import Execution
from judge.common.models import Judgement, Submission, with_id
from judge.many.pool import Judge
from judge.server.requests import JudgementRequest
from judge.server.storing import shown
from judge.server.storing.packages import Packages
from judge.store.cache import Cache
from judge.store.recent import Recent
from problems.errors import ProblemError
from problems.model import MIB

#: Size of the JSON that is kept of judgements that are known.
_KEPT_BYTES = 32 * MIB


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A judgement that was made before, without an id, and its JSON. `samples`: as `shown.names` makes it."""

    judgement: Judgement
    text: str
    samples: str

    @property
    def size(self) -> int:
        return len(self.text) + len(self.samples)

    def with_id(self, id_: str | None) -> str:
        return with_id(self.text, id_)


class Texts:
    """Thread-safe."""

    def __init__(self, judge: Judge, packages: Packages) -> None:
        self._judge = judge
        self._packages = packages
        self._samples = Samples()
        self._lock = threading.Lock()
        #: By the judgement's id(): it stays alive, and so its own, while it is kept here.
        self._known = Recent[Known](_KEPT_BYTES)

    def of(self, result: Judgement | Execution, problem: str | Path | None) -> tuple[str, str]:
        """Its JSON, and the names of the sample tests. `problem`: None: it is of no problem that can be read."""
        if isinstance(result, Execution):
            return result.to_json(), shown.WHOLE
        samples = frozenset[str]() if problem is None else self._samples.of(problem)
        return result.to_json(), shown.names(samples)

    def find_known(self, request: JudgementRequest) -> Known | None:
        """What was judged before, if the request takes it; None: it is to be judged."""
        if not request.options.verdict_cache:
            return None
        digest = request.package
        problem = request.problem if digest is None else self._packages.find_unpacked(digest)
        if problem is None:
            return None
        asked = request.submission(problem)
        judgement = self._judge.find_known(
            Submission(source=asked.source, problem=problem, language=asked.language, files=asked.files),
            request.judge_options(),
        )
        return None if judgement is None else self._encode(judgement, shown.names(self._samples.of(problem)))

    def _encode(self, judgement: Judgement, samples: str) -> Known:
        with self._lock:
            known = self._known.get(id(judgement))
        if known is not None and known.judgement is judgement and known.samples == samples:
            return known
        known = Known(judgement=judgement, text=judgement.to_json(), samples=samples)
        with self._lock:
            self._known.put(id(judgement), known, known.size)
        return known


class Samples:
    """The names of problems' sample tests. A problem is read again after a second: somebody may have changed it."""

    _READ_AGAIN_S = 1.0

    def __init__(self) -> None:
        self._parsed = Cache()
        self._lock = threading.Lock()
        self._known = Recent[tuple[float, frozenset[str]]](1000)

    def of(self, problem: str | Path) -> frozenset[str]:
        """None of a problem that cannot be read."""
        with self._lock:
            known = self._known.get(problem)
        if known is not None and time.monotonic() < known[0] + self._READ_AGAIN_S:
            return known[1]
        read_s = time.monotonic()
        try:
            names = frozenset(case.name for case in problems.load(problem, store=self._parsed).cases if case.sample)
        except ProblemError:
            names = frozenset()
        with self._lock:
            self._known.put(problem, (read_s, names))
        return names
