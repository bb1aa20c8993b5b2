"""Who looks at a page, in which language, and the token of forms."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from fastapi import Request
from fastapi.responses import Response

from judge.server.guarding.keys import Caller
from judge.server.page.words import Language, say

SESSION, LANGUAGE = "judge_session", "judge_language"
SESSION_S = 12 * 3600
#: Whoever has not signed in.
NOBODY = Caller(name="", roles=frozenset())


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    caller: Caller
    language: Language
    token: str
    #: Whether he came without a token, and gets this one.
    new: bool
    #: Whether there are keys.
    keys: bool
    path: str

    @property
    def signed_in(self) -> bool:
        return self.caller is not NOBODY

    @property
    def csrf(self) -> str:
        """What each form of this visitor carries, and nobody else can know."""
        return hashlib.sha256(f"form {self.token}".encode()).hexdigest()

    def say(self, key: str, **values: object) -> str:
        return say(self.language, key, **values)

    def keep(self, request: Request, response: Response) -> None:
        """Give him his token."""
        if self.new:
            set_cookie(request, response, SESSION, self.token, SESSION_S)


def set_cookie(request: Request, response: Response, name: str, value: str, seconds: int) -> None:
    secure = request.url.scheme == "https"
    response.set_cookie(name, value, max_age=seconds, httponly=True, samesite="strict", secure=secure, path="/")
