"""What the events of each wire's stream tell while they come: text, thinking, calls begun, tokens, why it ended."""

from __future__ import annotations

from handrail.agent.models.telling.teller import Teller, Told
from handrail.wire import Wire

__all__ = ["Teller", "Told", "teller_for"]


def teller_for(wire: Wire) -> Teller:
    """For one response; loads no wire but this one. Raises ValueError for the neutral wire, which has no streams."""
    match wire:
        case Wire.ANTHROPIC:
            from handrail.agent.models.telling.anthropic import AnthropicTeller

            return AnthropicTeller()
        case Wire.OPENAI_CHAT:
            from handrail.agent.models.telling.chat import ChatTeller

            return ChatTeller()
        case Wire.OPENAI_RESPONSES:
            from handrail.agent.models.telling.responses import ResponsesTeller

            return ResponsesTeller()
        case Wire.GEMINI:
            from handrail.agent.models.telling.gemini import GeminiTeller

            return GeminiTeller()
        case Wire.NEUTRAL:
            raise ValueError("the neutral wire has no streams")
