"""The commands' identifiers. They are global in VS Code, hence the long prefix."""

from __future__ import annotations

CHECK_FILE = "assay.server.checkFile"
CHECK_FUNCTION = "assay.server.checkFunction"
TRIANGULATE_FUNCTION = "assay.server.triangulateFunction"
CANCEL_ALL = "assay.server.cancelAll"
SHOW_EVIDENCE = "assay.server.showEvidence"
EVIDENCE = "assay.server.evidence"
SHOW_DIFFERENCE = "assay.server.showDifference"
DIFFERENCE = "assay.server.difference"
SAVE_TEST = "assay.server.saveTest"
ASK_CONSENT = "assay.server.askConsent"
STATUS = "assay.server.status"
