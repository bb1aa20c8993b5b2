"""Completions in the styles of model families, as data: what each must give.

A style says how a family frames thinking and answer; a situation says what the model does. Every style meets every
situation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from judge.languages.extraction import Completion

F = "```"
PROGRAM = "#include <iostream>\nint main() { long long a, b; std::cin >> a >> b; std::cout << a + b; }\n"
DRAFT = "#include <cstdio>\nint main() { /* DRAFT */ }\n"


def fenced(code: str, tag: str = "cpp") -> str:
    return f"{F}{tag}\n{code}{F}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    #: Around the thinking, as far as it is in the completion.
    before: str = ""
    behind: str = ""
    #: Around the answer.
    answer: str = ""
    end: str = ""
    #: The end of the prompt, as the chat template writes it.
    template_end: str = ""


STYLES: Mapping[str, Style] = {
    "DeepSeek-R1, its own mark": Style(before="<think>\n", behind="\n</think>\n\n", end="<｜end▁of▁sentence｜>"),
    "DeepSeek-R1, the template's mark": Style(
        behind="\n</think>\n\n", end="<｜end▁of▁sentence｜>", template_end="<｜Assistant｜><think>\n"
    ),
    "DeepSeek-R1-Zero, <answer>": Style(
        before="<think> ", behind=" </think>\n", answer="<answer>", end="</answer>", template_end="Assistant: "
    ),
    "Qwen3": Style(before="<think>\n", behind="\n</think>\n\n", end="<|im_end|>"),
    "Qwen3-Thinking": Style(behind="\n</think>\n\n", template_end="<|im_start|>assistant\n<think>\n"),
    "QwQ": Style(behind="\n</think>\n\n**Final Answer**\n\n", end="<|im_end|>\n", template_end="<think>\n"),
    "Kimi": Style(before="◁think▷", behind="◁/think▷", end="[EOS]"),
    "Kimi, the template's mark": Style(
        behind="◁/think▷\n", template_end="<|im_assistant|>assistant<|im_middle|>◁think▷"
    ),
    "Magistral": Style(before="[THINK]", behind="[/THINK]", end="</s>"),
    "Seed-OSS": Style(before="<seed:think>", behind="</seed:think>\n", end="<seed:eos>"),
    "gpt-oss": Style(
        before="<|channel|>analysis<|message|>",
        behind="<|end|><|start|>assistant<|channel|>final<|message|>",
        end="<|return|>",
        template_end="<|start|>assistant",
    ),
    "gpt-oss without special tokens": Style(before="analysis", behind="assistantfinal"),
    "Gemma": Style(before="<|channel>thought\n", behind="<channel|>", end="<turn|>", template_end="<|turn>model\n"),
    "EXAONE": Style(before="<thought>\n", behind="\n</thought>\n\n", end="[|endofturn|]"),
    "GLM": Style(before="<think>", behind="</think>", answer="<|begin_of_box|>", end="<|end_of_box|><|user|>"),
    "Nemotron": Style(
        before="<think>\n", behind="\n</think>\n\n", end="<|eot_id|>",
        template_end="<|start_header_id|>assistant<|end_header_id|>\n\n",
    ),
    "a recipe with <reasoning>": Style(
        before="<reasoning>\n", behind="\n</reasoning>\n", answer="<answer>\n", end="\n</answer>"
    ),
    "MiniMax": Style(before="<mm:think>\n", behind="\n</mm:think>\n\n", end="[e~["),
    "MiniMax, the template's mark": Style(behind="\n</mm:think>\n\n", template_end="]~b]ai\n<mm:think>\n"),
    "K2": Style(before="<think_fast>\n", behind="\n</think_fast>\n\n", end="<|im_end|>"),
    "K2, the template's mark": Style(
        behind="\n</ifm|think_faster>\n\n", template_end="<|ifm|im_start|>assistant\n<ifm|think_faster>"
    ),
    "MedGemma": Style(before="<unused94>thought\n", behind="<unused95>", end="<end_of_turn>"),
    "a mark with an attribute": Style(before='<think effort="low">\n', behind="\n</think>\n"),
    "a recipe with <thinking_process>": Style(before="<thinking_process>\n", behind="\n</thinking_process>\n"),
    "Command A": Style(
        before="<|START_THINKING|>", behind="<|END_THINKING|>", answer="<|START_RESPONSE|>", end="<|END_RESPONSE|>"
    ),
}  # fmt: skip

#: What stands in the thinking, and in the answer; None: the completion ends in its thinking.
SITUATIONS: Mapping[str, tuple[str, str | None]] = {
    "a draft, and its thinking is cut": (f"We need a sum.\n{fenced(DRAFT)}\nBut is that", None),
    "a draft that is cut itself": (f"So:\n{F}cpp\n{DRAFT}", None),
    "a draft, then it gives up": (f"Maybe:\n{fenced(DRAFT)}\nNo, wrong.", "I could not solve it."),
    "two drafts, the second untagged": (f"{fenced(DRAFT)}\nor\n{fenced(DRAFT, '')}\nhmm", "Sorry."),
    "a program": ("Add them.", f"Here it is:\n\n{fenced(PROGRAM)}"),
    "a draft, then a program": (f"First:\n{fenced(DRAFT)}\nThat works.", f"{fenced(PROGRAM)}\n\nIt adds."),
    "a draft that is not closed, then a program": (f"First:\n{F}cpp\n{DRAFT}", f"{fenced(PROGRAM)}"),
    "a program without a tag": (f"Try\n{fenced(DRAFT, '')}\nok", f"The code:\n{fenced(PROGRAM, '')}"),
    "a program, closed on its last line": ("Easy.", f"{F}cpp\n{PROGRAM.rstrip()}{F}"),
    "a program, then a sample": ("Easy.", f"{fenced(PROGRAM)}\n\nOutput:\n{fenced('3', '')}"),
    "a program in a list": ("Easy.", "1. " + fenced(PROGRAM).replace("\n", "\n   ")),
}


class Expected(NamedTuple):
    completion: Completion
    template_end: str
    #: None: there is no program.
    code: str | None


def in_styles() -> Iterator[tuple[str, Expected]]:
    for family, style in STYLES.items():
        for situation, (thinking, answer) in SITUATIONS.items():
            text = style.before + thinking
            if answer is not None:
                text += style.behind + style.answer + answer + style.end
            code = PROGRAM if answer is not None and F in answer else None
            yield f"{family}: {situation}", Expected(text, style.template_end, code)


P, D = fenced(PROGRAM), fenced(DRAFT)
#: Programs that hold a closing mark.
PRINTS, SAYS = 'puts("</think>");\n', "int x; // </think>\n"
USER = {"role": "user", "content": "Add two numbers."}


def told(content: object, **others: object) -> list[dict[str, object]]:
    return [{"role": "assistant", "content": content, **others}]


class Case(NamedTuple):
    completion: Completion
    code: str | None
    prompt: Completion | None = None
    template_end: str = ""
    language: str | None = "cpp17"


PY = "for i in range(3):\n    print(i)\n"
#: What no style has: marks that are spoken of, prompts that begin the answer, parts of messages, ways to close a fence.
OTHERS: Mapping[str, Case] = {
    # Thinking.
    "the program prints the mark": Case(f"<think>x</think>\n{fenced(PRINTS)}", PRINTS),
    "the program prints the mark, no thinking": Case(fenced(PRINTS), PRINTS),
    "a draft prints the mark": Case(f"<think>\n{fenced(PRINTS)}\n{D}\nhmm</think>No.", None),
    "a draft has the mark in a comment": Case(f"<think>\n{fenced(SAYS)}\n{D}\nhm", None),
    "the mark in back-ticks, later": Case(f"<think>x</think>\n{P}\nI closed `</think>` early.", PROGRAM),
    "the mark in prose, later": Case(f"<think>x</think>\n{P}\nI closed </think> early.", PROGRAM),
    "a stray mark at the end": Case(f"<think>x</think>\n{P}\n</think>", PROGRAM),
    "the mark in back-ticks within thinking": Case(f"<think>I end with `</think>`.\n{D}\nhm</think>No.", None),
    "both marks within thinking": Case(f"<think>Write <think> and </think>.\n{D}\nhm</think>\nNo.", None),
    "an opening mark within thinking": Case(f"<think>It said <think> there.\nok</think>\n{P}", PROGRAM),
    "the opening mark twice": Case(f"\n<think>\nok</think>\n{P}", PROGRAM, template_end="<think>\n"),
    "thinking switched off by the template": Case(P, PROGRAM, template_end="<think>\n\n</think>\n\n"),
    "thinking switched off by its end alone": Case(P, PROGRAM, template_end="<｜Assistant｜></think>"),
    "the opening mark in prose": Case(f"I use <think> tags.\n{P}", PROGRAM),
    "an opening mark behind a sentence": Case(f"Sure! <think>{D}</think> I cannot.", None),
    "an opening mark behind a sentence, then a program": Case(f"Sure! <think>{D}</think>\n{P}", PROGRAM),
    "an opening mark that ends a line": Case(f"Sure! <think>\n{D}\nhm", None),
    "thinking again after the answer": Case(f"<think>a</think>\n{P}\n<think>\n{D}\nhm", PROGRAM),
    "thinking between two programs": Case(f"{D}\n<think>no</think>\n{P}", PROGRAM),
    "thinking that begins and ends at the end": Case("</think>[THINK]\nx [THINK][/THINK]", None),
    "an opening mark that ends the text": Case(f"{P}\nIt is <think>", PROGRAM),
    "upper case": Case(f"<THINK>{D}</THINK>No.", None),
    "another family's mark within thinking": Case(f"<think>[/THINK]\n{D}\nhm</think>No.", None),
    "a mark that cut a draft off": Case(f"<think>{F}cpp\nint dr</think>\n{P}", PROGRAM),
    "a mark that cut a draft off, then no tag": Case(
        f"<think>{F}cpp\nint dr\n</think>\n{fenced(PROGRAM, '')}", PROGRAM
    ),
    "no opening mark, a draft, no program": Case(f"hm\n{D}\n</think>\nNo.", None),
    "thinking behind special tokens": Case(f"<s><|im_start|><think>{D}\nhm", None),
    "Gemma without special tokens": Case(f"thought\nLet me.\n{D}\nhm", None),
    "Granite": Case(f"Here is my thought process:\n{D}\nHere is my response:\n{P}", PROGRAM),
    "Granite, cut": Case(f"Here is my thought process:\n{D}\nhm", None),
    "gpt-oss, a tool's call alone": Case(
        f"<|channel|>commentary to=functions.run <|constrain|>json<|message|>{D}<|call|>", None
    ),
    "gpt-oss, analysis between tools": Case(
        f"<|channel|>analysis<|message|>{D}<|end|><|start|>assistant<|channel|>commentary to=functions.run"
        f"<|message|>{D}<|call|><|start|>assistant<|channel|>final<|message|>{P}<|return|>", PROGRAM
    ),
    "gpt-oss, the prompt began the analysis": Case(
        f"{D}<|end|><|start|>assistant<|channel|>final<|message|>No.", None,
        template_end="<|start|>assistant<|channel|>analysis<|message|>",
    ),
    "gpt-oss, the prompt began the analysis, cut": Case(
        f"{D}\nhm", None, template_end="<|start|>assistant<|channel|>analysis<|message|>"
    ),
    "prose that begins with analysis": Case(f"analysis of the task: add.\n{P}", PROGRAM),
    "a heading Analysis": Case(f"Analysis\n\nAdd.\n{P}", PROGRAM),
    "a heading thought": Case(f"Thought: add.\n{P}", PROGRAM),
    # Messages.
    "a field of reasoning": Case(told(P, reasoning_content=D), PROGRAM),
    "reasoning alone": Case(told(None, reasoning_content=D), None),
    "parts of thinking": Case(told([{"type": "thinking", "thinking": D}, {"type": "text", "text": P}]), PROGRAM),
    "parts of reasoning with text": Case(
        told([{"type": "reasoning", "text": f"{D}\n"}, {"type": "text", "text": "No."}]), None
    ),
    "parts marked as thoughts": Case(told([{"text": f"{D}\n", "thought": True}, {"text": P}]), PROGRAM),
    "a message on another channel": Case([*told(D, channel="analysis")], None),
    "a message on the final channel": Case([*told(D, channel="analysis"), *told(P, channel="final")], PROGRAM),
    "a turn of repair that is cut in its thinking": Case(
        [*told(f"x</think>{D}"), USER, *told(f"{D}\nhm")], None, template_end="<think>\n"
    ),
    # Prompts that begin the answer.
    "the prompt opens the fence": Case(f"{PROGRAM}{F}\nIt adds.", PROGRAM, f"Add two numbers.\n{F}cpp\n"),
    "the prompt opens the fence, no line end": Case(f"{PROGRAM}{F}", PROGRAM, f"Add two numbers.\n{F}cpp"),
    "the prompt opens the fence, a stop string took the other": Case(PROGRAM, PROGRAM, f"Add two numbers.\n{F}cpp\n"),
    "the prompt opens a bare fence": Case(f"{PROGRAM}{F}", PROGRAM, f"Add two numbers.\n{F}\n"),
    "a message of the assistant opens the fence": Case(
        told(f"{PROGRAM}{F}\nIt adds."), PROGRAM, [USER, *told(f"Here it is:\n{F}cpp\n")]
    ),
    "a template opens the fence": Case(
        PROGRAM, PROGRAM, f"<|im_start|>user\nAdd.<|im_end|>\n<|im_start|>assistant\nThe code:\n{F}cpp\n"
    ),
    "the prompt holds the beginning of the program": Case(
        "    return a + b\n```", "def add(a, b):\n    return a + b\n",
        f"Complete:\n{F}python\ndef add(a, b):\n", language="python3",
    ),
    "the model opens the fence again": Case(P, PROGRAM, f"Add two numbers.\n{F}cpp\n"),
    "the prompt's fences are closed": Case(PROGRAM, None, f"Add two numbers.\n{F}\n1 2\n{F}\n"),
    "an example of the prompt is not the model's": Case("I cannot.", None, f"Assistant: {P}\n"),
    "a sample that the prompt leaves open": Case(f"{P}", PROGRAM, f"Add.\n{F}\n1 2\n3\n"),
    "the prompt ends with the mark": Case(f"{D}\nhm", None, "Add two numbers.\n<think>\n"),
    "the prompt ends with the mark, finished": Case(f"{D}\n</think>\n{P}", PROGRAM, "Add two numbers.\n<think>\n"),
    "the prompt asks for marks": Case(P, PROGRAM, "Think between <think> and </think>, then answer."),
    "a trainer that renders into the message": Case(
        told(f"{D}\nhm"), None,
        [{"role": "user", "content": "<|im_start|>user\nAdd<|im_end|>\n<|im_start|>assistant\n<think>\n"}],
    ),
    # Fences.
    "closed, then prose on its line": Case(f"{F}cpp\n{PROGRAM}{F} This works in O(1).", PROGRAM),
    "closed, then prose with back-ticks": Case(f"{F}cpp\n{PROGRAM}{F} It takes `O(1)` time.", PROGRAM),
    "closed, then a tag": Case(f"{F}cpp\n{PROGRAM}{F}</answer>", PROGRAM),
    "closed on the last line, then a tag": Case(f"<answer>{F}cpp\n{PROGRAM.rstrip()}{F}</answer>", PROGRAM.rstrip()),
    "closed on the last line, then a block": Case(
        f"{F}cpp\n{PROGRAM.rstrip()}{F}\nOutput:\n{F}\n3\n{F}\n", PROGRAM.rstrip()
    ),
    "a comment with back-ticks within": Case(f"{F}cpp\n// a {F}\n{PROGRAM}{F}\n", f"// a {F}\n{PROGRAM}"),
    "closed, then one word": Case(f"{F}cpp\n{PROGRAM}{F}Done", PROGRAM),
    "carriage returns alone": Case(P.replace("\n", "\r"), PROGRAM),
    "carriage returns and newlines": Case(P.replace("\n", "\r\n"), PROGRAM.replace("\n", "\r\n")),
    "python3.11": Case(fenced(PY, "python3.11"), PY, language="python3"),
    "ipython": Case(fenced(PY, "ipython"), PY, language="python3"),
    "ipython3": Case(fenced(PY, "ipython3"), PY, language="python3"),
    "python-3.12": Case(fenced(PY, "python-3.12"), PY, language="python3"),
    "Python 3": Case(fenced(PY, "Python 3"), PY, language="python3"),
    "python2 is another language": Case(fenced(PY, "python2"), None, language="python3"),
    "java21": Case(fenced("class A {}\n", "java21"), "class A {}\n", language="java"),
    "C++ 20": Case(fenced(PROGRAM, "C++ 20"), PROGRAM),
    "a list item": Case("1. " + fenced(PY, "python").replace("\n", "\n   "), PY, language="python3"),
    "below a list item": Case("1. So:\n\n   " + fenced(PY, "python").replace("\n", "\n   "), PY, language="python3"),
    "a list item whose block is at the margin": Case("- " + fenced(PY, "python"), PY, language="python3"),
    "a quote": Case("> " + fenced(PY, "python").replace("\n", "\n> "), PY, language="python3"),
    "a text at the margin in a list": Case(
        f"1. {F}python\n   x = '''\na\n'''\n   print(x)\n   {F}", "x = '''\na\n'''\nprint(x)\n", language="python3"
    ),
    "a tag that says program": Case(fenced(PROGRAM, "代码"), PROGRAM),
    "an untagged sample below it": Case(f"{fenced(PROGRAM, '')}\n样例输出：\n{fenced('3', '')}", PROGRAM),
    "an untagged input above it": Case(f"**Sample Input 1**\n{fenced('1 2', '')}\n{fenced(PROGRAM, '')}", PROGRAM),
    "cut within a second program": Case(f"{P}\nBetter:\n{F}cpp\n#inc", PROGRAM),
    "cut within its program": Case(f"So:\n{F}cpp\n{PROGRAM}", None),
}  # fmt: skip
