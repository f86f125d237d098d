"""A tool: a frozen definition that runs nothing. Bound to arguments it is an `Invocation`, which can.

A tool is a page: a pydantic model for its parameters, a subclass of `Tool`, and a `run`. Effects come
from the parameters' annotations (`Annotated[str, Reads("tree")]`), or from an `effects` method.
"""

from __future__ import annotations

import inspect
import re
import sys
from abc import ABC
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypeAlias, TypeVar, cast, get_args, get_origin

from handrail.contract.basics import JsonObject
from handrail.contract.confirmation import Confirmation, InfoConfirmation
from handrail.contract.context import CALL_MAKING, CAPABILITIES, Environment, FileReader, RunContext, Workspace
from handrail.contract.effects import Claims, PathClaim, Scope
from handrail.contract.parameters import BadArguments, ParameterSchema
from handrail.contract.results import ToolResult
from handrail.contract.values import value
from handrail.errors import InvalidArguments, ToolDefinitionError

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic.fields import FieldInfo

P = TypeVar("P")

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_\-]{0,63}")
"""Names that every provider accepts."""


class Kind(StrEnum):
    """What a tool is for. Only `read` and `search` say anything about effects, when nothing else does."""

    READ = "read"
    SEARCH = "search"
    EDIT = "edit"
    DELETE = "delete"
    MOVE = "move"
    EXECUTE = "execute"
    THINK = "think"
    FETCH = "fetch"
    AGENT = "agent"
    COMMUNICATE = "communicate"
    PLAN = "plan"
    SWITCH_MODE = "switch_mode"
    OTHER = "other"


@value
class Reads:
    """Marks a parameter as a path that is read: `Annotated[str, Reads("tree")]`."""

    scope: Scope = "file"
    spares_secrets: bool = False


@value
class Writes:
    """Marks a parameter as a path that is written."""

    scope: Scope = "file"


@value
class ConnectsTo:
    """Marks a parameter as a host that is connected to."""


@value
class Opinion:
    """What a tool thinks of its own call: it may tighten, never loosen."""

    outcome: Literal["ask", "deny"]
    reason: str


ApprovalRule: TypeAlias = Callable[[Any], "bool | Awaitable[bool]"]
NeedsApproval: TypeAlias = 'bool | Literal["always", "never", "once"] | ApprovalRule | None'


