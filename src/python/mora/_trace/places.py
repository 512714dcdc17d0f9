"""Where in its traces a script was when it failed."""
import traceback

MOST = 8


def of(trace_back, trace=None):
    """Lines `  name = event, state or trace` for the variables of all frames, the innermost function's first; of one trace,
    or of all that are open (what belongs to a closed one was said when it was closed)."""
    import mora

    seen, lines = set(), []
    for frame, _ in reversed(list(traceback.walk_tb(trace_back))):
        for name, value in list(frame.f_locals.items()):
            if not isinstance(value, (mora.Event, mora.State, mora.Trace)) or (name, id(value)) in seen:
                continue
            owner = value if isinstance(value, mora.Trace) else value.trace if isinstance(value, mora.Event) else None
            core = value._core if owner is None and isinstance(value, mora.State) else getattr(owner, "_core", None)
            if core is None or core.closed or (trace is not None and core is not trace._core):
                continue
            if trace is not None and value is trace and not trace.position:
                continue
            seen.add((name, id(value)))
            lines.append(f"  {name} = {_text(value)}")
    if len(lines) > MOST:
        lines[MOST:] = [f"  and {len(lines) - MOST} more"]
    return lines


def _text(value):
    import mora

    text = repr(value)
    if isinstance(value, mora.Trace) and value.position:
        text += f", read pointer at event {value.position}"
    return text
