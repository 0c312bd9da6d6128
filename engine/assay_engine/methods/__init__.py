"""Methods beside the ordinary check. Each is loaded when it is asked for."""