class Tool(ABC, Generic[P]):
    """The definition of a tool. Subclass with a pydantic model: `class Glob(Tool[Params])`.

    `run(self, params, …)` is async and returns a ToolResult; its further parameters are annotated with
    the protocols of `contract.context` it wants. It raises ToolFailed for what it can't do.
    """

    name: str
    title: str = ""
    description: str = ""
    kind: Kind = Kind.OTHER
    aliases: tuple[str, ...] = ()
    needs_approval: NeedsApproval = None
    """None or False: the mode decides. True: a person is asked. "never": not asked where only the mode would ask.
    "once", "always": asked, "always" unless an allow rule names the tool. A function of the parameters: True asks."""
    client_side: bool = False
    """The caller runs it: the call is handed back, and its result comes by call id."""
    on_cancel: Literal["cancel", "finish"] = "cancel"
    timeout: float | None = None
    """Seconds the runtime waits for `run`; None when the tool bounds itself."""
    max_result_chars: int = 40_000
    output_is_markdown: bool = False
    output_streams: bool = False
    defers_loading: bool = False
    leads: bool = False
    """Of the calls of one response it runs first, wherever it stands; the results keep the order of the requests."""
    server: str = ""
    """The server that it comes from, as rules name it; empty for a tool that comes from none."""
    known_as: Mapping[str, str] = MappingProxyType({})
    """By model family, which of its aliases its models see it under; the others see its name."""
    rule_names: tuple[str, ...] = ()
    """Further names by which rules know it. Nobody calls it by them: no provider need accept them."""
    definitions: tuple[str, ...] = ()
    """Digests of what its server says: of this tool, and of all that it has. A grant holds for what was defined when
    it was given. Empty for a tool that comes from none."""
    annotations: Mapping[str, bool] = MappingProxyType({})
    """What its server says of it (`readOnlyHint`): hints, which only a rule that asks for them believes."""
    parameters: ParameterSchema[P]

    _injected: ClassVar[tuple[Callable[[RunContext], object], ...]] = ()
    _marked: ClassVar[tuple[tuple[str, object], ...]] = ()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        model = _model_of(cls)
        if model is not None:
            from handrail.contract.models import ModelParameters  # whoever has a model has pydantic loaded

            cls.parameters = cast("ParameterSchema[P]", ModelParameters(model))
            cls._marked = tuple(marks_of(model.model_fields, model.__qualname__))
        if "run" in cls.__dict__:
            cls._injected = tuple(_injections(cls))
        if "name" in cls.__dict__ and isinstance(cls.__dict__["name"], str):
            check_name(cls.name)

    @property
    def makes_calls(self) -> bool:
        """True when it may make calls of its own: it takes no place among those that run together."""
        return not CALL_MAKING.isdisjoint(self._injected)

    def bind(self, arguments: JsonObject) -> Invocation:
        """Checks the arguments. Raises InvalidArguments with every problem."""
        try:
            params = self.parameters.validate(arguments)
        except BadArguments as error:
            raise InvalidArguments(self.name, error.problems) from None
        return Invocation(self, params, arguments)

    def enabled(self, environment: Environment) -> bool:
        """False hides the tool where it can't work."""
        return True

    async def check(self, params: P, workspace: Workspace) -> str | None:
        """What is wrong with arguments that fit the schema, or None. Touches no file: nobody has said yes."""
        return None

    def opinion(self, params: P) -> Opinion | None:
        """A reason to ask about this call, or to deny it, whatever the rules say; None has none."""
        return None

    def subagent(self, params: P) -> str:
        """The name of the subagent in whose name this call makes others, by which rules know them; empty: of none."""
        return ""

    def server_of(self, params: P) -> str:
        """The server that this call goes to, as rules name it; of a tool that speaks for several, one of those."""
        return self.server

    def effects(self, params: P) -> Claims:
        """What the call may touch, as named. Without marked parameters and by kind alone: unknown."""
        if self._marked:
            return claims_of(params, self._marked)
        return Claims.nothing() if self.kind in (Kind.READ, Kind.SEARCH) else Claims.unknown()

    def describe(self, params: P) -> str:
        """The call in one line, for people."""
        return self.title or self.name

    async def confirmation(self, params: P, files: FileReader, workspace: Workspace) -> Confirmation:
        """What a person sees before saying yes. Raises ToolFailed when the call can only fail."""
        return InfoConfirmation(self.describe(params), self.describe(params))

    async def execute(self, params: P, context: RunContext) -> ToolResult:
        """Runs `run` with the parts of the context it asked for."""
        run: Callable[..., Awaitable[ToolResult]] | None = getattr(self, "run", None)
        if run is None:
            raise ToolDefinitionError(f"{self.name} has no run method")
        return await run(params, *[pick(context) for pick in self._injected])


@value
class Invocation:
    """A tool bound to validated arguments."""

    tool: Tool[Any]
    params: Any
    arguments: JsonObject
    """As received; what people are shown and the journal keeps."""

    def describe(self) -> str:
        return self.tool.describe(self.params)

    def claims(self) -> Claims:
        return self.tool.effects(self.params)

    def opinion(self) -> Opinion | None:
        return self.tool.opinion(self.params)

    def subagent(self) -> str:
        return self.tool.subagent(self.params)

    def server(self) -> str:
        return self.tool.server_of(self.params)

    async def check(self, workspace: Workspace) -> str | None:
        return await self.tool.check(self.params, workspace)

    async def confirmation(self, files: FileReader, workspace: Workspace) -> Confirmation:
        return await self.tool.confirmation(self.params, files, workspace)

    async def run(self, context: RunContext) -> ToolResult:
        return await self.tool.execute(self.params, context)


