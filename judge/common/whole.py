"""Makes text of what JSON and some tokenizers can spell and no file can hold: halves of characters."""

from __future__ import annotations


def whole(text: str) -> str:
    """`text` where two halves that belong together are their character, and one alone (a lone surrogate) is U+FFFD, as
    in what was decoded. A question mark would be an operator of C, and what a test may expect."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def encode_text(text: str) -> bytes:
    """What a text is as bytes, wherever it comes from."""
    return whole(text).encode()
