"""Endpoints of other judges, so that their clients need another address and nothing else. docs/compat.md lists where we
answer otherwise than they do."""
