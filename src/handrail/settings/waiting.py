"""What came with a workspace and waits for a person's yes, with what each yes would switch on. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from handrail.contract.decision import RuleRef
from handrail.contract.values import value
from handrail.policy.spelling import shown
from handrail.settings.config_files import ConfigFile
from handrail.settings.merging import Setting, kept_out_by
from handrail.settings.origin import Doubt
from handrail.settings.policy_files import PolicyFile
from handrail.settings.trust import TrustKey


@value
class Waiting:
    """One file that would loosen something, once it is trusted."""

    key: TrustKey
    name: str
    """The file as people see it named."""
    text: str
    """All that it holds: the yes is to this and nothing else."""
    would: tuple[str, ...]
    """What it would switch on, each with its line: `line 3: mode = "accept-edits"`."""


def waiting(
    configs: Iterable[ConfigFile], settings: Mapping[str, Setting], policies: Iterable[PolicyFile]
) -> Iterator[Waiting]:
    held_back = list(kept_out_by(Doubt.UNTRUSTED, settings))
    for config in configs:
        name = config.place.origin.name
        would = [
            f"line {given.origin.line}: {key.name} = {shown(given.value)}"
            for key, given in held_back
            if given.origin.name == name
        ]
        if would and config.opened is not None and config.opened.trust is not None:
            yield Waiting(config.opened.trust, name, config.opened.text, tuple(would))
    for policy in policies:
        opened = policy.opened
        if policy.kept_out and opened is not None and opened.doubt is Doubt.UNTRUSTED and opened.trust is not None:
            yield Waiting(opened.trust, policy.place.origin.name, opened.text, tuple(map(_line, policy.kept_out)))


def _line(ref: RuleRef) -> str:
    return f"line {ref.line}: {ref.text}"
