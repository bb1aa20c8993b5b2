"""The pages of `judge serve`, made on the server. They ask the service and the store that /v1 asks.

    visits      who looks: language, the token of forms
    session     signing in and out
    look        templates, headers, errors
    queries     what the lists show, from the database
    submit, judgements, batches, catalogue, machine, reference      the pages
    details, folding    what the page of a judgement shows
    texts       whole texts, of which pages show the beginning
    words.toml  all that they say, in two languages

What others sent is text, and is escaped. What is rendered (`judge.server.rendering`) is made of escaped text.
"""

from __future__ import annotations

from fastapi import FastAPI

from judge.server.page import batches, catalogue, judgements, look, machine, reference, session, submit, texts


def add(app: FastAPI) -> None:
    """Let the application answer for the pages."""
    for part in (session, submit, judgements, batches, catalogue, machine, reference, texts):
        app.include_router(part.router, include_in_schema=False)
    app.mount("/static", look.Static())
