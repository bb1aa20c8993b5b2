"""Idempotency keys: what a client asked for with each, and the ids that it was answered with.

A client that hears no answer sends its request again with the same key, and gets those ids. A key belongs to its owner
and to one request: with another it is refused.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import sqlalchemy as sql

from judge.server.storing.tables import ONCE, insert_new


@dataclass(frozen=True, slots=True, kw_only=True)
class Once:
    """`asked`: the digest of a call with all that it asks for."""

    key: str
    asked: str

    @staticmethod
    def of(key: str | None, call: str, parts: Iterable[str | bytes]) -> Once | None:
        """None: the client sent no key."""
        if key is None:
            return None
        digest = hashlib.sha256(call.encode())
        for part in parts:
            content = part.encode() if isinstance(part, str) else part
            digest.update(len(content).to_bytes(8) + content)
        return Once(key=key, asked=digest.hexdigest())


class OtherRequest(Exception):
    """A key was sent with another request before."""

    def __init__(self) -> None:
        super().__init__("this key was sent with another request before; a new request needs a new key")


def find_answer(db: sql.Connection, owner: str, once: Once) -> list[str] | None:
    """The ids that a request was answered with; None: its key is new.

    Raises:
        OtherRequest: the key was sent with another.
    """
    mine = (ONCE.c.owner == owner, ONCE.c.key == once.key)
    found = db.execute(sql.select(ONCE.c.asked, ONCE.c.ids).where(*mine)).first()
    if found is None:
        return None
    if found.asked != once.asked:
        raise OtherRequest()
    ids: list[str] = json.loads(found.ids)
    return ids


def note(db: sql.Connection, owner: str, once: Once, ids: Sequence[str]) -> list[str] | None:
    """Keep the ids with a key that is new; else as `find_answer`."""
    values = {"owner": owner, "key": once.key, "asked": once.asked, "ids": json.dumps(ids), "made_s": time.time()}
    return None if insert_new(db, ONCE, values) else find_answer(db, owner, once)
