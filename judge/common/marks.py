"""The marks by which families of models steer a conversation: thinking, turns, special tokens.

One table for all who read these marks in what a model wrote, and for all who must not hand them on to another model.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Thought:
    """How a family marks its thinking."""

    opening: str
    #: "": nothing in the text ends this thinking.
    closing: str
    #: The opening is a plain word: it counts at the beginning of an answer only.
    first: bool = False
    #: Whether the closing alone shows that the prompt had opened the thinking.
    ends_alone: bool = True


THOUGHTS = (
    # DeepSeek-R1, Qwen3, QwQ, GLM, Kimi K2, Nemotron and most others; then EXAONE, recipes for GSM8K, Seed-OSS, Kimi-VL
    # and Magistral, Gemma 4, OpenThinker, Apertus, LongCat, s1.
    Thought(opening="<think>", closing="</think>"),
    Thought(opening="<thinking>", closing="</thinking>"),
    Thought(opening="<thought>", closing="</thought>"),
    Thought(opening="<reasoning>", closing="</reasoning>"),
    Thought(opening="<seed:think>", closing="</seed:think>"),
    Thought(opening="◁think▷", closing="◁/think▷"),
    Thought(opening="[THINK]", closing="[/THINK]"),
    Thought(opening="<|channel>thought", closing="<channel|>"),
    Thought(opening="<|begin_of_thought|>", closing="<|end_of_thought|>"),
    Thought(opening="<|inner_prefix|>", closing="<|inner_suffix|>"),
    # MedGemma
    Thought(opening="<unused94>thought", closing="<unused95>"),
    Thought(opening="<longcat_think>", closing="</longcat_think>"),
    # openPangu
    Thought(opening="[unused16]", closing="[unused17]"),
    Thought(opening="<|im_start|>think", closing="<|im_start|>answer"),
    # Solar Open. Other families end a message with the same token.
    Thought(opening="<|think|>", closing="<|end|>", ends_alone=False),
    # Marks that recipes ask for in their prompts.
    Thought(opening="<scratchpad>", closing="</scratchpad>", ends_alone=False),
    Thought(opening="<analysis>", closing="</analysis>", ends_alone=False),
    Thought(opening="<reflection>", closing="</reflection>", ends_alone=False),
    Thought(opening="<thoughts>", closing="</thoughts>", ends_alone=False),
    Thought(opening="<reason>", closing="</reason>", ends_alone=False),
    Thought(opening="<cot>", closing="</cot>", ends_alone=False),
    Thought(opening="<draft>", closing="</draft>", ends_alone=False),
    Thought(opening="<plan>", closing="</plan>", ends_alone=False),
    Thought(opening="<rationale>", closing="</rationale>", ends_alone=False),
    # gpt-oss whose special tokens are gone: `<|channel|>analysis<|message|>` and what stands before the answer.
    Thought(opening="analysis", closing="assistantfinal", first=True),
    # Gemma 4 whose special tokens are gone: nothing tells any more where the thinking ends.
    Thought(opening="thought\n", closing="", first=True),
    # Granite 3.2
    Thought(opening="Here is my thought process:", closing="Here is my response:", first=True, ends_alone=False),
    # Apriel
    Thought(opening="Here are my reasoning steps:", closing="[BEGIN FINAL RESPONSE]", first=True),
)

_THINKING = "think|thought|reasoning|monologue|deliberat|reflect|brainstorm|ponder"
#: A tag that is called after thinking, of any other family or recipe: `<mm:think>` (MiniMax), `<think_fast>` and
#: `<ifm|think>` (K2), `<think_never_used_51bce0c7>`, `<thinking_process>`, `<think effort="low">`, `< think >`.
THOUGHT_TAG = re.compile(
    r"< ?(?P<closes>/?) ?"
    rf"(?P<name>(?:[a-z]{{1,12}}[:|])?[a-z_-]{{0,20}}(?:{_THINKING})[a-z0-9_-]{{0,60}}|(?:思考|推理)(?:过程)?)"
    r"(?:\s[^<>\r\n]{0,80})?>",
    re.IGNORECASE,
)
#: A token or a tag that says begin or end beside it: `<|think_start|>` and `<|think_end|>`, `<think_start>`,
#: `<|thinking|>` and `<|/thinking|>`, `<｜think｜>`, `[BEGIN THINKING]`, `[/REASONING]` (without its slash: a heading),
#: `<|START_THINKING|>` (Command A), `<|im_think|>`.
THOUGHT_TOKEN = re.compile(
    r"(?:<[|｜]|<(?=[a-z]{5,12}_(?:begin|start|end)>|(?:begin|start|end)_)|\[(?=/|(?:begin|end)[_ ]))"
    r"(?P<begins>/|(?:begin|start|end)[_ ](?:of[_ ])?)?(?P<name>(?:[a-z]{1,12}_)?(?:think|thought|reasoning)[a-z]{0,3})"
    r"(?P<ends>[_ ](?:begin|start|end))?(?:[|｜]?>|\])",
    re.IGNORECASE,
)
#: As interfaces for chats fold it: `<details type="reasoning" done="true">`, `<summary>Thinking</summary>`.
THOUGHT_DETAILS = re.compile(
    r"<details\s[^<>\r\n]{0,80}\btype=\"reasoning\"[^<>\r\n]{0,80}>|</details>"
    r"|<summary>[^<\r\n]{0,20}\b(?:think|thought|reasoning\b)[^<\r\n]{0,40}</summary>",
    re.IGNORECASE,
)

#: A message of gpt-oss ("harmony") with its channel; the answer is on channel `final`.
HARMONY = re.compile(
    r"(?:<\|start\|>\s?assistant[^<>]{0,100})?<\|channel\|>\s?(?P<channel>[a-z]{1,20})[^<>]{0,100}"
    r"(?:<\|constrain\|>[^<>]{0,40})?<\|message\|>"
)

#: A special token in the text, which is no part of it.
SPECIAL = re.compile(
    r"<\|begin\|>assistant(?=<\|)|<[|｜][^<>\s]{1,40}[|｜]>|<\|[a-z_]{1,20}>|<[a-z_]{1,20}\|>|</?s>|<(?:bos|eos|pad|unk|eot|eod|eop)>"
    r"|<(?:start|end)_of_(?:turn|image)>|\[/?INST\]|\[(?:BOS|EOS|PAD)\]|\[e~\["
)

#: Where a chat template begins an answer.
ANSWER_BEGINS = re.compile(
    r"<[|｜](?:im_start|start|begin|start_of_role|start_header_id|header_start|turn|im_assistant)[|｜]?>\s?(?:assistant|model)"
    r"(?:\s?<[|｜](?:end_header_id|header_end|end_of_role|im_middle|im_sep)[|｜]>)?"
    r"|<[|｜][^<>|｜\s]{0,20}(?:assistant|chatbot)(?!_(?:think|thought|reason))[^<>|｜\s]{0,12}[|｜]>|\[\|assistant\|\]|\[/INST\]"
    r"|<start_of_turn>model|<seed:bos>assistant|\]~b\]ai|<(?:special_11|extra_id_1)>assistant|<role>assistant</role>"
    r"|\b(?:assistant|助手)\s?[:：]|### ?(?:response|answer|assistant)\b:?",
    re.IGNORECASE,
)
#: What ends an answer, or begins the turn of another.
ANSWER_ENDS = re.compile(
    r"<[|｜](?:im_end|eot_id|eot|eom_id|end|return|end▁of▁sentence|endofturn|im_start|start_header_id|turn"
    r"|[^<>|｜\s]{0,10}(?:user|system)[^<>|｜\s]{0,10})[|｜]?>|</?s>|<turn\|>|<(?:start|end)_of_turn>|\[INST\]|\[e~\["
    r"|\b(?:user|human|用户)\s?[:：]|### ?(?:instruction|question|user)\b",
    re.IGNORECASE,
)

#: The first character of whatever a tokenizer or a template may take for a mark.
_STEERS = re.compile(
    r"<(?=/?[|｜]|[a-z_]{1,40}[|｜]>|\[[^\[\]<>\s]{1,40}\]>"
    r"|/?(?:s|(?:bos|eos|pad|unk|mask|cls|sep|sop|eop|eod|eot)(?:_token)?|eom|eoa|eoh|system|user|assistant|human|role"
    r"|_[a-z]{1,12}|ai|用户|think|thinking|thoughts?|reason|reasoning|scratchpad|analysis|reflection|response"
    r"|tool_call|tool_response|arg_key|arg_value|tools|function_call|function_results|mask:[0-9]{1,3}|ctrl[0-9]{1,3}"
    r"|im_start|im_end|cot|plan|rationale|draft|思考(?:过程)?|推理(?:过程)?|details(?:\s[^<>]{0,160})?"
    rf"|[a-z]{{1,12}}[:|][a-z_]{{1,20}}|[a-z_-]{{0,20}}(?:{_THINKING})[a-z0-9_-]{{0,60}}"
    r"|(?:longcat|extra_id|reserved|unused|fim|special|start_of|end_of|begin_of)_?[a-z0-9_]{1,20}"
    r"|0x[0-9a-f]{2})>)"
    r"|<(?=</?SYS>>|/?SYS>>)"
    r"|\[(?=/?(?:INST|THINK|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|CALL_ID|ARGS"
    r"|IMG(?:_BREAK|_END)?|(?:BEGIN_)?AUDIO|MODEL_SETTINGS|PREFIX|SUFFIX|MIDDLE|@BOS@|BOS|EOS|EOT|PAD|CLS|SEP|MASK|UNK"
    r"|USER|BOT|(?:start|end)_header_id|control_[0-9]{1,3}|gMASK|unused(?:_token_)?[0-9]{1,3}"
    r"|(?:BEGIN|END) FINAL RESPONSE|\|[a-z]{1,20}\|)\]|e~\[)"
    r"|\](?=~|![a-z]~)|>>(?=[A-Z]{5,12}<<)|◁",
    re.IGNORECASE,
)


def break_marks(text: str) -> str:
    """The same text, in which no mark of any family is one any more: a space stands in each (`< |im_end|>`).

    For text that somebody else wrote, on its way into a model's prompt: it must neither end its message nor begin one.
    """
    return _STEERS.sub(lambda match: f"{match[0]} ", text)
