"""Measures judges on recorded samples whose truth is known (TRAILS, sections 3 and 4)."""
