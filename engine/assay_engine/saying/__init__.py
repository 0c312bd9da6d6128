"""Puts evidence into words."""
