"""What the judge says of a test, in Chinese. What nobody of us worded (a problem's own checker) stays as it is."""

from __future__ import annotations

import re

from judge.server.page.words import Language

#: Most letters of a detail that are looked at.
_MOST = 2000
_UNITS = {"token": "词", "line": "行"}
#: Pattern and wording. Groups that are details themselves are named `rest`.
_WORDINGS = tuple(
    (re.compile(pattern, re.DOTALL), wording)
    for pattern, wording in (
        (r'line (\d+): expected "(.*)", got "(.*)"', "第 {0} 行：期望“{1}”，实际为“{2}”"),
        (r'line (\d+), token (\d+): expected "(.*)", got "(.*)"', "第 {0} 行第 {1} 个词：期望“{2}”，实际为“{3}”"),
        (r'line (\d+): extra (\w+) "(.*)"', "第 {0} 行：多出的{1}“{2}”"),
        (r'line (\d+), token (\d+): extra (\w+) "(.*)"', "第 {0} 行第 {1} 个词：多出的{2}“{3}”"),
        (r'output ends where "(.*)" is expected', "输出在应为“{0}”处结束"),
        (r"output ends after (\d+) of (\d+) (token|line)s", "输出只有 {1} 个{2}中的 {0} 个"),
        (r'(token|line) "(.*)" of the answer is missing', "缺少答案中的{0}“{1}”"),
        (r"CPU time (.+) over the limit of ([^,]+)", "CPU 时间 {0}，超出限制 {1}"),
        (r"wall time over the limit of (.+) \(CPU time ([^,]+)\)", "墙钟时间超出限制 {0}（CPU 时间 {1}）"),
        (
            r"wall time over the limit of (.+) \(CPU time (.+), and (.+) without a core\)",
            "墙钟时间超出限制 {0}（CPU 时间 {1}，另有 {2} 没有可用的核）",
        ),
        (r"used more than (.+) \(peak ([^,]+)\)", "内存超过 {0}（峰值 {1}）"),
        (
            r"used more than (.+) \(peak (.+), of which (.+) may be files that do not count\)",
            "内存超过 {0}（峰值 {1}，其中 {2} 可能是不计入的文件）",
        ),
        (r"died with (.+) of (.+) in use", "终止时已使用 {1} 中的 {0}"),
        (r"was refused memory under (.+) \((.+)\)", "在 {0} 的限制下申请内存被拒绝（{1}）"),
        (r"wrote more than (.+)", "输出超过 {0}"),
        (r"wrote a file larger than the limit \(SIGXFSZ\)", "写入的文件超过限制（SIGXFSZ）"),
        (r"exit code (-?\d+)", "退出码 {0}"),
        (r"(SIG[A-Z0-9]+)", "信号 {0}"),
        (r"over the time limit", "超出时间限制"),
        (r"over the memory limit", "超出内存限制"),
        (r"over the output limit", "超出输出限制"),
        (r"internal error", "内部错误"),
        (r"the run was cancelled", "运行已取消"),
        (r"cancelled", "已取消"),
        (r"stopped by its client", "被客户端停止"),
        (r"the program could not be started \((.+)\)", "程序无法启动（{0}）"),
        (r"no output was handed in for this test", "没有提交该测试点的输出"),
        (r"the output has more than (\d+) bytes", "输出超过 {0} 字节"),
        (
            r"wrong answer (\d+)\w\w (number|word|token|line)s differ - expected: '(.*)', found: '(.*)'",
            "第 {0} 个{1}不同：期望“{2}”，实际为“{3}”",
        ),
        (r"wrong answer (?P<rest>.+)", "答案错误：{rest}"),
        (r"wrong output format (?P<rest>.+)", "输出格式错误：{rest}"),
        (r"ok (?P<rest>.+)", "正确：{rest}"),
        (r"(-?[\d.e+]+) points: (?P<rest>.+)", "{0} 分：{rest}"),
        (r"(-?[\d.e+]+) points", "{0} 分"),
        (r"pass (\d+): (?P<rest>.+)", "第 {0} 轮：{rest}"),
        (r"process (\d+): (?P<rest>.+)", "第 {0} 个进程：{rest}"),
        (r"on this output the (?P<rest>.+)", "对此输出：{rest}"),
    )
)
_THINGS = {**_UNITS, "number": "数", "word": "词"}


def say_detail(detail: str, language: Language, depth: int = 0) -> str:
    """`detail` of a test or an execution, in the language of the page."""
    if language == "en" or len(detail) > _MOST or depth > 3:
        return detail
    for pattern, wording in _WORDINGS:
        if found := pattern.fullmatch(detail):
            parts = [_THINGS.get(part, part) for part in found.groups()]
            rest = found.groupdict().get("rest")
            return wording.format(*parts, rest=rest and say_detail(rest, language, depth + 1))
    return detail
