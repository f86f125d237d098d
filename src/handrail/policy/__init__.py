"""What may run, who decided, and why. Pure: facts and a policy go in, a decision comes out.

`decide` is the heart; `facts` is what it gets, `rules` and `modes` what it goes by, `checks` what no rule
lifts. `shell/` takes commands apart. What needs the file system is `runtime.resolver`.
"""

from handrail.policy.decide import allows_server, decide, may_preview
from handrail.policy.facts import Facts, PathFact, ShellFacts
from handrail.policy.menu import hidden_reason
from handrail.policy.modes import Mode
from handrail.policy.places import Places, Zone
from handrail.policy.rule_file import load_rules, rules_from
from handrail.policy.rules import Policy, Rule

__all__ = [
    "allows_server",
    "decide",
    "Facts",
    "Policy",
    "Mode",
    "Rule",
    "load_rules",
    "rules_from",
    "hidden_reason",
    "may_preview",
    "PathFact",
    "ShellFacts",
    "Places",
    "Zone",
]
