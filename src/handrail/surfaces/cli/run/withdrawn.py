"""Questions of subagents that nobody answered before the run ended: what became of them, and what to do."""

from __future__ import annotations

from handrail.contract.basics import CallId
from handrail.contract.calls import AwaitingApproval, CallForm, CallRequest, Cancelled
from handrail.contract.events import CallChanged, Event


class Withdrawn:
    """Sees the events of one session."""

    def __init__(self) -> None:
        self._open: dict[CallId, AwaitingApproval] = {}
        self._gone: list[AwaitingApproval] = []
        self._makers: dict[CallId, CallId | None] = {}
        """By call, the one that made it."""

    def see(self, event: Event) -> None:
        if not isinstance(event, CallChanged):
            return
        state = event.state
        self._makers[state.request.id] = state.request.parent
        asked = self._open.pop(state.request.id, None)
        if isinstance(state, AwaitingApproval) and self._is_of_agent(state.request):
            self._open[state.request.id] = state
        elif asked is not None and isinstance(state, Cancelled):
            self._gone.append(asked)

    def _is_of_agent(self, request: CallRequest) -> bool:
        """A question to a person is made by the call that asks it, whoever made that one."""
        maker = request.parent
        if request.form is CallForm.QUESTION and maker is not None:
            maker = self._makers.get(maker)
        return maker is not None

    def line(self) -> str:
        """Empty where there were none."""
        if not self._gone:
            return ""
        asked = ", ".join(f"{call.request.name} ({call.approval})" for call in self._gone)
        return (
            f"not answered: {asked}. An agent asked, and agents end with the run: the call was not made, and "
            "can't be approved any more. Gone on with, the model hears of it, and what is still wanted is asked anew"
        )
