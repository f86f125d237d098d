"""Search among tools that are not on the menu: words, an index over them, and what a query may say."""
