"""`handrail approvals`: open questions of any session in a workspace, and answers to them from another process."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import click

from handrail.contract.basics import Instant, SessionId
from handrail.contract.confirmation import Always, Answer, EditArguments, Once, QuestionConfirmation, Reject, Reply
from handrail.errors import UsageError
from handrail.runtime.answers import in_words
from handrail.runtime.approval_store import ApprovalRecord, ApprovalStore
from handrail.runtime.session_lock import holder_of
from handrail.runtime.stored_sessions import stored_sessions
from handrail.runtime.who import answerer_here, governed_by
from handrail.settings.redaction import Redactor
from handrail.surfaces.cli import exits
from handrail.surfaces.cli.approval_report import approval_json, approval_lines, table_lines
from handrail.surfaces.cli.hints import in_that
from handrail.surfaces.cli.journals import journal_of, journal_place
from handrail.surfaces.cli.options import in_workspace
from handrail.surfaces.cli.text import wants_colour
from handrail.surfaces.cli.typed import typed_object

SURFACE = "cli"
LOOK_SECONDS = 0.25

_id = click.argument("approval", metavar="ID")
_json = click.option("--json", "as_json", is_flag=True, help="JSON, for programs.")
_shown = click.option(
    "--shown", "fingerprint", default="", metavar="HASH", help="Refuse if something else is asked by now."
)


@click.group("approvals", no_args_is_help=False)
def approvals() -> None:
    """Look at the questions that wait for a person, and answer them."""


@approvals.command("list")
@in_workspace
@_json
def list_(workspace: Path, as_json: bool) -> int:
    """Show all open questions, the oldest first."""
    records = _open_questions(workspace)
    if as_json:
        click.echo(json.dumps({"version": 1, "approvals": [approval_json(record) for record in records]}))
        return exits.DONE
    for line in table_lines(records, time.time(), Redactor(os.environ)):
        click.echo(line)
    return exits.DONE


@approvals.command("show")
@_id
@in_workspace
@_json
def show(approval: str, workspace: Path, as_json: bool) -> int:
    """Show one question whole, and what can be granted for good."""
    with _store(workspace) as store:
        record = store.find(approval)
    if as_json:
        click.echo(json.dumps({"version": 1, **approval_json(record)}))
        return exits.DONE
    for line in approval_lines(record, workspace.absolute(), Redactor(os.environ), colour=wants_colour()):
        click.echo(line)
    return exits.DONE


@approvals.command("approve")
@_id
@click.option("--always", type=click.IntRange(min=1), metavar="N", help="Also grant the N-th of what is offered.")
@_shown
@in_workspace
def approve(approval: str, always: int | None, fingerprint: str, workspace: Path) -> int:
    """Say yes to this call; with --always, remember it."""

    def answer(record: ApprovalRecord) -> Answer:
        return Once() if always is None else _always(record, always)

    return _give(approval, answer, fingerprint, workspace)


@approvals.command("reject")
@_id
@click.option("--feedback", default="", metavar="TEXT", help="What the model is told.")
@_shown
@in_workspace
def reject(approval: str, feedback: str, fingerprint: str, workspace: Path) -> int:
    """Say no to this call."""
    return _give(approval, lambda _: Reject(feedback), fingerprint, workspace)


@approvals.command("edit")
@_id
@click.argument("arguments", metavar="JSON|-")
@_shown
@in_workspace
def edit(approval: str, arguments: str, fingerprint: str, workspace: Path) -> int:
    """Say yes with other arguments: one JSON object, '-' reads it. They are checked and decided anew."""
    edited = EditArguments(typed_object(_text(arguments)))

    def answer(record: ApprovalRecord) -> Answer:
        from handrail.surfaces.cli.edited import check_built_in

        check_built_in(record, edited.arguments)
        return edited

    return _give(approval, answer, fingerprint, workspace)


@approvals.command("answer")
@_id
@click.argument("reply", metavar="TEXT|-")
@_shown
@in_workspace
def answer_(approval: str, reply: str, fingerprint: str, workspace: Path) -> int:
    """Reply to a question. Where it asks for a form, the reply is one JSON object; '-' reads it."""
    text = _text(reply)

    def answer(record: ApprovalRecord) -> Answer:
        asked = record.shown.confirmation if record.shown else None
        has_form = isinstance(asked, QuestionConfirmation) and asked.form is not None
        return Reply(typed_object(text) if has_form else text)

    return _give(approval, answer, fingerprint, workspace)


@approvals.command("watch")
@in_workspace
@_json
def watch(workspace: Path, as_json: bool) -> int:
    """Print each question as it is asked, until interrupted."""
    redactor, seen, journal = Redactor(os.environ), set[str](), journal_place(workspace)
    while not journal.exists():  # until the first session opens here
        time.sleep(LOOK_SECONDS)
    with _store(workspace) as store:
        version = None
        while True:
            if (now := store.version()) != version:
                version = now
                records = _still_open(store)
                for record in records:
                    if record.id not in seen:
                        _print_new(record, workspace.absolute(), redactor, as_json=as_json)
                seen = {record.id for record in records}
            time.sleep(LOOK_SECONDS)


def _print_new(record: ApprovalRecord, root: Path, redactor: Redactor, *, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps({"version": 1, **approval_json(record)}))
        return
    for line in (*approval_lines(record, root, redactor, colour=wants_colour()), ""):
        click.echo(line)


def _give(approval: str, answer_to: Callable[[ApprovalRecord], Answer], fingerprint: str, workspace: Path) -> int:
    """Records the answer. A governed call's child may not: it would approve what a model asked for."""
    journal = journal_of(workspace)
    with _store(workspace) as store:
        record = store.find(approval)
        if why := governed_by(record.asking):
            raise UsageError(f"this command may not answer {approval}, for {why}; a person answers from outside")
        if holder_of(journal, record.session) is None and store.ends_with_its_process(record):
            going_on = _going_on(journal, record, workspace)
            raise UsageError(
                f"{approval} can't be answered any more: an agent, or a tool, asked, and ended with its process. The "
                f"call was not made. Go on with '{going_on}': the model hears of it, and what is still wanted is asked "
                "anew"
            )
        answer = answer_to(record)
        at = Instant(time.time())
        store.answer(approval, answer, answerer_here(SURFACE), at, fingerprint or record.fingerprint)
    click.echo(f"{record.tool} ({approval}): {in_words(answer)}")
    if holder_of(journal, record.session) is None:
        exits.told(f"its session is not running; go on with '{_going_on(journal, record, workspace)}'")
    return exits.DONE


