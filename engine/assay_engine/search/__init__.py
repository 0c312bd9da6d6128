"""Searches for inputs that tell programs apart, and makes such inputs small."""
