"""What the commands after a slash do: they ask the session and the agent, and give lines."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TypeAlias

from handrail.agent.spent import ForServers
from handrail.errors import UsageError
from handrail.policy import Mode
from handrail.policy.spelling import nearest
from handrail.runtime.grant_store import GrantStore
from handrail.runtime.stored_sessions import stored_sessions
from handrail.settings.places import state_folder
from handrail.settings.redaction import Redactor
from handrail.surfaces.cli.grants_commands import grant_lines
from handrail.surfaces.cli.hints import in_that
from handrail.surfaces.cli.journals import journal_place
from handrail.surfaces.cli.sessions_commands import session_lines
from handrail.surfaces.cli.settings_here import SANDBOX_NOTE
from handrail.surfaces.cli.text import printable
from handrail.surfaces.cli.tools_command import tool_lines
from handrail.surfaces.terminal.call_lines import seconds, title_of
from handrail.surfaces.terminal.models import ModelOf
from handrail.surfaces.terminal.slash import COMMANDS, IN_THE_SHELL
from handrail.surfaces.terminal.sources import source_lines
from handrail.surfaces.terminal.work import Work

Command: TypeAlias = Callable[[Work, str, ModelOf], Awaitable[list[str]]]

KEYS = (
    ("Enter", "sends; Alt-Enter or Ctrl-J begins a new line"),
    ("Shift-Tab", "the next mode"),
    ("Ctrl-O", "more of what runs, or all of the last calls"),
    ("Ctrl-G", "what you are typing, in your editor"),
    ("Ctrl-C", "interrupts the agent; twice leaves"),
    ("Esc", "drops what was queued last, or interrupts"),
    ("Ctrl-Z", "back to the shell; fg goes on"),
    ("Ctrl-D", "leaves"),
)


async def carry_out(work: Work, name: str, rest: str, model_of: ModelOf) -> list[str]:
    """The lines that a command gives. Raises UsageError for what it can't do, and for a name that is none."""
    command = _COMMANDS.get(name)
    if command is None:
        if name in IN_THE_SHELL:
            there = f"{IN_THE_SHELL[name]}{in_that(work.settings.workspace)}"
            raise UsageError(f"/{name} is no command of the conversation; in your shell: {there}")
        near = nearest(name, COMMANDS)
        raise UsageError(f"there is no command /{name}; {f'did you mean /{near}?' if near else '/help lists them'}")
    return await command(work, rest, model_of)


async def _help(work: Work, rest: str, model_of: ModelOf) -> list[str]:
    commands = [f"  /{name:<10} {about}" for name, about in COMMANDS.items()]
    return [*commands, "", *(f"  {key:<11} {about}" for key, about in KEYS)]


async def _model(work: Work, rest: str, model_of: ModelOf) -> list[str]:
    if rest:
        work.agent.model = model_of(rest)
    return [f"The model is {printable(work.agent.model.name)}."]


async def _mode(work: Work, rest: str, model_of: ModelOf) -> list[str]:
    if not rest:
        return [f"The mode is {work.session.mode}. The modes are {', '.join(Mode)}: /mode NAME changes it."]
    work.session.change_mode(rest)
    return [SANDBOX_NOTE] if work.session.mode is Mode.SANDBOXED else []


async def _tools(work: Work, rest: str, model_of: ModelOf) -> list[str]:
    return [printable(line) for line in tool_lines(work.session.menu(work.agent.model.name), explain=True)]


async def _policy(work: Work, rest: str, model_of: ModelOf) -> list[str]:
    rules = [rule for rule in work.settings.rules.rules if rest.lower() in rule.ref.text.lower()]
    lines = [f"{rule.outcome:<5}  {_one_line(rule.ref.text)}  ({rule.ref.source}:{rule.ref.line})" for rule in rules]
    mode = f"Mode {work.session.mode}. {'No rules' if not lines else 'Rules'}{f' with {rest!r}' if rest else ''}."
    return [mode, *map(printable, lines), "To ask about one call: handrail policy check, handrail policy explain."]


async def _approvals(work: Work, rest: str, model_of: ModelOf) -> list[str]:
    redactor = Redactor(os.environ)
    waiting = [f"{call.approval}  {title_of(call, redactor)}" for call in work.session.pending()]
    grants = await asyncio.to_thread(_grants, work.settings.workspace, redactor)
    return [*(waiting or ["No questions are open."]), *grants]


async def _mcp(work: Work, rest: str, model_of: ModelOf) -> list[str]:
    return source_lines(work.session.sources(), [prompt for _, prompt in work.session.prompts()])


async def _agents(work: Work, rest: str, model_of: ModelOf) -> list[str]:
    lines = [
        printable(f"{agent.id}  {agent.state.value:<9} {agent.type}: {agent.task}{' (background)' * agent.background}")
        for agent in work.agent.agents()
    ]
    return lines or ["No subagents."]


async def _sessions(work: Work, rest: str, model_of: ModelOf) -> list[str]:
    place = journal_place(work.settings.workspace)
    found = await asyncio.to_thread(stored_sessions, place)
    here = in_that(work.settings.workspace)
    return [*session_lines(found), f"This one is {work.session.id}. To go on with another: handrail --resume ID{here}"]


async def _cost(work: Work, rest: str, model_of: ModelOf) -> list[str]:
    spent = work.agent.spent
    usage = spent.usage
    cached = f", {usage.cached:,} of them from a cache" if usage.cached else ""
    money = "not known: the model has no price here" if spent.money is None else f"${spent.money:.4f}"
    return [
        f"Read {usage.input:,} tokens{cached}; wrote {usage.output:,}; {spent.turns:,} responses.",
        f"Cost: {money}. At work for {seconds(spent.seconds)}.",
        *_for_servers(spent.for_servers),
    ]


def _for_servers(share: ForServers) -> list[str]:
    """Of tool servers that had the model answer."""
    if not share.answers:
        return []
    answers = "an answer" if share.answers == 1 else f"{share.answers:,} answers"
    money = "" if share.money is None else f", ${share.money:.4f}"
    used = share.usage
    return [f"Of that, {answers} to tool servers: read {used.input:,} tokens, wrote {used.output:,}{money}."]


async def _clear(work: Work, rest: str, model_of: ModelOf) -> list[str]:
    work.agent.clear()
    return ["The conversation is forgotten; the session and what was granted in it go on."]


async def _compact(work: Work, rest: str, model_of: ModelOf) -> list[str]:
    done = await work.agent.compact()
    return ["There is nothing to gain yet."] if done is None else work.activity.hear(done)


def _grants(workspace: Path, redactor: Redactor) -> list[str]:
    store = GrantStore(journal_place(workspace), state_folder())
    try:
        return list(grant_lines([stored for stored in store.all() if stored.revoked is None], redactor))
    finally:
        store.close()


def _one_line(text: str) -> str:
    return " ".join(text.split())


_COMMANDS: Mapping[str, Command] = {
    "help": _help,
    "model": _model,
    "mode": _mode,
    "tools": _tools,
    "policy": _policy,
    "approvals": _approvals,
    "mcp": _mcp,
    "agents": _agents,
    "sessions": _sessions,
    "cost": _cost,
    "clear": _clear,
    "compact": _compact,
}
"""All but /quit, which needs no session."""
