#!/usr/bin/env python3
"""Write the table of languages into docs/languages.md and docs/languages.zh-CN.md, from judge/languages/*.toml.

    python scripts/language_tables.py           write them
    python scripts/language_tables.py --check   exit code 1 where a page says something else

In a page the table stands below its heading, up to the next empty line.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from judge import languages  # noqa: E402
from judge.languages import Language  # noqa: E402

#: By page: the heading of the table, and what is said of a language that is not compiled.
PAGES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "languages.md": ("| name | language | suffix | package | compiled by | CPU time × |", "nothing: it is checked"),
        "languages.zh-CN.md": ("| 名称 | 语言 | 后缀 | 软件包 | 如何编译 | CPU 时间 × |", "不编译，只检查"),
    }
)


def rows(uncompiled: str) -> list[str]:
    return [_row(languages.get(name), uncompiled) for name in languages.names()]


def _row(language: Language, uncompiled: str) -> str:
    tool = language.toolchain
    cells = (
        f"`{language.name}`",
        language.title,
        " ".join(f"`{suffix}`" for suffix in language.suffixes),
        " ".join(f"`{package}`" for package in tool.package.split()) or f"`{tool.install}`",
        f"`{language.compiled_by}`" if language.compiled_by else uncompiled,
        f"{language.time_multiplier:g}",
    )
    return f"| {' | '.join(cells)} |"


def with_table(text: str, heading: str, uncompiled: str) -> str:
    """The page with its table as the languages are now.

    Raises:
        ValueError: the page has no such heading.
    """
    table = re.compile(rf"^{re.escape(heading)}\n(?:\|.*\n)*", re.MULTILINE)
    written = "\n".join((heading, "|---" * heading.count(" | ") + "|---|", *rows(uncompiled))) + "\n"
    made, count = table.subn(lambda _: written, text)
    if count != 1:
        raise ValueError(f"no table, or several, with the heading {heading}")
    return made


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    changed = []
    for name, (heading, uncompiled) in PAGES.items():
        page = ROOT / "docs" / name
        text = page.read_text(encoding="utf-8")
        made = with_table(text, heading, uncompiled)
        if made != text:
            changed.append(f"docs/{name}")
            if not check:
                page.write_text(made, encoding="utf-8")
    for path in changed:
        print(f"{path}: {'its table of languages is old: python scripts/language_tables.py' if check else 'written'}")
    return int(check and bool(changed))


if __name__ == "__main__":
    sys.exit(main())
