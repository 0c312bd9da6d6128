"""From a specification to candidates: prompts, samples, and code read out of replies."""
