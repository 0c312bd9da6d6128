"""What Python text says by itself: its functions, names, expressions, and how it is laid out."""
