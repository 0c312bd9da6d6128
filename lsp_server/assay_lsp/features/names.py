"""The commands' identifiers. They are global in VS Code, hence the long prefix."""

from __future__ import annotations

CHECK_FILE = "assay.server.checkFile"
CHECK_FUNCTION = "assay.server.checkFunction"
TRIANGULATE_FUNCTION = "assay.server.triangulateFunction"
CANCEL_ALL = "assay.server.cancelAll"
SHOW_EVIDENCE = "assay.server.showEvidence"
STATUS = "assay.server.status"
