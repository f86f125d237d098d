"""One tool as a model family knows it. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping

from handrail.catalog.faces.forms import FORMS
from handrail.catalog.faces.parameter import FaceParameter, in_own_words, names_by_own
from handrail.contract.basics import Json, JsonObject
from handrail.contract.values import value
from handrail.errors import ArgumentProblem

_STEP = re.compile(r"[^.\[\]]+")


@value
class Face:
    """`parameters` are all that are taken; without any, the tool's own are."""

    name: str
    tool: str
    """The name of the tool that is called."""
    parameters: Mapping[str, FaceParameter] | None
    constants: Mapping[str, Json]
    """Arguments that the tool gets with every call."""
    form: str = ""
    """The name of what else is done to the arguments: see `forms`."""
    text: str = ""
    """The parameter that a call in plain text stands for, on wires whose custom tools take no JSON."""
    description: str = ""
    """What a model is told; empty: the tool's own words, with the family's names in them."""

    def own_arguments(self, arguments: JsonObject) -> JsonObject:
        """The tool's own arguments, from arguments that fit the face's schema. Raises BadArguments."""
        if self.parameters is None:
            return {**self.constants, **arguments}
        own = {**self.constants, **in_own_words(self.parameters, arguments)}
        return FORMS[self.form].own_arguments(own) if self.form else own

    def own_text(self, text: str) -> JsonObject:
        """The arguments that a call in plain text stands for."""
        return {self.text: text}

    def problem(self, found: ArgumentProblem) -> ArgumentProblem:
        """The same with the family's names."""
        return ArgumentProblem(self._path(found.path), self.wording(found.problem))

    def wording(self, text: str) -> str:
        """Names of parameters in a text about the arguments, as the family knows them. Only what is plainly a name
        is taken for one: `replace_all`, and not `path`."""
        names = names_by_own(self.parameters or {})
        renamed = {own: name for own, name in names.items() if own != name and "_" in own}
        if not renamed:
            return text
        return re.sub(rf"\b({'|'.join(map(re.escape, renamed))})\b", lambda found: renamed[found[1]], text)

    def _path(self, path: str) -> str:
        parameters, said, rest = self.parameters, "", path
        while rest and parameters:
            step = _STEP.search(rest)
            if step is None:
                break
            if step[0].isdecimal():
                said, rest = said + rest[: step.end()], rest[step.end() :]
                continue
            name = names_by_own(parameters).get(step[0], step[0])
            said, rest = said + rest[: step.start()] + name, rest[step.end() :]
            parameters = parameters[name].items if name in parameters else None
        return said + rest
