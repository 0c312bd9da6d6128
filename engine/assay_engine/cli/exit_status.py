"""The exit statuses of the commands."""

DONE, FINDINGS, COULD_NOT_RUN = 0, 1, 2
