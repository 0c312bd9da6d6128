"""From a file to functions and what they promise."""