def check_name(name: str) -> None:
    """Raises ToolDefinitionError for a name that no provider would take."""
    if not NAME.fullmatch(name):
        raise ToolDefinitionError(
            f"{name!r} can't name a tool: use a letter or underscore, then letters, digits, '_' or '-', "
            "at most 64 in all"
        )


def claims_of(params: object, marked: Iterable[tuple[str, object]]) -> Claims:
    """The claims that marked parameters make; None and absent ones claim nothing."""
    reads: list[PathClaim] = []
    writes: list[PathClaim] = []
    hosts: set[str] = set()
    for name, mark in marked:
        value = params.get(name) if isinstance(params, Mapping) else getattr(params, name)
        values = list(_single(value))
        match mark:
            case Reads(scope, spares_secrets):
                reads += [PathClaim(str(v), scope, spares_secrets) for v in values]
            case Writes(scope):
                writes += [PathClaim(str(v), scope) for v in values]
            case ConnectsTo():
                hosts.update(map(str, values))
    return Claims(reads=tuple(reads), writes=tuple(writes), connects=frozenset(hosts))


def _single(value: object) -> Iterator[object]:
    """The values in a value: whatever it holds, at any depth, and nothing for None."""
    if isinstance(value, (list, tuple, set, frozenset)):
        for item in value:
            yield from _single(item)
    elif isinstance(value, Mapping):
        yield from _single((*value.keys(), *value.values()))
    elif value is not None:
        yield value


def marks_of(fields: Mapping[str, FieldInfo], where: str) -> Iterator[tuple[str, object]]:
    """The parameters that are marked, and how. Raises ToolDefinitionError for a mark that would not be seen."""
    for name, info in fields.items():
        for mark in info.metadata:
            if isinstance(mark, type) and mark in (Reads, Writes, ConnectsTo):
                yield name, mark()
            elif isinstance(mark, (Reads, Writes, ConnectsTo)):
                yield name, mark
        if _buries_a_mark(info.annotation):
            raise ToolDefinitionError(
                f"{where}.{name}: a mark inside the type would not be seen; "
                "mark the parameter as a whole: Annotated[str | None, Reads()]"
            )


def _model_of(cls: type) -> type[BaseModel] | None:
    """The model in `Tool[Model]`, where this very class names one."""
    for base in cls.__dict__.get("__orig_bases__", ()):
        origin, arguments = get_origin(base), get_args(base)
        if isinstance(origin, type) and issubclass(origin, Tool) and arguments:
            model = arguments[0]
            if isinstance(model, type) and model is not Any:
                from pydantic import BaseModel  # not before: tools without a model need not wait for it

                return model if issubclass(model, BaseModel) else None
    return None


def _buries_a_mark(annotation: object) -> bool:
    """`Annotated[str, Reads()] | None` and `list[Annotated[str, Writes()]]`: their claims would be lost."""
    return any(
        part in (Reads, Writes, ConnectsTo) or isinstance(part, (Reads, Writes, ConnectsTo)) or _buries_a_mark(part)
        for part in get_args(annotation)
    )


def _injections(cls: type) -> Iterable[Callable[[RunContext], object]]:
    run = cls.__dict__["run"]
    if not inspect.iscoroutinefunction(run):
        raise ToolDefinitionError(f"{cls.__qualname__}.run must be declared with 'async def'")
    module = vars(sys.modules[cls.__module__])
    for parameter in list(inspect.signature(run).parameters.values())[2:]:
        wanted = parameter.annotation
        if isinstance(wanted, str):
            wanted = module.get(wanted, wanted)
        if wanted not in CAPABILITIES:
            known = ", ".join(sorted(t.__name__ for t in CAPABILITIES))
            raise ToolDefinitionError(
                f"{cls.__qualname__}.run takes {parameter.name!r}, annotated {parameter.annotation!r}; "
                f"it can take: {known}"
            )
        yield CAPABILITIES[wanted]
