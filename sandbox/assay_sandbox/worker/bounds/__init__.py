"""How long a call may take and what it may use, and how its answers leave."""
