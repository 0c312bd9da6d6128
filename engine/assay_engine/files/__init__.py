"""Files that anybody may have put there: read, matched by patterns, looked up in Git."""
