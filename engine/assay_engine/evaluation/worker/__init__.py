"""What runs inside the sandbox for an evaluation. Nothing but tests imports it on our side."""
