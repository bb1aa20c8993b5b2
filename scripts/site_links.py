"""A hook of mkdocs: the site holds the pages of docs/ alone, with a choice of the language on each.

What a page links to outside docs/ is named instead. Its links to itself in the other language are left out.
"""

from __future__ import annotations

import re
from typing import Any

_OUTSIDE = re.compile(r"\[([^\]]*)\]\(\.\./([^)#]+)[^)]*\)")
_LANGUAGE = re.compile(r" ?\(?\*?\[(?:中文|English)\]\([^)]*\)\*?\)?")


def on_page_markdown(markdown: str, **_: Any) -> str:
    """The text of a page, before it is made a page of the site."""
    return _OUTSIDE.sub(_name_place, _LANGUAGE.sub("", markdown))


def _name_place(link: re.Match[str]) -> str:
    text, place = link.groups()
    return text if place in text else f"{text} (`{place}`)"
