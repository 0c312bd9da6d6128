"""Workers that are a fresh confined process per program, where a zygote cannot be forked."""
