"""Where things stand below the scrollback: what changes, the question or the prompt, the line at the bottom."""

from __future__ import annotations

from collections.abc import Sequence
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
from handrail.surfaces.cli.wrapping import wrapped
from handrail.surfaces.terminal.slash import COMMANDS, matching
from handrail.surfaces.terminal.status import status_line

if TYPE_CHECKING:
    from handrail.surfaces.terminal.dialog import Choice
    from handrail.surfaces.terminal.prompt import Prompt

STYLE = Style.from_dict({"status": "dim", "hint": "dim", "prompt": "bold", "problem": "ansired", "key": "bold"})

MOST_TYPED = 10
"""Rows of what is being typed that are shown."""
TYPING_KEYS = "Enter sends, Esc goes back, Ctrl-G opens an editor"
MOST_QUEUED = 3
"""Of what was typed while the agent works: those that are shown."""
QUEUED_KEYS = "  Up edits, Esc drops the last"
_BESIDE = 4
"""Rows that are left for what else stands there when there is much to choose from."""
_MARK, _MORE = "> ", "  "


def layout_of(prompt: Prompt) -> AnyContainer:
    is_asked = Condition(lambda: prompt.asked is not None and prompt.takes_keys)
    is_typed = Condition(lambda: prompt.wants is not None)
    return HSplit(
        [
            _lines(FormattedTextControl(lambda: ANSI("\n".join(prompt.live))), Condition(lambda: bool(prompt.live))),
            Window(height=1),
            _lines(
                FormattedTextControl(lambda: _queued(prompt)),
                Condition(lambda: bool(prompt.host.queued)),
            ),
            _lines(
                FormattedTextControl(lambda: _about_typing(prompt)),
                Condition(lambda: bool(_about_typing(prompt))),
            ),
            ConditionalContainer(
                Window(prompt.choices, dont_extend_height=True, always_hide_cursor=True, wrap_lines=True),
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
    if prompt.host.queued:
        below += min(len(prompt.host.queued), MOST_QUEUED + 1) + 1
    if prompt.asked is not None:
        below += sum(len(_rows(choice, prompt.columns)) for choice in shown_choices(prompt)) + 2
    return max(1, prompt.rows - below)


def queued_lines(texts: Sequence[str], columns: int) -> list[str]:
    """A line for each of the newest, with what it begins with."""
    more, shown = len(texts) - MOST_QUEUED, texts[-MOST_QUEUED:]
    lines = [f"queued: {printable(' '.join(text.split()))}" for text in shown]
    lines = [line if len(line) <= columns else f"{line[: columns - 1]}…" for line in lines]
    return [*([f"queued: {more} more"] if more > 0 else []), *lines]


def _queued(prompt: Prompt) -> StyleAndTextTuples:
    keys = [] if prompt.asked is not None else [QUEUED_KEYS]
    return [("class:hint", "\n".join([*queued_lines(prompt.host.queued, prompt.columns), *keys]))]


def _about_typing(prompt: Prompt) -> StyleAndTextTuples:
    """What is wrong with what was typed, and what is to be done now."""
    told = [part for line in prompt.problem.splitlines() for part in wrapped(printable(line), prompt.columns)]
    if prompt.asked is not None and not prompt.takes_keys:
        return [("class:hint", "a question: it takes keys once you stop typing")]
    if prompt.wants is None:
        return [("class:problem", "\n".join(told))] if told else []
    problem = [("class:problem", "".join(f"{line}\n" for line in told))]
    asks = f"{prompt.wants.value}:"
    beside = len(asks) + 2 + len(TYPING_KEYS) <= prompt.columns
    keys = f"  {TYPING_KEYS}" if beside else "\n" + "\n".join(wrapped(TYPING_KEYS, prompt.columns))
    return [*problem, ("", asks), ("class:hint", keys)]


def shown_choices(prompt: Prompt) -> list[Choice]:
    """In a low window the last of those with a digit are left out, and their keys do nothing: nobody can have read
    them. How to say no always stands there."""
    choices = list(prompt.asked.choices) if prompt.asked is not None else []
    numbered = [choice for choice in choices if choice.key.isdecimal()]
    while numbered and sum(len(_rows(choice, prompt.columns)) for choice in choices) > prompt.rows - _BESIDE:
        choices.remove(numbered.pop())
    return choices


def _rows(choice: Choice, columns: int) -> list[str]:
    return wrapped(f"{_key(choice)} {choice.label}", columns)


def _key(choice: Choice) -> str:
    """What stands before its label."""
    return f"  {choice.key} "


def _choices(prompt: Prompt) -> StyleAndTextTuples:
    parts: StyleAndTextTuples = []
    shown = shown_choices(prompt)
    for choice in shown:
        key, (first, *more) = _key(choice), _rows(choice, prompt.columns)
        parts += [("", "\n" if parts else ""), ("class:key", key), ("", "\n".join([first[len(key) :], *more]))]
    if prompt.asked is not None and len(shown) < len(prompt.asked.choices):
        parts += [("class:hint", "\n     … more in a higher window")]
    return parts


def _completions(prompt: Prompt) -> StyleAndTextTuples:
    names = matching(prompt.draft.text)
    return [("class:hint", "\n".join(f"  /{name:<10} {COMMANDS[name]}" for name in names))]


def _status(prompt: Prompt) -> str:
    status = prompt.host.status()
    return status_line(replace(status, hint=prompt.hint) if prompt.hint else status, prompt.columns)
