"""A trace and what it is made of: Trace, State, TraceInfo, Columns, Frame, Writer and small named tuples."""
