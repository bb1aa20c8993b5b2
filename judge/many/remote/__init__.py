"""Judges on a server (`judge serve`) on another machine.

Judge ──► RemoteExecutor (executor)     callable from any thread
            └─► Connection (connection)     one event loop: requests, retries, packages that the server lacks
                  └─► messages              submissions as JSON, and JSON as judgements
"""
