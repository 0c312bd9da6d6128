"""What a process of the worker may do: namespaces, Landlock, the filter, limits, and its end."""
