"""What may run, who decided, and why. Pure: facts and a policy go in, a decision comes out.

`decide` is the heart; `facts` is what it gets, `rules`, `modes` and `grants` what it goes by, `checks` what no rule
lifts. `questions` says what is asked, `offers` what a person may say yes to for good. `shell/` takes commands
apart. What needs the file system is `runtime.resolver`.
"""

from handrail.policy.decide import PartVerdict, allows_server, decide, may_preview, part_verdicts
from handrail.policy.facts import Caller, Facts, PathFact, ShellFacts
from handrail.policy.grants import Grant
from handrail.policy.menu import hidden_reason
from handrail.policy.modes import Mode
from handrail.policy.offers import offers
from handrail.policy.places import Places, Zone
from handrail.policy.policy import Policy
from handrail.policy.rule_file import load_policy, load_policy_leniently, load_rules, rules_from
from handrail.policy.rule_sets import RuleSet, denying_everything, tightening_only, together
from handrail.policy.rules import Rule, RuleScope

__all__ = [
    "allows_server",
    "decide",
    "part_verdicts",
    "PartVerdict",
    "Facts",
    "Caller",
    "Policy",
    "Mode",
    "Rule",
    "RuleScope",
    "RuleSet",
    "Grant",
    "offers",
    "load_rules",
    "load_policy",
    "load_policy_leniently",
    "denying_everything",
    "tightening_only",
    "together",
    "rules_from",
    "hidden_reason",
    "may_preview",
    "PathFact",
    "ShellFacts",
    "Places",
    "Zone",
]
