"""How events, traces and states are displayed: text for terminals, small HTML tables for notebooks."""
import html

from mora._precision import fixed


def _text_of(name, value):
    if value is None:
        return "-1" if name.endswith("ptr") else "?"
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, float):
        return fixed(value)
    if isinstance(value, tuple):
        return ",".join(map(str, value)) or "?"
    text = str(value)
    return "{" + text + "}" if not text or any(c.isspace() for c in text) else text


def event_str(event):
    """EARL's list: `num 7 node 0 time 0.000400000 type SEND enterptr 5 dest 1 …`; links that lead nowhere are -1."""
    return " ".join(f"{name} {_text_of(name, value)}" for name, value in event.attributes().items())


def event_repr(event):
    """`<mora.Event 7: SEND on node 0 at 0.000400000 s>`."""
    thread = f" thread {event.thread}" if event.thread else ""
    return f"<mora.Event {event.num}: {event.type} on node {event.node}{thread} at {fixed(event.time)} s>"


_TABLE = '<table style="border-collapse:collapse">'
_CELL = "padding:1px 8px;text-align:left;border-bottom:1px solid rgba(128,128,128,0.3)"


def table(rows, caption=""):
    """An HTML table of (name, value) rows; everything is escaped; colours are the notebook's own."""
    text = "".join(
        f'<tr><th scope="row" style="{_CELL}">{html.escape(str(name))}</th>'
        f'<td style="{_CELL}">{html.escape(str(value))}</td></tr>'
        for name, value in rows
    )
    head = f"<caption>{html.escape(caption)}</caption>" if caption else ""
    return f"{_TABLE}{head}<tbody>{text}</tbody></table>"


def event_html(event):
    """The attributes of the event as an HTML table."""
    rows = [(name, fixed(value) + " s" if name == "time" else "" if value is None else value)
            for name, value in event.attributes().items()]
    rows += [(name, f"event {other.num}") for name, other in event.links.items()]
    return table(rows, f"event {event.num}: {event.type}")
