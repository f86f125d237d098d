"""Where things stand below the scrollback: what changes, the question or the prompt, the line at the bottom."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from prompt_toolkit.buffer import Buffer
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import ANSI, StyleAndTextTuples
from prompt_toolkit.layout.containers import AnyContainer, ConditionalContainer, HSplit, VerticalAlign, Window
from prompt_toolkit.layout.controls import BufferControl, FormattedTextControl
from prompt_toolkit.layout.dimension import Dimension
from prompt_toolkit.styles import Style

from handrail.surfaces.cli.text import printable
from handrail.surfaces.terminal.slash import COMMANDS, matching
from handrail.surfaces.terminal.status import status_line
from handrail.surfaces.terminal.wrapping import wrapped

if TYPE_CHECKING:
    from handrail.surfaces.terminal.prompt import Prompt

STYLE = Style.from_dict({"status": "dim", "hint": "dim", "prompt": "bold", "problem": "ansired", "key": "bold"})

MOST_TYPED = 10
"""Rows of what is being typed that are shown."""
TYPING_KEYS = "Enter sends, Esc goes back, Ctrl-G opens an editor"
_MARK, _MORE = "> ", "  "


def layout_of(prompt: Prompt) -> AnyContainer:
    is_asked = Condition(lambda: prompt.asked is not None and prompt.takes_keys)
    is_typed = Condition(lambda: prompt.wants is not None)
    return HSplit(
        [
            _lines(FormattedTextControl(lambda: ANSI("\n".join(prompt.live))), Condition(lambda: bool(prompt.live))),
            Window(height=1),
            _lines(
                FormattedTextControl(lambda: _about_question(prompt)),
                Condition(lambda: prompt.asked is not None and bool(_about_question(prompt))),
            ),
            ConditionalContainer(
                Window(prompt.choices, dont_extend_height=True, always_hide_cursor=True),
                is_asked & ~is_typed,
            ),
            ConditionalContainer(_typing(prompt.typed), is_asked & is_typed),
            ConditionalContainer(_typing(prompt.draft), ~is_asked),
            _lines(
                FormattedTextControl(lambda: _completions(prompt)), Condition(lambda: bool(matching(prompt.draft.text)))
            ),
            Window(FormattedTextControl(lambda: _status(prompt)), height=1, style="class:status"),
        ],
        align=VerticalAlign.TOP,
    )


def choices_of(prompt: Prompt) -> FormattedTextControl:
    return FormattedTextControl(lambda: _choices(prompt), focusable=True, show_cursor=False)


def _lines(control: FormattedTextControl, shown: Condition) -> ConditionalContainer:
    return ConditionalContainer(Window(control, dont_extend_height=True, wrap_lines=False), shown)


def _typing(buffer: Buffer) -> Window:
    return Window(
        BufferControl(buffer),
        wrap_lines=True,
        height=Dimension(min=1, max=MOST_TYPED),
        dont_extend_height=True,
        get_line_prefix=lambda line, wrapped: [("class:prompt", _MORE if line or wrapped else _MARK)],
    )


def room_for_live(prompt: Prompt) -> int:
    """Rows that are left above what a person types and chooses from."""
    below = 3 + min(prompt.draft.text.count("\n"), MOST_TYPED)
    if prompt.asked is not None:
        below += len(prompt.asked.choices) + 2
    return max(1, prompt.rows - below)


def _about_question(prompt: Prompt) -> StyleAndTextTuples:
    """What is to be done now."""
    if not prompt.takes_keys:
        return [("class:hint", "a question: it takes keys once you stop typing")]
    if prompt.wants is None:
        return []
    told = [part for line in prompt.problem.splitlines() for part in wrapped(printable(line), prompt.columns)]
    problem = [("class:problem", "".join(f"{line}\n" for line in told))]
    return [*problem, ("", f"{prompt.wants.value}:"), ("class:hint", f"  {TYPING_KEYS}")]


def _choices(prompt: Prompt) -> StyleAndTextTuples:
    parts: StyleAndTextTuples = []
    for choice in prompt.asked.choices if prompt.asked is not None else ():
        key, *more = wrapped(f"  {choice.key}  {choice.label}", prompt.columns)
        label = "\n".join([key[4:], *more])
        parts += [("", "\n" if parts else ""), ("class:key", key[:4]), ("", label)]
    return parts


def _completions(prompt: Prompt) -> StyleAndTextTuples:
    names = matching(prompt.draft.text)
    return [("class:hint", "\n".join(f"  /{name:<10} {COMMANDS[name]}" for name in names))]


def _status(prompt: Prompt) -> str:
    status = prompt.host.status()
    return status_line(replace(status, hint=prompt.hint) if prompt.hint else status, prompt.columns)
