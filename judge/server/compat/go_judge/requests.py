"""What clients of go-judge send. Fields that it does not know, it ignores; so do we. Times in ns, sizes in bytes."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from judge.server.requests import MOST_CPU_NS, MOST_MEMORY_BYTES, MOST_OUTPUT_BYTES, Text

Cpu = Annotated[int, Field(ge=0, le=MOST_CPU_NS)]
Size = Annotated[int, Field(ge=0, lt=1 << 63)]


class CmdFile(BaseModel):
    """One of: a file of the server, a content, a file that was kept, a collector, a link; a stream (in /stream)."""

    src: Text | None = None
    content: Text | None = None
    fileId: str | None = None
    name: Text | None = None
    max: Size | None = None
    pipe: bool = False
    symlink: Text | None = None
    streamIn: bool = False
    streamOut: bool = False


class Cmd(BaseModel):
    """0 stands for what is not given, as there."""

    args: Annotated[list[Text], Field(min_length=1, max_length=500)]
    env: Annotated[list[Text], Field(max_length=500)] | None = None
    files: Annotated[list[CmdFile | None], Field(max_length=64)] | None = None
    tty: bool = False
    cpuLimit: Cpu = 0
    realCpuLimit: Cpu = 0
    clockLimit: Cpu = 0
    memoryLimit: Annotated[int, Field(ge=0, le=MOST_MEMORY_BYTES)] = 0
    stackLimit: Size = 0
    procLimit: Size = 0
    cpuRateLimit: Size = 0
    cpuSetLimit: str = ""
    dataSegmentLimit: bool = False
    addressSpaceLimit: bool = False
    copyIn: Annotated[dict[Text, CmdFile], Field(max_length=1000)] | None = None
    copyOut: Annotated[list[Text], Field(max_length=1000)] | None = None
    copyOutCached: Annotated[list[Text], Field(max_length=1000)] | None = None
    copyOutMax: Size = 0
    copyOutTruncate: bool = False
    copyOutDir: str = ""


class PipeIndex(BaseModel):
    index: int = 0
    fd: int = 0


class PipeMap(BaseModel):
    """From what writes (`in`) to what reads (`out`)."""

    in_: Annotated[PipeIndex, Field(alias="in")] = PipeIndex()
    out: PipeIndex = PipeIndex()
    name: Text = ""
    max: Size = 0
    proxy: bool = False


class RunRequest(BaseModel):
    requestId: Text = ""
    cmd: Annotated[list[Cmd], Field(max_length=64)] | None = None
    pipeMapping: Annotated[list[PipeMap], Field(max_length=64)] | None = None


#: What a collector takes at most, whatever its `max`.
MOST_COLLECTED_BYTES = MOST_OUTPUT_BYTES
