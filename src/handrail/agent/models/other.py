"""Models of providers that Handrail speaks no wire of: the extra `models`."""

from __future__ import annotations

from importlib.util import find_spec

from handrail.agent.model import Model


class NotKnown(Exception):
    """The message completes `there is no provider 'x': did you mean y?`."""


def other_model(name: str) -> Model:
    """The model of a name as pydantic-ai has it, `bedrock:…`. Raises NotKnown."""
    if find_spec("pydantic_ai") is None:
        raise NotKnown("(more providers with: pip install 'handrail[models]')")
    from handrail.agent.models.pydantic_ai_model import model_named

    return model_named(name)
