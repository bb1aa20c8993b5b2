"""Finds what a statement says of outputs that differ and are all right: any answer, any order, a tolerance."""

from __future__ import annotations

import re
from dataclasses import dataclass

#: "If there are several, print any of them." Not: "Do not print any spaces."
SEVERAL = re.compile(
    r"\b(?:print|output|report|give|return|find)\s+any\s*(?:of\s+the|of\s+them|one|valid|such|suitable|possible|correct|"
    r"optimal|solution|answer|[.,;)])|"
    r"\bany\s++(?:of\s+them|such|valid|correct|optimal|possible|one)?\s*+(?:\w++\s++){0,3}(?:is|are|will\s+be|can\s+be|"
    r"may\s+be)\s+(?:accepted|printed|allowed)|"
    r"(?:multiple|several|many|more\s+than\s+one)\s+(?:possible\s+|correct\s+|optimal\s+|valid\s+)?"
    r"(?:answers?|solutions?|ways?)\b[^.]{0,80}\b(?:any|arbitrary\s+one|whichever)\b|"
    r"(?:multiple|several|many|more\s+than\s+one)\s+(?:\w{1,20}\s+){0,2}(?:answer|solution|plan|way|order|possibilit)\w{0,3}\b"
    r"[^.\n]{0,80}\b(?:whichever(?!\s+(?:one\s+)?(?:is|are|comes?|has|have)\b)|(?:all|each|every\s+one)\s+(?:of\s+(?:them|these)\s+)?"
    r"(?:is|are|will\s+be)\s+(?:considered\s+)?(?:accepted|correct|right))\b|"
    r"\b(?:answer|output|solution)s?\b[^.\n]{0,60}\b(?:need\s+not|(?:does|do)(?:n't|\s+not)\s+(?:need|have)\s+to)\s+"
    r"(?:match|be\s+the\s+same\s+as|coincide\s+with)\s+(?:the\s+)?(?:sample|example)|"
    r"\bspecial\s+(?:judge|checker)\b(?!\s{0,9}[:：]\s{0,9}(?:no|false|否))|"
    r"(?:输出|给出|打印)(?:其中)?(?:的)?(?:任意|任何)(?:一|可行|合法|满足)|任[意一何][^。，]{0,12}(?:均可|即可|都可|都算|皆可)|"
    r"(?:答案|方案|解)(?:可能|并)?不(?:唯一|止一[个种组])(?![^。\n]{0,24}(?:最[小大短长早前]|第一|输出(?!任|其中)))|(?:有|采用|使用)\s?SPJ\b",
    re.IGNORECASE,
)
#: "Print them in any order", "you may return the answer in any order". Not: "the edges are given in any order", nor
#: "print the number of ways to visit them in any order".
ORDER = re.compile(
    r"\b(?:print|output|report|list|return|write|display)(?:ed|s)?\b"
    r"(?![^.\n]{0,60}\b(?:minimum|maximum|number|whether|cost|length|sum|many|smallest|largest|fewest|least|given|come|comes)\b)"
    r"[^.\n]{0,100}\b(?:in\s+(?:any|arbitrary|whatever|whichever|no\s+particular)\s+order\b|"
    r"order\b[^.\n]{0,30}(?:\bnot\s+(?:matter|important)|n't\s+matter|\birrelevant))|"
    r"\bany\s+order\s+(?:is|will\s+be)\s+(?:accepted|allowed|fine)\b|"
    r"\b(?:order\s+of\s+(?:the\s+|your\s+)?(?:output|answers?|results?|lines)|output\s+order|order\s+in\s+which\s+you\s+\w{1,10})\b"
    r"[^.\n]{0,30}(?:\bnot\s+(?:matter|important)|n't\s+matter|\birrelevant)|"
    r"(?:输出|返回|打印)[^。\n]{0,20}(?:任意|任何)(?:的)?(?:顺序|次序)|(?:任意|任何)(?:的)?(?:顺序|次序)(?:输出|返回|打印)|"
    r"(?:输出|返回|打印)[^。，\n]{0,12}[顺次]序(?:并)?(?:不重要|无关紧要|不作要求|没有要求|不影响|随意)|"
    r"(?<!初始)[顺次]序(?:不限|任意|随意|不作要求|无关紧要)(?:[。，；.\n]|\Z)",
    re.IGNORECASE,
)
#: Less sure words for several answers: who would prove that there is one has to heed them.
DOUBT = re.compile(
    r"\b(?:multiple|several|more\s+than\s+one)\s+(?:\w{1,20}\s+){0,2}(?:answers?|solutions?|possibilit|ways|such|optimal|"
    r"valid|correct|order|arrangement|permutation|sequence|string|path|plan)|"
    r"(?<!not )\b(?:print|output|report|give|find|display|construct|write|return)\s+(?:\w{1,20}\s+){0,3}any\b|"
    r"\bany\b[^.\n]{0,40}\b(?:accepted|allowed|suffices|fine)\b|\barbitrar|\bspecial\s+(?:judge|checker)|\bSPJ\b|"
    r"输出任[意一]|任意(?:一|可行|合法|满足)|任一[组种个]|多[组种个](?:可行)?(?:解|答案|方案)",
    re.IGNORECASE,
)
#: Words of statements that ask for something with a property, of which there may be several: a list such that …
CERTIFICATE = re.compile(
    r"\b(?:such\s+that|so\s+that|fulfil|satisf|impossible|(?:is|it)\s+possible|possible\s+to|construct|assign|optimal|"
    r"there\s+(?:is|exists)\s+(?:an?|no)\b|find\s+(?:an?|some)\b|a\s+(?:list|sequence|path|way|schedule|plan|set|valid)\b|"
    r"an\s+(?:order|assignment|arrangement)\b)|使得|满足|构造|方案|无解|不存在",
    re.IGNORECASE,
)
#: "An absolute or relative error of at most 10^-6", "误差不超过 1e-6". A power of ten near a word for an error.
_ERROR = re.compile(
    r"(?:\berrors?\b|\btoleran|\bdiffers?\b|\bprecision\b|\baccura|误差|精度)[^.\n]{0,120}?"
    r"(?:10\s?\^\s?\{?\s?[-\u2212]\s?([0-9]{1,2})|\b1e-([0-9]{1,2})|\b0?\.(0{0,11})1\b)",
    re.IGNORECASE,
)
_ABSOLUTE = re.compile(r"\babsolute\b|绝对", re.IGNORECASE)
_RELATIVE = re.compile(r"\brelative\b|相对", re.IGNORECASE)
#: So much before the tolerance says of which kind it is.
_BEFORE = 120
_SHOWN = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Freedom:
    """What a statement leaves free."""

    #: The words that allow several answers, and those that allow any order; None: there are none.
    several: str | None = None
    order: str | None = None
    #: Words that may allow several answers, or speak of something else.
    doubt: str | None = None
    #: Words that may ask for a certificate, or speak of something else.
    certificate: str | None = None
    absolute_tolerance: float | None = None
    relative_tolerance: float | None = None


def read_freedom(statement: str) -> Freedom:
    """What the statement leaves free."""
    several, order = (_quote(pattern.search(statement)) for pattern in (SEVERAL, ORDER))
    doubt, certificate = (_quote(pattern.search(statement)) for pattern in (DOUBT, CERTIFICATE))
    found = _ERROR.search(statement)
    if found is None:
        return Freedom(several=several, order=order, doubt=doubt, certificate=certificate)
    power = int(found[1] or found[2] or len(found[3] or "") + 1)
    near = statement[max(0, found.start() - _BEFORE) : found.end() + _BEFORE]
    absolute, relative = _ABSOLUTE.search(near) is not None, _RELATIVE.search(near) is not None
    tolerance = float(f"1e-{power}")
    return Freedom(
        several=several,
        order=order,
        doubt=doubt,
        certificate=certificate,
        absolute_tolerance=None if relative and not absolute else tolerance,
        relative_tolerance=None if absolute and not relative else tolerance,
    )


def _quote(found: re.Match[str] | None) -> str | None:
    return None if found is None else " ".join(found[0].split())[:_SHOWN]
