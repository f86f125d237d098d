"""Which key does what."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prompt_toolkit.filters import Condition
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.key_binding.key_processor import KeyPressEvent
from prompt_toolkit.keys import Keys

from handrail.surfaces.terminal.slash import completed

if TYPE_CHECKING:
    from handrail.surfaces.terminal.prompt import Prompt


def bindings(prompt: Prompt) -> KeyBindings:
    keys = KeyBindings()
    _for_prompt(keys, prompt)
    _for_questions(keys, prompt)
    _for_both(keys, prompt)
    return keys


def _for_prompt(keys: KeyBindings, prompt: Prompt) -> None:
    is_free = Condition(lambda: prompt.asked is None or not prompt.takes_keys)
    is_queued = Condition(lambda: bool(prompt.host.queued) and not prompt.draft.text)

    @keys.add("enter", filter=is_free)
    def _(event: KeyPressEvent) -> None:
        prompt.submit()

    @keys.add("tab", filter=is_free)
    def _(event: KeyPressEvent) -> None:
        text = completed(prompt.draft.text)
        if text != prompt.draft.text:
            prompt.draft.text = text
            prompt.draft.cursor_position = len(text)

    @keys.add("up", filter=is_free & is_queued)
    def _(event: KeyPressEvent) -> None:
        prompt.take_back()

    @keys.add("escape", filter=is_free)
    def _(event: KeyPressEvent) -> None:
        prompt.escape()

    @keys.add("c-d", filter=is_free)
    def _(event: KeyPressEvent) -> None:
        if prompt.draft.text:
            prompt.draft.delete()
        else:
            prompt.leave()


def _for_questions(keys: KeyBindings, prompt: Prompt) -> None:
    is_asked = Condition(lambda: prompt.asked is not None and prompt.takes_keys)
    is_typed = Condition(lambda: prompt.wants is not None)

    @keys.add(Keys.Any, filter=is_asked & ~is_typed)
    def _(event: KeyPressEvent) -> None:
        prompt.press(event.data)

    @keys.add("c-d", filter=is_asked)
    def _(event: KeyPressEvent) -> None:
        prompt.leave()

    @keys.add("enter", filter=is_asked & is_typed)
    def _(event: KeyPressEvent) -> None:
        prompt.answer_typed()

    @keys.add("escape", filter=is_asked & is_typed)
    def _(event: KeyPressEvent) -> None:
        prompt.stop_typing()


def _for_both(keys: KeyBindings, prompt: Prompt) -> None:
    @keys.add("c-c")
    def _(event: KeyPressEvent) -> None:
        prompt.interrupt()

    @keys.add("s-tab")
    def _(event: KeyPressEvent) -> None:
        prompt.host.next_mode()

    @keys.add("c-o")
    def _(event: KeyPressEvent) -> None:
        prompt.host.unfold()

    @keys.add("c-g")
    def _(event: KeyPressEvent) -> None:
        prompt.open_editor()

    @keys.add("c-z")
    def _(event: KeyPressEvent) -> None:
        event.app.suspend_to_background()

    @keys.add("escape", "enter")
    @keys.add("c-j")
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    @keys.add(Keys.BracketedPaste)
    def _(event: KeyPressEvent) -> None:
        text = event.data.replace("\r\n", "\n").replace("\r", "\n")
        event.current_buffer.insert_text(prompt.pastes.stand_in(text))
