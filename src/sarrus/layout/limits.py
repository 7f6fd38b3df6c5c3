"""How much the arrays have room for."""

from __future__ import annotations

from sarrus.layout.declare import Values

limits = Values("limits", "How large a user's term may be, and how much contacts remember.")
MAX_CUSTOM_BODIES = limits.value("MAX_CUSTOM_BODIES", 8, "bodies of one term")
MAX_CUSTOM_ROWS = limits.value("MAX_CUSTOM_ROWS", 6, "equations of one constraint")
LAG_MEMORY = limits.value("LAG_MEMORY", 6, "changes of slips that the convex law of contacts remembers")
