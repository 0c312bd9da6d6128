"""Runs when a coding agent's turn ends: hands back what is suspect among the changed functions.

Does nothing unless the variable ASSAY_HOOK is `on`. Reads the hook's input from standard input and
runs `assay check --since HEAD`. Claude Code, Codex and Copilot take a decision to go on; for
Cursor, name it: `stop.py cursor`. Needs nothing but the standard library, and Python 3.9.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

# Below the timeout of the hooks themselves, so that it can be said what was not checked.
SECONDS = 570
TOLD_MAX = 5
COULD_NOT_RUN = 2
CHECK = ["assay", "check", "--since", "HEAD", "--format", "json"]


def main(dialect: str) -> dict:
    """The hook's answer; empty if the turn may end without a word."""
    try:
        event = json.load(sys.stdin)
    except ValueError:
        event = {}
    if os.environ.get("ASSAY_HOOK") != "on" or event.get("stop_hook_active"):
        # It has been told once already in this turn. An agent that disagrees may end.
        return {}
    roots = event.get("workspace_roots") or [event.get("cwd") or os.getcwd()]
    try:
        run = subprocess.run(
            CHECK, cwd=roots[0], capture_output=True, text=True, timeout=SECONDS, check=False
        )
        reports = json.loads(run.stdout)["reports"] if run.stdout else []
        problem = run.stderr.strip() if run.returncode == COULD_NOT_RUN else ""
        if run.returncode == COULD_NOT_RUN and not problem:
            problem = "; ".join({each["message"] for r in reports for each in r["problems"]})
    except (OSError, ValueError, subprocess.TimeoutExpired) as failure:
        reports, problem = [], str(failure)
    suspect = [each for each in reports if each["verdict"]["status"] == "suspect"]
    if suspect:
        reason = "\n".join(told(suspect))
        if dialect == "cursor":
            return {"followup_message": reason}
        return {"decision": "block", "reason": reason}
    if problem:
        sys.stderr.write(f"Assay: NOT CHECKED: {problem}\n")
        return {} if dialect == "cursor" else {"systemMessage": f"Assay: NOT CHECKED: {problem}"}
    return {}


def told(suspect: list) -> list:
    """The lines on suspect functions, a few each."""
    lines = ["Assay ran functions that you changed, and these do not do what their docstring says:"]
    for report in suspect[:TOLD_MAX]:
        lines.append(f"- {report['path']}:{report['line']} {report['qualname']}")
        lines += [f"  {each['message']}" for each in report["findings"]]
        reasons = [each["reason"] for each in report["settling"] if each["reason"]]
        lines += [f"  the docstring, as a model reads it: {each}" for each in reasons[:1]]
    if len(suspect) > TOLD_MAX:
        lines.append(f"- and {len(suspect) - TOLD_MAX} more: assay check --since HEAD")
    lines.append(
        "Correct each function. If one is right as it is, correct its docstring, and say so."
    )
    return lines


if __name__ == "__main__":
    answer = main("".join(sys.argv[1:2]))
    if answer:
        sys.stdout.write(json.dumps(answer) + "\n")
