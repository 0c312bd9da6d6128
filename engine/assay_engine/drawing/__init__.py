"""From a specification to candidates: prompts, draws, and code read out of replies."""
