"""Where no text from outside is read, by the reason."""

from __future__ import annotations

from collections.abc import Mapping

_SETTINGS = "what the user says: a setting, a recipe, a file that the user wrote"
_KEPT = "what this program wrote itself, and keeps where nobody else writes"
_INSTALLED = "what a toolchain or the kernel of this machine says, to no program's text"
_ANSWERED = "what the judge answers that the user named, in an environment of its own"
#: Places that no text from outside reaches, by the reason.
OURS: Mapping[str, tuple[str, ...]] = {
    _SETTINGS: (
        "judge.common.units:_QUANTITY",
        "judge.common.units:Quantity.convert",
        "judge.common.config:_SIZE",
        "judge.checkers.numbers:Tolerance.__init__",
        "judge.server.guarding.keys:Keys.__init__",
        "judge.server.settings:read",
        "judge.server.page.catalogue:strengths_of",
        "problems.writing.template:create",
        "trainer_adapter.training.config:",
        "trainer_adapter.training.config:_read_yaml",
        "trainer_adapter.data.sources:_of_split",
    ),
    _KEPT: (
        "judge.compiling.compiler:_decode_entry",
        "judge.judging.fingerprint:of_problem",
        "judge.common.strict:_read",
        "judge.many.cluster.wire:Wire.data_received",
        "judge.judging.generated:_whole",
        "judge.common.models:read_judgement",
        "judge.judging.time_limits:TimeLimits._load",
        "judge.server.compat.judge0.answers:_values",
        "judge.server.compat.judge0.requests:callback_of",
        "judge.server.compat.judge0.stored:statistics",
        "judge.server.page.details:_details",
        "judge.server.page.texts:_read_text",
        "judge.server.page.judgements:shown_rows",
        "judge.server.observing.traces:Traces.export_end",
        "judge.server.storing.once:find_answer",
        "judge.server.storing.shown:public_text",
        "judge.server.page.words:table",
        "judge.server.rendering.process:Renderer._ask",
        "problems.files.languages:_parse",
        "problems.files.languages:_recall",
        "problems.importing.contests.patterns:match_names",
        "trainer_adapter.training.checkpoints:complaint_about",
        "trainer_adapter.training.record:read",
        "trainer_adapter.training.record:refuse_other_adapter",
        "trainer_adapter.data.loading:made_once",
        "trainer_adapter.rollouts.making.output:RolloutFile._read_recorded",
        "trainer_adapter.rollouts.making.output:_plain",
    ),
    _ANSWERED: ("problems.exporting.verify_at_judge:ask",),
    _INSTALLED: (
        "judge.languages:_asked_version",
        "judge.compiling.held:_ask_compiler",
        "containers.nsjail:_proc_options",
    ),
    "a process of its own, which has a deadline for each text: tests/judge/server/rendering": (
        "judge.server.rendering.worker:main",
    ),
    "a program reads them in its own process, in the sandbox": (
        "containers.launcher.src.early_end:begin_program",
        "judge.languages.call:_arguments",
        "judge.languages.call:_call_function",
        "judge.languages.call:_rational",
    ),
    "a name of a data set, as long as one match and no more": ("trainer_adapter.data.build:_Maker._store",),
    "joins expressions that are listed by their own names": (
        "judge.compiling.redirections:_pattern",
        "judge.languages.answers:_drop_names",
    ),
}
