"""Python text as text: parsed, repaired, its names followed; nothing in here runs it."""
