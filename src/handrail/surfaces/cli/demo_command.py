"""`handrail demo`: a scripted model repairs a failing test through the real runtime."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import tempfile
from importlib import resources
from pathlib import Path

import click

from handrail.agent.agent import open_agent
from handrail.agent.events import Ended, Finished, TurnEnded
from handrail.agent.model import TextArrived
from handrail.agent.scripted import ScriptedModel
from handrail.contract.calls import AwaitingApproval
from handrail.contract.confirmation import Answer, Once
from handrail.contract.ports import Asker, Unanswered
from handrail.policy import load_rules
from handrail.runtime.parts import Parts
from handrail.session import Session
from handrail.settings.redaction import Redactor
from handrail.surfaces.cli.asking import TerminalAsker
from handrail.surfaces.cli.confirming import question_lines
from handrail.surfaces.cli.demo.script import SCRIPT, TASK
from handrail.surfaces.cli.text import bold, dim, wants_colour
from handrail.surfaces.cli.turn_text import call_lines
from handrail.surfaces.cli.wrapping import output_columns, wrapped

_POLICY = "the demo's policy"
_INDENT = "  "
_AFTERWARDS = (
    "Every call above was decoded, checked, decided by policy, carried out and journaled; only the model was a script.",
    "Next, in a project of yours: handrail doctor, then handrail.",
    "With a model's response that you have: handrail exec FILE",
)


def run_demo(*, plain: bool) -> int:
    """Plays in a temporary folder, which is removed afterwards. 0 when the model came to its end."""
    colour = not plain and wants_colour()
    at_terminal = not plain and sys.stdin.isatty() and sys.stdout.isatty()
    # The sample's tests run with the interpreter that runs this, whatever it is called here.
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    with tempfile.TemporaryDirectory(prefix="handrail-demo-") as scratch:
        project, state = Path(scratch, "harbour"), Path(scratch, "state")
        _copy_project(project)
        state.mkdir(mode=0o700)
        os.environ["HANDRAIL_STATE"] = str(state)
        return asyncio.run(
            _play(project, TerminalAsker(project) if at_terminal else YesWithANote(project, colour), colour=colour)
        )


class YesWithANote:
    """Stands in for the person where there is none: says yes, and says that it did."""

    surface = "demo"

    def __init__(self, project: Path, colour: bool) -> None:
        self._project = project
        self._colour = colour

    async def answer(self, call: AwaitingApproval) -> Answer | Unanswered:
        for line in question_lines(call, self._project, colour=self._colour):
            click.echo(f"  {line}")
        click.echo(dim("  (No terminal to ask at: the demo says yes. At a terminal, you would.)", colour=self._colour))
        return Once()


async def _play(project: Path, asker: Asker, *, colour: bool) -> int:
    policy = resources.files("handrail.surfaces.cli.demo").joinpath("policy.toml").read_text("utf-8")
    click.echo(f"A scripted model works in a copy of a small project. {bold('Task:', colour=colour)} {TASK}\n")
    done, redactor, columns = False, Redactor(os.environ), output_columns()
    rules = load_rules(policy, _POLICY)
    async with (
        Session.open(project, rules=rules, parts=Parts(asker=asker)) as session,
        open_agent(session, ScriptedModel(SCRIPT)) as agent,
    ):
        async for event in agent.send(TASK):
            match event:
                case TextArrived(text):
                    click.echo(f"{bold('model', colour=colour)}  {text}")
                case Finished(ended):
                    done = ended is Ended.DONE
                case TurnEnded(turn):
                    for call in turn.calls:
                        for line in call_lines(call, project, redactor, colour=colour, columns=columns - len(_INDENT)):
                            click.echo(f"{_INDENT}{line}")
                    click.echo()
    for line in _AFTERWARDS:
        click.echo("\n".join(wrapped(line, columns)))
    return 0 if done else 1


def _copy_project(target: Path) -> None:
    with resources.as_file(resources.files("handrail.surfaces.cli.demo").joinpath("project")) as source:
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
