"""Raw JSON Schema as a tool's parameters: 2020-12, draft-07, or what `$schema` says. No network, no files.

A schema that doesn't compile, that only leads back to itself, or that no object fits is refused when the tool
is defined. Formats are checked in every draft: 2020-12 leaves that open, and who writes `"format": "date"`
means it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from handrail.authoring.schema_problems import problems_of_schema
from handrail.authoring.schema_references import endless_reference
from handrail.contract.basics import JsonObject
from handrail.contract.parameters import SchemaParameters
from handrail.contract.problems import kind_of
from handrail.errors import ArgumentProblem, ToolDefinitionError

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError, Validator

_DIALECT = re.compile(r"https?://json-schema\.org/(?:draft-0[467]|draft/20(?:19-09|20-12))/schema#?")
_MOST_BACKTRACKING = 100_000
"""Steps that one pattern may take on one text, about 2 ms; only lookarounds and backreferences need any."""


def schema_parameters(schema: JsonObject | bool, where: str = "The schema") -> SchemaParameters:
    """Compiles the check. Without `$schema` it is 2020-12; `{}` takes any object, as does one without a type.

    Raises ToolDefinitionError, beginning with `where`, for a schema that can't be used.
    """
    if not isinstance(schema, (dict, bool)):
        _refuse(where, f"it is {kind_of(schema)}, and a JSON Schema is an object")
    validator = _compiled(schema, where)
    if any(_bars_objects(error) for error in validator.iter_errors({})):
        _refuse(where, "arguments are an object, and no object fits it")

    def check(arguments: JsonObject) -> Sequence[ArgumentProblem]:
        try:
            json.dumps(arguments, ensure_ascii=False).encode()
            if validator.is_valid(arguments):
                return ()
            return problems_of_schema(validator.iter_errors(arguments), arguments)
        except UnicodeEncodeError:
            return [ArgumentProblem("", "holds text that is not Unicode: half of a surrogate pair")]
        except (RecursionError, ValueError):
            return [ArgumentProblem("", "is nested too deeply")]

    return SchemaParameters({**(schema if isinstance(schema, dict) else {}), "type": "object"}, check)


def _compiled(schema: dict[str, Any] | bool, where: str) -> Validator:
    # Imported here: a session without raw schemas has no use for it.
    from jsonschema_rs import FancyRegexOptions, ValidationError, validator_for

    if isinstance(schema, dict):
        _check_dialect(schema, where)
    try:
        validator = validator_for(
            schema,
            validate_formats=True,
            offline=True,
            pattern_options=FancyRegexOptions(backtrack_limit=_MOST_BACKTRACKING),
        )
    except ValidationError as error:
        _refuse(where, _fault_of(error, schema))
    except ValueError as error:
        _refuse(where, f"{error}")
    reference = endless_reference(schema) if isinstance(schema, dict) else None
    if reference is not None:
        _refuse(where, f"the reference {reference!r} leads back to itself, and so says nothing")
    return validator


def _check_dialect(schema: dict[str, Any], where: str) -> None:
    dialect = schema.get("$schema")
    if isinstance(dialect, str) and not _DIALECT.fullmatch(dialect):
        _refuse(
            where,
            f"its $schema is {dialect!r}, which is not known here. Name http://json-schema.org/draft-07/schema# or "
            "https://json-schema.org/draft/2020-12/schema, or leave it out, which means the latter",
        )


def _fault_of(error: ValidationError, schema: object) -> str:
    if type(error.kind).__name__ == "Referencing":
        return f"a reference in it leads nowhere: {error.message}. Nothing is fetched; put what it needs in $defs"
    return "; ".join(map(str, problems_of_schema([error], schema)))


def _bars_objects(error: ValidationError) -> bool:
    """True for an error of the empty object that no key could mend: of its type, or of a list of other values."""
    if error.instance_path or not {"then", "else"}.isdisjoint(map(str, error.evaluation_path)):
        return False
    kind: Any = error.kind
    match type(kind).__name__:
        case "Type" | "FalseSchema":
            return True
        case "Constant":
            return not isinstance(kind.expected_value, dict)
        case "Enum":
            return not any(isinstance(option, dict) for option in kind.options)
        case "AnyOf" | "OneOfNotValid":
            return all(any(map(_bars_objects, variant)) for variant in kind.context)
        case _:
            return False


def _refuse(where: str, why: str) -> NoReturn:
    raise ToolDefinitionError(f"{where} can't be used: {why}.")
