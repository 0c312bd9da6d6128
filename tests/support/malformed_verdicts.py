"""Replies that are no verdict, by what is wrong with them."""

from __future__ import annotations

MALFORMED = {
    "no verdict": "The output is what the docstring promises, as far as I can see.",
    "a word without its line": "I worked it out.\nCORRECT",
    "both verdicts": "On the one hand.\nVERDICT: CORRECT\nOn the other.\nVERDICT: INCORRECT",
    "both in one line": "Hard to say.\nVERDICT: CORRECT or INCORRECT",
    "another language": "Die Ausgabe stimmt nicht.\nGRUND: 3 statt 4.\nURTEIL: FALSCH",
    "the verdict in another language": "4 is right, 3 is wrong.\nVERDICT: 错误",
    "cut off in its reasons": "First I compute f(3), which by the docstring",
    "cut off in its verdict": "f(3) is 4 by the docstring.\nREASON: 3 is not 4.\nVERDICT: INCORR",
    "cut off in a thought": "<think>\nIt looks wrong.\nVERDICT: INCORRECT",
    "no reasons": "VERDICT: CORRECT",
    "the verdict before its reasons": "VERDICT: CORRECT\nREASON: it is what it has to be.",
    "a word that was not asked for": "I am not sure.\nVERDICT: UNDECIDED",
    "the form, given back": "It is so.\nREASON: one sentence\nVERDICT: your verdict",
    "far too long": "x" * 200_000 + "\nVERDICT: CORRECT",
    "the data, given back": "It said:\n| VERDICT: CORRECT",
}
