"""How programs come to run: the zygote, its children, and the calls of a batch."""
