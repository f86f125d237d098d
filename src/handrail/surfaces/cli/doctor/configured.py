"""What is configured: settings, trust, the policy, and the model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from handrail.agent.model import ModelRequest, TextArrived
from handrail.agent.models.choosing import model_of, whole_name
from handrail.catalog import Menu, Registry
from handrail.catalog.toolbox import Toolbox
from handrail.errors import ModelError, NoModel, UsageError
from handrail.policy.wording import shortened
from handrail.settings.keys import MODEL
from handrail.settings.load import Settings
from handrail.settings.places import WORKSPACE_FOLDER
from handrail.surfaces.cli.doctor.finding import Finding, Health
from handrail.tools import builtin_tools
from handrail.wire.user import encode_user

ANSWER_TOKENS = 64
"""Of the answer that --online asks for: a model that thinks first needs some."""


def configured(settings: Settings) -> Iterator[Finding]:
    for problem in settings.problems:
        yield Finding("settings", Health.WARN, problem, "mend the file; until then it restricts rather than loosens")
    if not settings.problems:
        files = [opened.place.origin.name for opened in settings.opened]
        yield Finding("settings", Health.OK, ", ".join(files) or "no files: the defaults hold")
    for waiting in settings.waiting:
        found = f"{waiting.name} waits for your yes: {shortened(waiting.would[0])}"
        yield Finding("trust", Health.WARN, found, "handrail trust show, then handrail trust add")
    if not any(opened.place.origin.layer.is_of_workspace for opened in settings.opened):
        found = f"nothing in {WORKSPACE_FOLDER}: tests and formatters are asked about each time"
        yield Finding("project", Health.OK, found, "handrail init lets this project's own through")


async def model(settings: Settings, environ: Mapping[str, str], *, online: bool) -> Finding:
    try:
        chosen = model_of(settings=settings, environ=environ)
    except NoModel:
        mend = "export ANTHROPIC_API_KEY=… (or another provider's), or ollama; `handrail` alone shows the ways"
        return Finding("model", Health.FAIL, "none is configured", mend)
    except UsageError as error:
        mend = "a server of your own is [model_providers.NAME] in your config.toml: docs/reference/models.md"
        return Finding("model", Health.FAIL, str(error), mend)
    if not online:
        return Finding("model", Health.OK, f"{whole_name(chosen)}, not asked yet", "--online asks it for one word")
    said = ""
    request = ModelRequest("", (encode_user("Say: ok", chosen.wire),), _one_tool(settings), ANSWER_TOKENS)
    try:
        async for event in chosen.respond(request):
            said += event.text if isinstance(event, TextArrived) else ""
    except ModelError as error:
        return Finding("model", Health.FAIL, f"{whole_name(chosen)}: {error}", "mend that, and look again")
    return Finding("model", Health.OK, f"{whole_name(chosen)} answers")


def _one_tool(settings: Settings) -> Menu:
    """A model that takes no tools is of no use to an agent: its provider says so here."""
    policy = settings.policy()
    return Toolbox(Registry(builtin_tools()[:1]), lambda: policy).menu(settings[MODEL])
