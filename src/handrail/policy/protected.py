"""Which files decide what runs later: no rule and no mode lets a write to them through without a person.

After Claude Code's list of protected paths, with the settings of other agents and of Handrail itself added.
"""

from __future__ import annotations

FOLDERS = frozenset((
    ".git", ".vscode", ".idea", ".husky", ".cargo", ".devcontainer", ".yarn", ".mvn", ".ssh", ".gnupg", ".agents",
    ".handrail", ".claude", ".gemini", ".codex", ".cursor", ".vibe", ".aider", ".continue", ".windsurf", ".opencode",
))  # fmt: skip

PATHS = (".config/git", ".config/fish", ".config/handrail", ".config/autostart", ".config/systemd")

OPEN_PATHS = (".claude/worktrees", ".handrail/plans")
"""Below a protected folder, and ordinary all the same: whole checkouts; plans, which decide nothing that runs."""

NAMES = frozenset((
    ".gitconfig", ".gitmodules", ".gitattributes",
    ".bashrc", ".bash_profile", ".bash_login", ".bash_aliases", ".bash_logout", ".zshrc", ".zprofile", ".zshenv",
    ".zlogin", ".zlogout", ".profile", ".envrc", ".inputrc", ".xprofile", ".xinitrc",
    ".npmrc", ".yarnrc", ".yarnrc.yml", ".pnp.cjs", ".pnp.loader.mjs", ".pnpmfile.cjs", "bunfig.toml", ".bunfig.toml",
    ".bazelrc", ".bazelversion", ".bazeliskrc",
    ".pre-commit-config.yaml", "lefthook.yml", "lefthook.yaml", ".lefthook.yml", ".lefthook.yaml",
    "gradle-wrapper.properties", "maven-wrapper.properties", ".devcontainer.json",
    ".ripgreprc", "pyrightconfig.json", ".mcp.json", ".claude.json", ".aider.conf.yml",
))  # fmt: skip


def protection(path: str) -> str:
    """What protects a path with slashes, as it should be named to a person; empty when nothing does.

    Give the part below the workspace for a path in it: a workspace may itself lie in `.claude/worktrees`.
    """
    lowered = path.lower().strip("/")
    parts = lowered.split("/")
    enclosed = f"/{lowered}/"
    if any(f"/{open_path}/" in enclosed for open_path in OPEN_PATHS):
        parts, enclosed = parts[-1:], f"/{parts[-1]}/"
    folder = next((part for part in parts if part in FOLDERS), "")
    if folder:
        return folder
    inside = next((protected for protected in PATHS if f"/{protected}/" in enclosed), "")
    return inside or (parts[-1] if parts[-1] in NAMES else "")
