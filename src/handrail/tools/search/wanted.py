"""Which files a search is about, by their names."""

from __future__ import annotations

from handrail.tools.search.globs import GlobMatcher, GlobPattern


class Wanted:
    """Those that match a glob, or with `!` before it those that don't; without a glob, all."""

    def __init__(self, glob: str) -> None:
        """Raises BadGlob."""
        self._excludes = glob.startswith("!")
        self._pattern = GlobPattern.parse(glob.removeprefix("!")) if glob else None
        self._matcher = GlobMatcher(self._pattern) if self._pattern is not None else None

    def holds(self, path: str) -> bool:
        """`path` is relative to the folder searched, with slashes."""
        return self._matcher is None or self._matcher.matches(path) != self._excludes

    def beforehand(self) -> list[str]:
        """Options that leave it to ripgrep to drop most names.

        A file type, unlike a glob, does not bring back what `.gitignore` leaves out.
        """
        if self._pattern is None or self._excludes or not self._pattern.last_names or self._has_colons:
            return []
        return [*(f"--type-add=wanted:{name}" for name in self._pattern.last_names), "--type=wanted"]

    @property
    def known_beforehand(self) -> bool:
        """Whatever ripgrep gives under these options is wanted."""
        if self._pattern is None:
            return True
        return self._pattern.by_name_alone and not self._excludes and not self._has_colons

    @property
    def _has_colons(self) -> bool:
        """The definition of a type can't hold one more."""
        return self._pattern is not None and any(":" in name for name in self._pattern.last_names)
