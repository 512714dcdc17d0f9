"""Time lines: for each node and pixel the region that takes most of its time, and lines for messages.

One pass over the ENTER and EXIT events of the chosen ranks; memory: for each location and pixel the regions in it.
At most 400 messages and, unless ranks are given, 64 nodes are drawn; the picture says so.
"""
import html
import math

USER = ("#3b6fb6", "#4a9a68", "#3f9fb0", "#9db8dc", "#7c8f4a")
MPI = ("#d9822b", "#b8475f", "#7f66b3", "#c9a227", "#a0522d")
OTHER = "#9a9a9a"
MESSAGES, NODES = 400, 64


class _Strip:
    """Where the time of one location goes: for each pixel, the share of each region."""

    def __init__(self, pixels):
        self.shares = [{} for _ in range(pixels)]

    def add(self, name, begin, end):
        first, last = int(begin), min(int(end), len(self.shares) - 1)
        for p in range(first, last + 1):
            share = min(end, p + 1) - max(begin, p)
            if share > 0:
                self.shares[p][name] = self.shares[p].get(name, 0.0) + share

    def runs(self):
        """(name, first pixel, pixel after the last) of neighbours with the same region; pixels without one are left out."""
        begin, name = 0, None
        for p, share in enumerate([*self.shares, {}]):
            most = max(share, key=share.get) if share else None
            if most != name or p == len(self.shares):
                if name is not None:
                    yield name, begin, p
                begin, name = p, most


def _fill(trace, t0, t1, locations, scale, pixels):
    first = next(iter(trace.events(between=(t0, None))), None)
    state = trace.state(first.num - 1 if first else len(trace))
    rows = {}
    for rank, thread in locations:
        stack = list(reversed(state.stack(rank, sym=True, thread=thread)))
        rows[rank, thread] = [_Strip(pixels), stack, t0]
    if not locations:
        return {}

    def reach(row, time):
        strip, stack, since = row
        if stack and time > since:
            strip.add(stack[-1], (since - t0) * scale, (time - t0) * scale)
        row[2] = time

    for event in trace.events(kinds=("ENTER", "EXIT"), ranks={rank for rank, _ in locations}, between=(t0, t1)):
        row = rows.get((event.rank, event.thread))
        if row is None:
            continue
        reach(row, event.time)
        if event.type == "ENTER":
            row[1].append(event.region)
        elif row[1]:
            row[1].pop()
    for row in rows.values():
        reach(row, t1)
    return {place: row[0] for place, row in rows.items()}


def _colours(strips):
    area = {}
    for strip in strips.values():
        for name, begin, end in strip.runs():
            area[name] = area.get(name, 0) + end - begin
    chosen, left = {}, {True: list(MPI), False: list(USER)}
    for name in sorted(area, key=lambda n: (-area[n], n)):
        palette = left[name.startswith("MPI_")]
        chosen[name] = palette.pop(0) if palette else OTHER
    return chosen


def _unit(span):
    return next((u for u in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")) if span >= 2 * u[0]), (1e-9, "ns"))


def strips(trace, between, ranks, title, messages, width, colours):
    """The parts of the picture and its height; see charts.timeline()."""
    from .charts import _text, _tick_texts, ticks

    count = len(trace)
    t0, t1 = between or (None, None)
    t0 = (trace[1].time if count else 0.0) if t0 is None else float(t0)
    t1 = (trace[count].time if count else 1.0) if t1 is None else float(t1)
    if not t1 > t0:
        t1 = t0 + 1e-9
    wanted = range(min(trace.info.nodecount, NODES)) if ranks is None else list(ranks)
    places = [(l.rank, l.thread) for l in trace.locations if l.rank in set(wanted) and l.kind == "cpu"]
    names = [trace.info.nodesym(r) + (f".{t}" if t else "") for r, t in places]
    names = [n[5:] if n.startswith("node_") else n for n in names]
    left, right = 24 + 7.2 * max(map(len, names), default=1), width - 16
    scale = (right - left) / (t1 - t0)
    pixels = max(1, int(right - left) + 1)
    filled = _fill(trace, t0, t1, places, scale, pixels)
    paint = _colours(filled)

    parts, y = [], 16
    if title:
        parts.append(_text(left, 26, title, more='font-size="15" font-weight="600"'))
        y = 44
    at = left
    for name in [n for n in paint if paint[n] != OTHER] + (["other regions"] if OTHER in paint.values() else []):
        if at + 24 + 7 * len(name) > right:
            at, y = left, y + 18
        parts.append(f'<rect x="{at:.1f}" y="{y - 2:.1f}" width="10" height="10" rx="2" fill="{paint.get(name, OTHER)}"/>')
        parts.append(_text(at + 15, y + 7, name))
        at += 34 + 7 * len(name)
    y += 24
    step = 30 if len(places) <= 16 else 16
    middle = {}
    for place, name in zip(places, names):
        middle.setdefault(place[0], y + step / 2)
        parts.append(_text(left - 8, y + step / 2 + 4, name, "end"))
        parts.append(f'<line x1="{left:.1f}" x2="{right:.1f}" y1="{y + step / 2:.1f}" y2="{y + step / 2:.1f}" stroke="#ccc"/>')
        for region, begin, end in filled[place].runs():
            parts.append(f'<rect x="{left + begin:.1f}" y="{y + 3:.1f}" width="{end - begin}" height="{step - 6}" '
                         f'fill="{paint[region]}"><title>{html.escape(region)}</title></rect>')
        y += step
    note = ""
    if messages:
        strokes, note = _messages(trace, t0, t1, middle, left, scale)
        parts += strokes
    if ranks is None and trace.info.nodecount > NODES:
        note = f"{NODES} of {trace.info.nodecount} nodes; " + note
    unit, name = _unit(t1 - t0)
    marks = [m for m in ticks(t0 / unit, t1 / unit, 9) if t0 / unit <= m * (1 + 1e-12) and m <= t1 / unit * (1 + 1e-12)]
    parts.append(f'<line x1="{left:.1f}" x2="{right:.1f}" y1="{y + 4}" y2="{y + 4}" stroke="#888"/>')
    for mark, text in zip(marks, _tick_texts(marks) if len(marks) > 1 else [f"{m:g}" for m in marks]):
        x = left + (mark * unit - t0) * scale
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{y + 4}" y2="{y + 9}" stroke="#888"/>')
        parts.append(_text(x, y + 23, text, "middle"))
    parts.append(_text((left + right) / 2, y + 42, f"time [{name}]", "middle"))
    if note:
        parts.append(_text(right, y + 42, note.rstrip("; "), "end", 'fill="#777" font-size="11"'))
    return parts, int(y + 54)


def _messages(trace, t0, t1, middle, left, scale):
    sends = [send.num for send in trace.events(kinds="SEND", ranks=set(middle), between=(t0, t1))]
    every = max(1, math.ceil(len(sends) / MESSAGES))
    strokes = []
    for number in sends[::every]:
        send = trace[number]
        recv = send.recv
        if recv is None or recv.rank not in middle:
            continue
        a, b = left + (send.time - t0) * scale, left + (min(recv.time, t1) - t0) * scale
        strokes.append(f'<line x1="{a:.1f}" y1="{middle[send.rank]:.1f}" x2="{b:.1f}" y2="{middle[recv.rank]:.1f}" '
                       'stroke="#111" stroke-opacity="0.65"/>')
    return strokes, f"one of {every} messages is drawn; " if every > 1 else ""
