"""The page of an audit: the rates with their intervals, and the evidence. Models wrote the programs: all is escaped."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from judge.common.text import harmless
from trainer_adapter.audit.audit import Audit, Audited
from trainer_adapter.audit.fresh import Outcome
from trainer_adapter.audit.rates import PARTS, Rate, Rates, rates_by, tricks
from trainer_adapter.audit.signs import SAYS
from trainer_adapter.health.page import Bar, bars, document, table

#: Of the evidence, and of one text in it.
_SHOWN, _CHARACTERS = 100, 2_000
#: Rows of a table by problem.
_ROWS = 40


def render(found: Audit, title: str) -> str:
    whole = Rates.of(found.audited)
    kind = "found" if whole.paid_but_wrong.count else "well"
    return document(
        title,
        f'<p class="{kind}">Paid but wrong: <b>{escape(str(whole.paid_but_wrong))}</b></p>',
        f"<p>Refused but right: {escape(str(whole.refused_but_right))}. Of {found.accepted} accepted rollouts and "
        f"{found.rejected} that were rejected for their output, {len(found.audited)} were audited.</p>",
        "".join(f"<p>{escape(line.strip())}</p>" for line in tricks(found)),
        *(_draw(found, part) for part in PARTS),
        _tell_missing(found),
        *_evidence(found),
    )


def _draw(found: Audit, part: str) -> str:
    rates = rates_by(found, part)
    if not rates or (len(rates) == 1 and part != "problem"):
        return ""
    rows = sorted(rates.items(), key=lambda item: -item[1].paid_but_wrong.count) if part == "problem" else rates.items()
    listed = [(harmless(name), one) for name, one in rows][:_ROWS]
    drawn = "" if part == "problem" else bars(
        f"Paid but wrong, by {part}", ["this audit"], [_bar(name, one.paid_but_wrong) for name, one in listed]
    )  # fmt: skip
    cells = [[name, str(one.paid_but_wrong), str(one.refused_but_right)] for name, one in listed]
    return drawn + table([part, "paid but wrong", "refused but right"], cells)


def _bar(name: str, rate: Rate) -> Bar:
    return Bar(name=name, values=(rate.share or 0.0,), intervals=(rate.interval if rate.of else None,))


def _tell_missing(found: Audit) -> str:
    rows = [[harmless(name), harmless(why)] for name, why in found.without_inputs.items()]
    rows += [[harmless(name), f"accepted programs differ on {n} inputs"] for name, n in found.disputed.items()]
    return f"<h2>Not known</h2>{table(['problem', 'why'], rows[:_ROWS])}" if rows else ""


def _evidence(found: Audit) -> Iterator[str]:
    wrong = [one for one in found.audited if one.accepted and one.outcome is Outcome.WRONG]
    right = [one for one in found.audited if not one.accepted and one.outcome is Outcome.RIGHT]
    for title, listed in (("Paid but wrong", wrong), ("Refused, and right on every fresh input", right)):
        if listed:
            more = f", the first {_SHOWN} of {len(listed)}" if len(listed) > _SHOWN else ""
            yield f"<h2>{escape(title)}{more}</h2>" + "".join(map(_show, listed[:_SHOWN]))


def _show(one: Audited) -> str:
    parts = [f"<p>{escape(SAYS[each.sign])}: {escape(harmless(each.evidence))}</p>" for each in one.signs]
    if one.detail:
        parts.append(f"<p>{escape(harmless(one.detail))}</p>")
    if (found := one.difference) is not None:
        if one.unvalidated:
            parts.append("<p>No input validator has seen this input: accepted programs agree on its answer.</p>")
        texts = {"input": found.input, "expected": found.answer, "written": found.result.stdout.encode()}
        parts += [f"<p>{name}</p><pre>{_cut(text)}</pre>" for name, text in texts.items()]
        parts.append(f"<p>{escape(harmless(f'{found.result.verdict} {found.result.detail}'))}</p>")
    step = "" if one.step is None else f", step {one.step}"
    return (
        f"<details><summary>{escape(harmless(f'{one.id} ({one.problem}{step})'))}</summary>{''.join(parts)}</details>"
    )


def _cut(data: bytes) -> str:
    text = data[: 4 * _CHARACTERS].decode("utf-8", "replace")
    return escape(harmless(text if len(text) <= _CHARACTERS else text[:_CHARACTERS] + " …"))
