"""Which tools exist, and which a model sees: the registry, the families' faces, the menu."""

from __future__ import annotations

from handrail.catalog.menu import HiddenTool, Menu, MenuTool, menu_for, this_machine
from handrail.catalog.registry import Registry

__all__ = ["HiddenTool", "Menu", "MenuTool", "Registry", "menu_for", "this_machine"]
