"""What programs do, when that is the same, and where the function stands among candidates."""
