"""With what the commands exit."""

DONE, FINDINGS, COULD_NOT_RUN = 0, 1, 2
