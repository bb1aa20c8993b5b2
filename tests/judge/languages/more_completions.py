"""More completions, as data: prompts that look like templates, families of later years, marks and fences in programs,
other marks of lists, tags that are file names.
"""

from __future__ import annotations

from collections.abc import Mapping

from tests.judge.languages.completions import DRAFT, PROGRAM, Case, D, F, P, told

READS = "a, b = map(int, input().split())\nprint(a + b)\n"
THINKS = "<|im_start|>assistant\n<think>\n"
STEPS = "Here are my reasoning steps:\n"
RAW = 'auto s = R"(\n</think>\n)";\n'
PRINTS, OPENS, COMMENTS = 'puts("</think>");\n', 'puts("<think>");\n', "x = 1  # </think>\n"


def fenced(code: str, tag: str = "cpp", fence: str = F) -> str:
    return f"{fence}{tag}\n{code}{fence}"


def ask(content: str) -> list[dict[str, object]]:
    return [{"role": "user", "content": content}]


IN, OUT = fenced("1 2\n", ""), fenced("3\n", "")

#: What is there, and what is found.
MORE: Mapping[str, Case] = {
    "user says assistant:, template thinks, cut": Case(
        told(f"ok\n{D}\nhm"),
        None,
        prompt=ask("You are a helpful coding assistant: add two numbers."),
        template_end=THINKS,
    ),
    "user says ### Response format, template thinks, cut": Case(
        told(f"ok\n{D}\nhm"), None, prompt=ask("Add.\n### Response format\nOne block.\n"), template_end=THINKS
    ),
    "user says ### Answer, template thinks, finished": Case(
        told(f"ok\n{D}\nhm</think>{P}"),
        PROGRAM,
        prompt=ask("Add.\n### Answer: (use backticks)\n\n"),
        template_end=THINKS,
    ),
    "user shows the format, template thinks, cut": Case(
        told(f"ok\n{D}\nhm"),
        None,
        prompt=ask("Add.\n### Response\n<think>\nreasoning\n</think>\n```cpp\ncode\n```\n"),
        template_end=THINKS,
    ),
    "user shows the format, no template mark": Case(
        told(f"<think>ok\n{D}\nhm</think>\n{P}"),
        PROGRAM,
        prompt=ask("Add.\n### Response\n<think>\nreasoning\n</think>\n```cpp\ncode\n```\n"),
    ),
    "user shows the format, open fence at its end": Case(told(P), PROGRAM, prompt=ask("Add.\nAnswer: as\n```cpp\n")),
    "LCB prompt": Case(
        P,
        PROGRAM,
        prompt="### Question:\nAdd.\n### Format: x\n```python\n# YOUR CODE HERE\n```\n\n### Answer: (use t"
        "he provided format with backticks)\n\n",
    ),
    "LCB prompt, thinking template in text": Case(
        f"{D}\nhm",
        None,
        prompt="<|im_start|>user\n### Question:\nAdd.\n### Answer: (use the provided format with backticks"
        ")\n\n<|im_end|>\n<|im_start|>assistant\n<think>\n",
    ),
    "text prompt of an unknown template": Case(
        f"{D}\nhm", None, prompt="[[user]] You are an assistant: add. User: hi [[bot]]\n<think>\n"
    ),
    "text prompt, unknown template, assistant word": Case(
        f"{D}\nhm", None, prompt="[[user]] You are an assistant: add.[[bot]]\n<think>\n"
    ),
    "system+user messages, system says assistant:": Case(
        told(f"{D}\nhm"),
        None,
        prompt=[{"role": "system", "content": "assistant: think"}, {"role": "user", "content": "add"}],
        template_end=THINKS,
    ),
    "prompt is messages and the last is assistant prefix think": Case(
        told(f"{D}\nhm"), None, prompt=ask("add") + told("<think>\n")
    ),
    "prompt assistant prefix think closed": Case(told(P), PROGRAM, prompt=ask("add") + told("<think>\n\n</think>\n\n")),
    "prompt with parts": Case(
        told(f"{D}\nhm"),
        None,
        prompt=[{"role": "user", "content": [{"type": "text", "text": "add"}]}],
        template_end=THINKS,
    ),
    "Apriel, own mark, cut": Case(f"{STEPS}try\n{D}\nhm", None),
    "Apriel, own mark, gives up": Case(
        f"{STEPS}try\n{D}\nhm\n[BEGIN FINAL RESPONSE]\nNo.\n[END FINAL RESPONSE]\n<|end|>", None
    ),
    "Apriel, solves": Case(f"{STEPS}try\n{D}\nhm\n[BEGIN FINAL RESPONSE]\n{P}\n[END FINAL RESPONSE]\n<|end|>", PROGRAM),
    "Apriel, template, cut": Case(f"try\n{D}\nhm", None, template_end=f"<|begin_assistant|>\n{STEPS}"),
    "Apriel, template, gives up": Case(
        f"try\n{D}\nhm\n[BEGIN FINAL RESPONSE]\nNo.", None, template_end=f"<|begin_assistant|>\n{STEPS}"
    ),
    "s1, cut": Case(f"<|im_start|>think\ntry\n{D}\nhm", None),
    "s1, gives up": Case(f"<|im_start|>think\ntry\n{D}\nhm<|im_start|>answer\nNo.", None),
    "s1, solves": Case(f"<|im_start|>think\ntry\n{D}\nhm<|im_start|>answer\n{P}<|im_end|>", PROGRAM),
    "Solar Open, cut": Case(f"<|think|>try\n{D}\nhm", None),
    "Solar Open, gives up": Case(f"<|think|>try\n{D}\nhm<|end|><|begin|>assistant<|content|>No.<|end|>", None),
    "Solar Open, solves": Case(f"<|think|>try\n{D}\nhm<|end|><|begin|>assistant<|content|>{P}<|end|>", PROGRAM),
    "Granite 3.3 response tag": Case(f"<think>ok\n{D}</think><response>Here:\n{P}</response>", PROGRAM),
    "Ernie response on its line": Case(f"<think>ok\n{D}</think>\n<response>\n{P}\n</response>\n", PROGRAM),
    "Hunyuan answer": Case(f"<think>\nok\n{D}\n</think>\n<answer>\n{P}\n</answer>", PROGRAM),
    "Hunyuan answer, gives up": Case(f"<think>\nok\n{D}\n</think>\n<answer>\nNo.\n</answer>", None),
    "MiniMax template": Case(f"{D}\nhm", None, template_end="]~b]ai\n<think>\n"),
    "MiniMax solves": Case(f"{D}\nhm</think>\n\n{P}[e~[", PROGRAM, template_end="]~b]ai\n<think>\n"),
    "Phi-4 reasoning": Case(
        f"<think> User wants\n{D}\n</think>\n\n{P}<|im_end|>", PROGRAM, template_end="<|im_start|>assistant<|im_sep|>"
    ),
    "Phi-4 reasoning cut": Case(f"<think> User wants\n{D}\n", None, template_end="<|im_start|>assistant<|im_sep|>"),
    "Nemotron off, empty think": Case(f"<think>\n</think>\n\n{P}", PROGRAM),
    "Nemotron nano special": Case(f"<think>\n{D}</think>\n{P}<SPECIAL_12>", PROGRAM),
    "DeepHermes": Case(f"<think>\n{D}\n</think>\n{P}<|eot_id|>", PROGRAM),
    "Marco-o1": Case(f"<Thought>\n{D}\n</Thought>\n<Output>\n{P}\n</Output>", PROGRAM),
    "Marco-o1 gives up": Case(f"<Thought>\n{D}\n</Thought>\n<Output>\nno\n</Output>", None),
    "Sky-T1": Case(
        f"<|begin_of_thought|>\n{D}\n<|end_of_thought|>\n<|begin_of_solution|>\n{P}\n<|end_of_solution|>", PROGRAM
    ),
    "Sky-T1 gives up": Case(
        f"<|begin_of_thought|>\n{D}\n<|end_of_thought|>\n<|begin_of_solution|>\nno\n<|end_of_solution|>", None
    ),
    "scratchpad cut": Case(f"<scratchpad>\n{D}\nhm", None),
    "scratchpad gives up": Case(f"<scratchpad>\n{D}\n</scratchpad>\nI cannot.", None),
    "scratchpad solves": Case(f"<scratchpad>\n{D}\n</scratchpad>\n{P}", PROGRAM),
    "analysis tag gives up": Case(f"<analysis>\n{D}\n</analysis>\nI cannot.", None),
    "reflection gives up": Case(f"<reflection>\n{D}\n</reflection>\nI cannot.", None),
    "thoughts gives up": Case(f"<thoughts>\n{D}\n</thoughts>\nI cannot.", None),
    "reason gives up": Case(f"<reason>\n{D}\n</reason>\nI cannot.", None),
    "think with attributes": Case(f'<think type="deep">\n{D}\n</think>\nI cannot.', None),
    "DeepSeek V3.1 switched off": Case(P, PROGRAM, template_end="<｜Assistant｜></think>"),
    "Kimi K2 template": Case(f"{D}\nhm", None, template_end="<|im_assistant|>assistant<|im_middle|><think>"),
    "Kimi K2 solves": Case(
        f"{D}\nhm</think>{P}<|im_end|>", PROGRAM, template_end="<|im_assistant|>assistant<|im_middle|><think>"
    ),
    "Magistral system prompt style": Case(f"[THINK]\n{D}\n[/THINK]\nHere: {P}</s>", PROGRAM),
    "Magistral old: <think> in text": Case(f"<think>\n{D}\n</think>\n{P}</s>", PROGRAM),
    "Magistral parts of thinking lists": Case(
        told(
            [
                {"type": "thinking", "thinking": [{"type": "text", "text": D}], "closed": True},
                {"type": "text", "text": P},
            ]
        ),
        PROGRAM,
    ),
    "Magistral parts gives up": Case(
        told(
            [
                {"type": "thinking", "thinking": [{"type": "text", "text": D}]},
                {"type": "text", "text": "no"},
            ]
        ),
        None,
    ),
    "Claude redacted": Case(told([{"type": "redacted_thinking", "data": "x"}, {"type": "text", "text": P}]), PROGRAM),
    "Seed-OSS with budget": Case(
        f"<seed:think>\n<seed:cot_budget_reflect>I have used 128 tokens.</seed:cot_budget_reflect>"
        f"\n{D}\n</seed:think>\n{P}<seed:eos>",
        PROGRAM,
    ),
    "Seed-OSS template": Case(f"{D}\nhm", None, template_end="<seed:bos>assistant\n<seed:think>\n"),
    "GLM 4.5 template": Case(f"{D}\nhm", None, template_end="<|assistant|>\n<think>"),
    "GLM 4.5 /nothink": Case(f"\n<think></think>\n{P}", PROGRAM, template_end="<|assistant|>\n"),
    "GLM box without fence on own line": Case(f"<think>x</think>\n<|begin_of_box|>\n{P}\n<|end_of_box|>", PROGRAM),
    "gpt-oss strip, commentary tool then final": Case(
        f'analysisWe try\n{D}assistantcommentary to=functions.run json{{"code":"x"}}commentaryokassi'
        f"stantanalysisgood\n{D}assistantfinal{P}",
        PROGRAM,
    ),
    "gpt-oss strip, cut in 2nd analysis": Case(
        f"analysisWe try\n{D}assistantcommentary to=functions.run json{{}}assistantanalysisgood\n{D}", None
    ),
    "gpt-oss strip, commentary preamble": Case(f"analysisWe\nassistantcommentaryI'll do\n{D}", None),
    "gpt-oss raw, final truncated before program ends": Case(
        f"<|channel|>analysis<|message|>{D}<|end|><|start|>assistant<|channel|>final<|message|>{F}cpp\n{PROGRAM}", None
    ),
    "gpt-oss raw, no analysis": Case(f"<|channel|>final<|message|>{P}<|return|>", PROGRAM),
    "gpt-oss raw, assistant role first": Case(
        f"<|start|>assistant<|channel|>analysis<|message|>{D}<|end|><|start|>assistant<|channel|>fin"
        f"al<|message|>{P}<|return|>",
        PROGRAM,
    ),
    "gpt-oss raw, channel w/ constrain": Case(
        f"<|channel|>analysis<|message|>{D}<|end|><|start|>assistant<|channel|>final <|constrain|>te"
        f"xt<|message|>{P}<|return|>",
        PROGRAM,
    ),
    "gpt-oss messages w/ thinking field": Case(told(P, thinking=D), PROGRAM),
    "gpt-oss strip, final only": Case(f"final{P}", PROGRAM),
    "gpt-oss strip, assistantfinal only": Case(f"assistantfinal{P}", PROGRAM),
    "gpt-oss template began final": Case(P, PROGRAM, template_end="<|start|>assistant<|channel|>final<|message|>"),
    "Gemma 4 channel empty": Case(f"<|channel>thought\n<channel|>{P}<turn|>", PROGRAM),
    "Command A action plan": Case(f"<|START_THINKING|>{D}<|END_THINKING|><|START_ACTION|>[]<|END_ACTION|>", None),
    "LongCat": Case(f"<longcat_think>\n{D}\n</longcat_think>\n{P}</longcat_s>", PROGRAM),
    "LongCat cut": Case(f"<longcat_think>\n{D}\n", None),
    "OLMo 3 Think template": Case(f"{D}\nhm", None, template_end="<|im_start|>assistant\n<think>"),
    "InternLM thinking": Case(f"<think>\n{D}\n</think>\n{P}<|im_end|>", PROGRAM),
    "MiMo": Case(f"<think>\n{D}\n</think>\n{P}<|im_end|>", PROGRAM, template_end="<|im_start|>assistant\n<think>\n"),
    "Ring role template": Case(f"{D}\nhm", None, template_end="<role>ASSISTANT</role><think>\n"),
    "Falcon H1R": Case(f"{D}\nhm</think>\n{P}<|im_end|>", PROGRAM, template_end="<|im_start|>assistant\n<think>\n"),
    "program prints the opening mark": Case(fenced(OPENS), OPENS),
    "program opening mark on own line raw string": Case(
        fenced('auto s = R"(\n<think>\n)";\n'), 'auto s = R"(\n<think>\n)";\n'
    ),
    "program closing mark on own line raw string": Case(
        fenced("<think>x</think>\n" + fenced('auto s = R"(\n</think>\n)";\n')).replace(
            F + "cpp\n<think>", "<think>", 1
        )[:-3],
        'auto s = R"(\n</think>\n)";\n',
    ),
    "template thinking; draft with raw string closing mark, cut": Case(fenced(RAW) + "\nhm", None, template_end=THINKS),
    "template thinking; docstring closing mark; finished": Case(
        fenced(COMMENTS, "python") + "\nhm\n</think>\n" + fenced(READS, "python"),
        READS,
        template_end=THINKS,
        language="python3",
    ),
    "template thinking; inline code mark then draft": Case(
        f"I'd print `</think>`.\n{D}\nhm", None, template_end=THINKS
    ),
    "template thinking; four-space indented code has the mark": Case(
        f'maybe\n\n    puts("</think>");\n\n{D}\nhm', None, template_end=THINKS
    ),
    "template thinking; tilde draft with the mark": Case(
        fenced(PRINTS, "cpp", "~~~") + "\nhm", None, template_end=THINKS
    ),
    "py docstring with bare fence indented 4": Case(
        fenced('def g():\n    """\n    ```\n    g()\n    ```\n    """\n' + READS, "python"),
        'def g():\n    """\n    ```\n    g()\n    ```\n    """\n' + READS,
        language="python3",
    ),
    "py docstring with python fence indented 4": Case(
        fenced('def g():\n    """\n    ```python\n    g()\n    ```\n    """\n' + READS, "python"),
        'def g():\n    """\n    ```python\n    g()\n    ```\n    """\n' + READS,
        language="python3",
    ),
    "js template literal with fence": Case(
        fenced("const s = `\n```\n`;\nconsole.log(s)\n", "js", "````"),
        "const s = `\n```\n`;\nconsole.log(s)\n",
        language="javascript",
    ),
    "bash heredoc": Case(fenced("cat <<'E'\n```\nE\n", "bash", "````"), "cat <<'E'\n```\nE\n", language="bash"),
    "program comment with triple backticks inline": Case(
        fenced("// see ```code``` here\n" + PROGRAM), "// see ```code``` here\n" + PROGRAM
    ),
    "program prints fence": Case(fenced('puts("```");\n'), 'puts("```");\n'),
    "program prints fence tag": Case(fenced('puts("```cpp");\n'), 'puts("```cpp");\n'),
    "program ending with string of fence": Case(
        fenced('print("```")\n', "python"), 'print("```")\n', language="python3"
    ),
    "program last line printing fence, closed inline": Case(
        f"{F}python\nprint('```')\n{F}</answer>", "print('```')\n", language="python3"
    ),
    "tilde": Case(fenced(PROGRAM, "cpp", "~~~"), PROGRAM),
    "tilde 4": Case(fenced(PROGRAM, "cpp", "~~~~"), PROGRAM),
    "tilde in answer tag": Case(f"<answer>{fenced(PROGRAM, 'cpp', '~~~')}</answer>", PROGRAM),
    "tilde closed on line": Case(f"~~~cpp\n{PROGRAM.rstrip()}~~~", None),
    "five ticks": Case(fenced(PROGRAM, "cpp", "`````"), PROGRAM),
    "close with more ticks": Case(f"{F}cpp\n{PROGRAM}`````", PROGRAM),
    "mixed": Case(f"{F}cpp\n{PROGRAM}~~~", None),
    "CR everything": Case(f"So:\r{F}cpp\rint x;\r{F}\r", "int x;\n"),
    "vertical tab and form feed": Case(f"So:\x0c\n{P}", PROGRAM),
    "unicode line separator before the fence": Case(f"So:\u2028{P}", PROGRAM),
    "NEL": Case(f"So:\x85{P}", PROGRAM),
    "thin space before fence": Case(f"\u2009{P}", PROGRAM),
    "ideographic space before fence": Case(f"\u3000{P}", PROGRAM),
    "soft hyphen": Case(f"\u00ad{P}", PROGRAM),
    "RLM mark": Case(f"\u200f{P}", PROGRAM),
    "closing fence behind ideographic space": Case(f"{F}cpp\n{PROGRAM}\u3000{F}", PROGRAM),
    "table cell": Case(f"| {F}cpp\n{PROGRAM}{F}", PROGRAM),
    "heading then fence on the line": Case(f"### Code: {F}cpp\n{PROGRAM}{F}", PROGRAM),
    "letter list item": Case(f"a) {P}", PROGRAM),
    "circled number": Case(f"① {P}", PROGRAM),
    "roman": Case(f"(1) {P}", PROGRAM),
    "Step": Case(f"Step 1: {P}", PROGRAM),
    "Chinese list": Case(f"1、{P}", PROGRAM),
    "Chinese ordinal": Case(f"（1）{P}", PROGRAM),
    "Chinese answer bracket": Case(f"【答案】{P}", PROGRAM),
    "nested list two deep": Case(
        "- a\n  - b:\n    " + fenced(READS, "python").replace("\n", "\n    "), READS, language="python3"
    ),
    "list item with tab": Case("-\t" + fenced(READS, "python").replace("\n", "\n\t"), READS, language="python3"),
    "quote in list": Case("- > " + fenced(READS, "python").replace("\n", "\n  > "), READS, language="python3"),
    "admonition": Case("!!! note\n    " + fenced(READS, "python").replace("\n", "\n    "), READS, language="python3"),
    "html pre around": Case(f"<pre>\n{P}\n</pre>", PROGRAM),
    "code tag with attribute": Case(f'<code class="x">{P}</code>', PROGRAM),
    "xml code tag": Case(f"<final_code>\n{P}\n</final_code>", PROGRAM),
    "answer tag with attr on fence line": Case(f'<answer lang="cpp">{P}</answer>', PROGRAM),
    "final_answer tag on fence line": Case(f"<final_answer>{P}</final_answer>", PROGRAM),
    "boxed": Case(f"\\boxed{{\n{P}\n}}", PROGRAM),
    "boxed on line": Case(f"\\boxed{{{P}}}", PROGRAM),
    "BEGIN/END": Case(f"```cpp\nBEGIN\n```\n{P}", PROGRAM),
    "tool call json": Case(
        "<tool_call>\n"
        + '{"name":"submit","arguments":{"code":"'
        + PROGRAM.replace("\n", "\\n")
        + '"}}'
        + "\n</tool_call>",
        None,
    ),
    "tool call json with fence in it": Case('{"code":"```cpp\\nint x;\\n```"}', None),
    "json fence holding the code": Case(fenced('{"code":"int x;"}\n', "json"), None),
    "diff": Case(fenced("--- a\n+++ b\n+int x;\n", "diff"), None),
    "diff then program": Case(fenced("--- a\n+++ b\n", "diff") + "\n" + P, PROGRAM),
    "program then diff": Case(P + "\n" + fenced("--- a\n+++ b\n", "diff"), PROGRAM),
    "entity fence": Case("&#96;&#96;&#96;cpp\n" + PROGRAM + "&#96;&#96;&#96;", None),
    "Chinese prose": Case(f"首先读入两个数，然后输出它们的和。\n\n{P}\n\n复杂度 O(1)。", PROGRAM),
    "Chinese colon on fence line": Case(f"C++ 代码：{F}cpp\n{PROGRAM}{F}", PROGRAM),
    "Chinese closing prose on fence line": Case(f"{F}cpp\n{PROGRAM}{F}以上是代码。", PROGRAM),
    "Chinese tag C语言": Case(fenced(PROGRAM, "C++代码"), PROGRAM),
    "tag cpp Chinese title": Case(fenced(PROGRAM, "cpp 代码"), PROGRAM),
    "input/output in Chinese after": Case(
        f"{fenced(PROGRAM, '')}\n**输入样例：**\n{IN}\n**输出样例：**\n{OUT}", PROGRAM
    ),
    "untagged program, then 'Example output:'": Case(f"{fenced(PROGRAM, '')}\nExample output:\n{OUT}", PROGRAM),
    "untagged program, then 'Example:'": Case(f"{fenced(PROGRAM, '')}\nExample:\n{OUT}", PROGRAM),
    "untagged program, then 'Sample Output'": Case(f"{fenced(PROGRAM, '')}\n### Sample Output\n{OUT}", PROGRAM),
    "untagged program, then 'The output is:'": Case(f"{fenced(PROGRAM, '')}\nThe output is:\n{OUT}", PROGRAM),
    "untagged program, then 'This prints:'": Case(f"{fenced(PROGRAM, '')}\nThis prints:\n{OUT}", PROGRAM),
    "program then python test": Case(P + "\nTest:\n" + fenced(READS, "python"), PROGRAM),
    "python program then shell run": Case(
        fenced(READS, "python") + "\n" + fenced("echo 1 2 | python a.py\n", "sh"), READS, language="python3"
    ),
    "python program, then usage in console": Case(
        fenced(READS, "python") + "\n" + fenced(">>> fenced(1)\n", "pycon"), READS, language="python3"
    ),
    "tag python-repl only": Case(fenced(">>> fenced(1)\n", "python-repl"), None, language="python3"),
    "tag Py3": Case(fenced(READS, "Py3"), READS, language="python3"),
    "tag PYTHON": Case(fenced(READS, "PYTHON"), READS, language="python3"),
    "tag python main.py": Case(fenced(READS, "python main.py"), READS, language="python3"),
    "tag main.py": Case(fenced(READS, "main.py"), READS, language="python3"),
    "tag solution.cpp": Case(fenced(PROGRAM, "solution.cpp"), PROGRAM),
    "tag solution": Case(fenced(PROGRAM, "solution"), PROGRAM),
    "tag python:solution.py": Case(fenced(READS, "python:solution.py"), READS, language="python3"),
    "tag {python}": Case(fenced(READS, "{python}"), READS, language="python3"),
    "tag pypy": Case(fenced(READS, "pypy"), READS, language="python3"),
    "tag cython": Case(fenced(READS, "cython"), None, language="python3"),
    "tag sage": Case(fenced(READS, "sage"), None, language="python3"),
    "tag c++-17": Case(fenced(PROGRAM, "c++-17"), PROGRAM),
    "tag C++ (GCC)": Case(fenced(PROGRAM, "C++ (GCC)"), PROGRAM),
    "tag G++20": Case(fenced(PROGRAM, "G++20"), PROGRAM),
    "tag cpp20 wanted cpp17": Case(fenced(PROGRAM, "cpp20"), PROGRAM),
    "tag java8": Case(fenced("class A{}\n", "java8"), "class A{}\n", language="java"),
    "tag Java (OpenJDK)": Case(fenced("class A{}\n", "Java (OpenJDK 21)"), "class A{}\n", language="java"),
    "tag node": Case(fenced("x\n", "node"), "x\n", language="javascript"),
    "tag nodejs": Case(fenced("x\n", "nodejs"), "x\n", language="javascript"),
    "tag mjs": Case(fenced("x\n", "mjs"), "x\n", language="javascript"),
    "tag ts": Case(fenced("x\n", "ts"), "x\n", language="typescript"),
    "tag rs": Case(fenced("x\n", "rs"), "x\n", language="rust"),
    "tag golang": Case(fenced("x\n", "golang"), "x\n", language="go"),
    "tag kt": Case(fenced("x\n", "kt"), "x\n", language="kotlin"),
    "tag cs": Case(fenced("x\n", "cs"), "x\n", language="csharp"),
    "tag C#": Case(fenced("x\n", "C#"), "x\n", language="csharp"),
    "tag rb": Case(fenced("x\n", "rb"), "x\n", language="ruby"),
    "tag pas": Case(fenced("x\n", "pas"), "x\n", language="pascal"),
    "tag hs": Case(fenced("x\n", "hs"), "x\n", language="haskell"),
    "tag shell": Case(fenced("x\n", "shell"), "x\n", language="bash"),
    "tag zsh": Case(fenced("x\n", "zsh"), None, language="bash"),
    "prompt opens python fence, completion has its own later": Case(
        f"{READS}{F}\nCheck:\n{IN}", READS, prompt="Add.\n```python\n", language="python3"
    ),
    "prompt opens fence, stop before, prose behind none": Case(
        READS, READS, prompt="Add.\n```python\n", language="python3"
    ),
    "prompt leaves its example open": Case(
        f"{F}python\n{READS}{F}", READS, prompt="Use:\n```python\n# your code\n\nNow go", language="python3"
    ),
    "prompt leaves a line of its program open": Case(
        f"t(input())\n{F}", "print(input())\n", prompt="Complete it:\n```python\nprin", language="python3"
    ),
    "prompt opens tilde fence": Case(f"{READS}~~~", READS, prompt="Add.\n~~~python\n", language="python3"),
    "prompt opens fence of another language": Case(f"{READS}{F}", None, prompt="Add.\n```cpp\n", language="python3"),
    "prompt opens fence in assistant header": Case(
        f"{READS}{F}", READS, prompt="<|start_header_id|>assistant<|end_header_id|>\n\n```python\n", language="python3"
    ),
    "prompt opens fence after closed think": Case(
        f"{PROGRAM}{F}", PROGRAM, prompt="<|im_start|>assistant\n<think>\n\n</think>\n```cpp\n"
    ),
    "prompt opens fence, completion restarts with <think>": Case(f"<think>\n{D}\nhm", None, prompt="Add.\n```cpp\n"),
    "prompt opens fence, completion is empty": Case("", None, prompt="Add.\n```cpp\n"),
    "prompt opens indented fence in list": Case(
        "   a, b = map(int, input().split())\n   print(a + b)\n   ```",
        READS,
        prompt="1. Add:\n   ```python\n",
        language="python3",
    ),
    "prompt: HumanEval style, ends within def": Case(
        "    return a + b\n", None, prompt="def add(a, b):\n", language="python3"
    ),
    "last block empty, prior good": Case(P + "\n" + fenced(""), None),
    "two-program family: draft cpp17 then c++20": Case(
        fenced(DRAFT, "cpp17") + "\n" + fenced(PROGRAM, "c++20"), PROGRAM
    ),
    "thinking then answer with both C and C++": Case(f"<think>x</think>\n{fenced(DRAFT, 'c')}\n{P}", PROGRAM),
}
