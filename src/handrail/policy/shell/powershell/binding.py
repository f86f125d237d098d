"""The arguments of a cmdlet given to its parameters, as PowerShell does it: in any case, shortened, behind colons."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from handrail.policy.shell.arguments import Arguments, read_words
from handrail.policy.shell.powershell.calls import Argument
from handrail.policy.shell.powershell.cmdlets import Cmdlet, cmdlets
from handrail.policy.shell.powershell.paths import as_path
from handrail.policy.shell.programs import Takes
from handrail.policy.shell.words import Word
from handrail.policy.wording import shortened

_NO_PATHS = ("text", "none")
_TARGET_LAST = ("copied", "moved")


def bind(cmdlet: Cmdlet, arguments: tuple[Argument, ...], home: str) -> Arguments:
    """How a cmdlet takes its arguments, the operands as paths; what no table explains is its `problem`."""
    binder = _Binder(cmdlet, home)
    binder.sort(arguments)
    read = read_words(cmdlet.usage, (*binder.flags, Word("--"), *binder.operands))
    return replace(read, problem=read.problem or binder.problem, words=(*binder.flags, *binder.operands))


@dataclass(slots=True)
class _Binder:
    """What a cmdlet was given, sorted out."""

    cmdlet: Cmdlet
    home: str
    flags: list[Word] = field(default_factory=list)
    """Parameters in full, each before its value."""
    plain: list[Word] = field(default_factory=list)
    """Values without a parameter."""
    paths: list[Word] = field(default_factory=list)
    """Values of the parameters that say what plain values say."""
    targets: list[Word] = field(default_factory=list)
    problem: str = ""

    def sort(self, arguments: tuple[Argument, ...]) -> None:
        position = 0
        while position < len(arguments):
            argument = arguments[position]
            following = arguments[position + 1] if position + 1 < len(arguments) else Argument("-")
            position += 1
            if not argument.parameter:
                self.plain += argument.values
            elif self._takes(argument.parameter, following):
                position += 1

    @property
    def operands(self) -> tuple[Word, ...]:
        usage = self.cmdlet.usage
        if usage.operands in _NO_PATHS and not usage.never:
            return (*self.plain, *self.paths)
        first_is_pattern = usage.operands == "pattern" and usage.patterns.isdisjoint(word.text for word in self.flags)
        patterns = self.plain[:1] if first_is_pattern else []
        plain = [as_path(word, self.home) for word in self.plain[len(patterns) :]]
        named = (*self.paths, *plain) if usage.operands in _TARGET_LAST else (*plain, *self.paths)
        return (*patterns, *named, *self.targets)

    def _takes(self, parameter: str, following: Argument) -> bool:
        """Sorts a parameter out; True where what follows it is its value."""
        name = self.cmdlet.parameter(parameter)
        flag = self.cmdlet.usage.flags.get(name)
        if flag is None or flag.takes is Takes.NOTHING:
            self._switch(name, parameter, following)
            return following.attached
        if not following.values:
            self.problem = self.problem or f"its parameter {shortened(parameter)} has no value"
        elif name in cmdlets().listed("paths"):
            literal = name in cmdlets().listed("literal")
            self.paths += [as_path(word, self.home, literal=literal) for word in following.values]
        elif name in cmdlets().listed("destinations"):
            self.targets += [as_path(word, self.home) for word in following.values]
        else:
            self.flags += [word for value in following.values for word in (Word(name, source=parameter), value)]
        return bool(following.values)

    def _switch(self, name: str, parameter: str, following: Argument) -> None:
        """`-Recurse`, `-Recurse:$true`; `-Recurse:$false` is as good as nothing."""
        texts = [word.text for word in following.values] if following.attached else ["$true"]
        if texts != ["$false"]:
            self.flags.append(Word(name, source=parameter))
        if texts not in (["$true"], ["$false"]):
            self.problem = self.problem or f"what its parameter {shortened(parameter)} gets is not known"
