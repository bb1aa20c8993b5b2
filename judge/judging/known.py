"""Remembers judgements: in the memory of this process, and in the cache directory for all processes.

    key = hash(source, context)
    context = hash(problem by its content, language, compiler, machine, our code, options, isolation)

The thread that judges the first submission in a context learns the context. Every second it is checked again, and any
change (of a package, of a compiler) ends it. We keep only judgements that would be the same if judged again: no failure
of ours, no time or memory limit that the load may have decided, no order of tests but the problem's.
"""

from __future__ import annotations

import hashlib
import math
import threading
import time
from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import assert_never

from containers import Isolation
from judge import languages
from judge.common.errors import LanguageError
from judge.common.models import Judgement, Options, Stop, Submission, TestResult, Verdict, read_judgement
from judge.compiling.meaning import ENDED
from judge.judging.fingerprint import Fingerprint, of_problem, surroundings
from judge.judging.prepared import Prepared
from judge.languages import Language
from judge.store.cache import Cache
from judge.store.recent import Recent
from problems.model import MIB

_LOOK_AGAIN_S = 1.0
_MEMORY_BYTES = 32 * MIB
#: Larger judgements (many tests that all write much) are not kept.
_ENTRY_BYTES = 4 * MIB
#: Contexts are kept as long as they have at most `_CONTEXT_PATHS` paths of test data together.
_CONTEXT_PATHS = 1 << 17


@dataclass(slots=True, kw_only=True)
class Context:
    """What submissions to one problem in one language share."""

    digest: bytes
    language: Language
    fingerprint: Fingerprint
    surroundings: str
    looked_s: float

    def key(self, submission: Submission) -> str:
        return hashlib.sha256(self.digest + submission.digest()).hexdigest()


class Verdicts:
    """The judgements that are remembered. Thread-safe."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache
        self._lock = threading.Lock()
        self._contexts = Recent[Context](_CONTEXT_PATHS)
        self._judgements = Recent[Judgement](_MEMORY_BYTES)
        self._surroundings: dict[str, tuple[float, str]] = {}

    def find(self, submission: Submission, options: Options) -> Judgement | None:
        """The judgement of an equal submission; None: not known, or nobody has called `learn` yet. Who asks without an
        id gets the same object each time, as long as it is in memory."""
        context = self.context(submission, options)
        if context is None or not self._stands(context, _LOOK_AGAIN_S):
            return None
        key = context.key(submission)
        with self._lock:
            known = self._judgements.get(key)
        if known is None:
            known = self._load(key)
        return known if known is None or submission.id is None else replace(known, id=submission.id)

    def learn(
        self, submission: Submission, options: Options, prepared: Prepared, isolation: Isolation
    ) -> Context | None:
        """The submission's context, which `find` knows from now on; None: files changed a moment ago, so there is none.

        Raises:
            LanguageError: the language is unknown or not installed.
        """
        context = self.context(submission, options)
        if context is not None and self._stands(context, _LOOK_AGAIN_S):
            return context
        fingerprint = of_problem(prepared.problem, self._cache)
        if fingerprint is None:
            return None
        language = languages.get(submission.language)
        around = self._around(language)
        filtered = prepared.dropped, sorted(prepared.flagged.items())
        facts = repr((fingerprint.digest, filtered, language, around, options, isolation))
        context = Context(
            digest=hashlib.sha256(facts.encode("utf-8", "surrogateescape")).digest(),
            language=language,
            fingerprint=fingerprint,
            surroundings=around,
            looked_s=time.monotonic(),
        )
        self.take(submission, options, context)
        return context

    def context(self, submission: Submission, options: Options) -> Context | None:
        """What `learn` or `take` gave for such submissions last. It may not stand any more."""
        with self._lock:
            return self._contexts.get(_ask(submission, options))

    def take(self, submission: Submission, options: Options, context: Context) -> None:
        with self._lock:
            self._contexts.put(_ask(submission, options), context, 1 + len(context.fingerprint.paths))

    def keep(self, context: Context, submission: Submission, options: Options, judgement: Judgement) -> None:
        """Remember the judgement of a submission in this context, if judging again would give the same."""
        if not lasting(judgement, options) or not self._stands(context, 0):
            return
        judgement = replace(judgement, id=None)
        entry = judgement.to_json().encode("ascii")
        if len(entry) <= _ENTRY_BYTES:
            key = context.key(submission)
            self._cache.put(key, entry)
            with self._lock:
                self._judgements.put(key, replace(judgement, cached=True), judgement.footprint_bytes)

    def _stands(self, context: Context, after_s: float) -> bool:
        """Whether all is as it was when the context was learned. Checks only if the last check is `after_s` old."""
        now_s = time.monotonic()
        if now_s - context.looked_s < after_s:
            return True
        try:
            if not context.fingerprint.current() or self._around(context.language) != context.surroundings:
                return False
        except (OSError, LanguageError):  # uninstalled: judging will report it
            return False
        context.looked_s = now_s
        return True

    def _around(self, language: Language) -> str:
        """The surroundings, at most a second old. Unlike a package's content, they never change back."""
        now_s = time.monotonic()
        looked_s, around = self._surroundings.get(language.name, (-math.inf, ""))
        if now_s - looked_s >= _LOOK_AGAIN_S:
            around = surroundings(language, self._cache)
            self._surroundings[language.name] = now_s, around
        return around

    def _load(self, key: str) -> Judgement | None:
        entry = self._cache.get(key)
        if entry is None:
            return None
        judgement = replace(read_judgement(entry), cached=True)
        with self._lock:
            self._judgements.put(key, judgement, judgement.footprint_bytes)
        return judgement


def lasting(judgement: Judgement, options: Options) -> bool:
    """Whether judging again would give the same, whatever runs beside it."""
    if judgement.error is not None or judgement.verdict is Verdict.IE:
        return False
    if options.stop is Stop.ACCEPTED_ONLY and not judgement.complete:  # other submissions change the order of tests
        return False
    compiled = judgement.compile
    if compiled is None or compiled.verdict not in ("ok", "error") or ENDED in compiled.output:
        return False
    return all(map(_lasts, judgement.tests))


def _lasts(test: TestResult) -> bool:
    match test.verdict:
        case Verdict.IE:
            return False
        case Verdict.MLE:  # only by the figure of a clean exit: a run that was stopped or died may differ next time
            return test.exit_code == 0
        case Verdict.TLE:
            return test.confirmed is not None
        case Verdict.AC | Verdict.PC | Verdict.PE | Verdict.WA | Verdict.OLE | Verdict.RE | Verdict.CE | Verdict.SK:
            return test.signal != "SIGKILL"  # without a limit, it may have come from outside
        case _:
            assert_never(test.verdict)


def _ask(submission: Submission, options: Options) -> tuple[Hashable, str, Options]:
    return submission.problem_key, submission.language, options
