"""What a server's tool is called: by models of each family, and by rules. Pure.

`mcp_SERVER_TOOL` for us and Gemini's models, `mcp__SERVER__TOOL` for Claude's. A name depends on the server, on the
tool and on which servers are configured, and on nothing else: the same tool has the same name tomorrow.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256

from handrail.contract.values import value
from handrail.policy.server_names import all_of_server, bare, fit

LONGEST = 64
"""Characters that every provider takes: the least of Anthropic's 128, and OpenAI's and Gemini's 64."""

_LONGEST_IN_RULES = 256
"""Characters of a tool's own name that rules may use; beyond that, the shortened one is what anybody would write."""

_DIGITS = 8
"""Of the hash in a name: names that would look the same are told apart; nobody has to guess them."""


@value
class ToolNames:
    """All names of one tool. Those to call it by fit `contract.tool.NAME`; no two tools share any."""

    ours: str
    claudes: str
    for_rules: tuple[str, ...] = ()
    """As the server and the tool call themselves, however odd or long; and `mcp__SERVER`, which is all its tools."""


@value
class _Form:
    """One way to put a server's and a tool's name together."""

    opening: str
    between: str
    claudes: bool = False

    def server(self, server: str) -> str:
        """As it stands in a name. What would begin as the other form does is given another beginning."""
        if self.claudes:
            return server
        own = bare(server)
        return f"{_mark(server)}{own}" if fit(own).startswith("_") else own


_OURS, _CLAUDES = _Form("mcp_", "_"), _Form("mcp__", "__", claudes=True)


def tool_names(server: str, tool: str, others: Iterable[str] = (), hosts: Iterable[str] = ()) -> ToolNames:
    """`others`: the servers that are configured beside this one; `hosts`: those of them that know nothing of it, so
    that a name which could be one of theirs is theirs."""
    others, hosts = (tuple(other for other in given if other != server) for given in (others, hosts))
    ours, is_plain = _name(_OURS, server, tool, others, hosts)
    claudes, is_claudes_plain = _name(_CLAUDES, server, tool, others, hosts)
    is_writable = len(tool) <= _LONGEST_IN_RULES
    plain = [f"mcp_{server}_{tool}", f"mcp_{bare(server)}_{tool}"] if is_plain and is_writable else []
    plain += [f"mcp__{server}__{tool}"] if is_claudes_plain and is_writable else []
    plain.append(all_of_server(server))
    return ToolNames(ours, claudes, tuple(dict.fromkeys(name for name in plain if name not in (ours, claudes))))


def _name(form: _Form, server: str, tool: str, others: tuple[str, ...], hosts: tuple[str, ...]) -> tuple[str, bool]:
    """A name in one form; and whether it is the plain one, by which nobody could mean another server's tool."""
    mark = _mark(server, tool)
    own = form.server(server)
    plain = f"{form.opening}{own}{form.between}{tool}"
    if any(other == form.server(other) == fit(own) for other in others):
        # That one is really called so. A rule for all its tools must not reach this one.
        own, is_plain = f"{own}-{_mark(server)}", False
        name = f"{form.opening}{own}{form.between}{tool}"
    elif any(_begins_as_of(other, form, own, fit(plain)) for other in others) or any(
        fit(plain).startswith(f"{form.opening}{fit(form.server(host))}{form.between}") for host in hosts
    ):
        name, is_plain = f"{form.opening}{own}{form.between}{mark}{form.between}{tool}", False
    else:
        name, is_plain = plain, True
    if len(name) > LONGEST or fit(name) != name:
        name = f"{fit(name)[: LONGEST - _DIGITS - 1]}_{mark}"
    return name, is_plain


def _begins_as_of(other: str, form: _Form, own: str, name: str) -> bool:
    """Whether a name would be taken for one of another server's: of two that it could be of, the longer has it."""
    others = fit(form.server(other))
    return len(others) > len(fit(own)) and name.startswith(f"{form.opening}{others}{form.between}")


def _mark(*parts: str) -> str:
    return sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:_DIGITS]
