"""Which candidate the evidence selects, and the proof that it fits where it is put."""
