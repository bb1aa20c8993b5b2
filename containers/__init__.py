"""Runs untrusted programs in sandboxes and reports facts. Knows nothing of problems or verdicts."""

from containers.errors import ContainerError, SandboxError, Unavailable, Unsupported
from containers.launcher.relay import Carried, Relay, Side, Speech
from containers.outcome import Isolation, Outcome, Termination, Usage
from containers.sandbox import Sandbox
from containers.select import open_sandbox
from containers.spec import File, RunLimits, RunSpec, Trust

__all__ = [
    "Carried",
    "ContainerError",
    "File",
    "Isolation",
    "Outcome",
    "Relay",
    "RunLimits",
    "RunSpec",
    "Sandbox",
    "SandboxError",
    "Side",
    "Speech",
    "Termination",
    "Trust",
    "Unavailable",
    "Unsupported",
    "Usage",
    "open_sandbox",
]