def _going_on(journal: Path, record: ApprovalRecord, workspace: Path) -> str:
    command = "run --resume" if _has_conversation(journal, record.session) else "sessions resume"
    return f"handrail {command} {record.session}{in_that(workspace)}"


def _has_conversation(journal: Path, session: SessionId) -> bool:
    """A model works in it, and is to be told; not only calls that somebody else's program made."""
    return any(stored.id == session and stored.work is not None for stored in stored_sessions(journal))


def _always(record: ApprovalRecord, number: int) -> Always:
    offers = record.shown.offers if record.shown else ()
    if number > len(offers):
        offered = f"{len(offers)} are offered" if offers else "no grant is offered for this call"
        raise UsageError(f"there is no grant {number}: {offered}; see 'handrail approvals show {record.id}'")
    return Always(offers[number - 1])


def _open_questions(workspace: Path) -> list[ApprovalRecord]:
    """None where no session has run yet."""
    if not journal_place(workspace).exists():
        return []
    with _store(workspace) as store:
        return _still_open(store)


def _still_open(store: ApprovalStore) -> list[ApprovalRecord]:
    """Without those whose time is over: they take no answer, though their session has yet to reject the call."""
    return [record for record in store.open_questions() if record.standing(time.time()) == "open"]


@contextmanager
def _store(workspace: Path) -> Iterator[ApprovalStore]:
    with closing(ApprovalStore(journal_of(workspace))) as store:
        yield store


def _text(given: str) -> str:
    """Raises UsageError."""
    if given != "-":
        return given
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"the input is not UTF-8: byte {error.start}") from error
