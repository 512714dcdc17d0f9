"""Pictures for scripts: bar charts, x-y diagrams, histograms and time lines as SVG or HTML, without further packages.

    mora.charts.bar(range(8), kilobytes, title="Data received by node 2", x="nodes", y="data [KBytes]").save("volume.svg")
    mora.charts.xy({"measured": (ranks, speedup), "ideal": (ranks, ranks)}, x="ranks", y="speed-up").save("scaling.html")
    mora.charts.histogram(waits, x="waiting time [s]")
    mora.charts.timeline(trace, between=(0.1, 0.2))

A Chart shows itself in notebooks; `save(path)` writes .svg or .html, `svg` is the text.
"""
import html
import math
import os

from ._errors import UsageError
from ._timeline import strips

WIDTH, HEIGHT = 720, 400
COLOURS = ("#3b6fb6", "#d9822b", "#4a9a68", "#b8475f", "#7f66b3", "#8a7a4f", "#3f9fb0", "#777777")
_TEXT, _FAINT, _AXIS = "#222", "#e3e3e3", "#888"


class Chart:
    """A picture. `svg` (str), `save(path)`, and for programs the data: `labels` and `series` ({name: values})."""

    def __init__(self, parts, width, height, title, labels=(), series=None):
        self.labels, self.series, self.title = list(labels), dict(series or {}), title
        body = "\n".join(parts)
        self.svg = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
            f'role="img" aria-label="{html.escape(title or "chart", quote=True)}" '
            f'font-family="system-ui, DejaVu Sans, Helvetica, Arial, sans-serif" font-size="12" fill="{_TEXT}">\n'
            f'<rect width="100%" height="100%" fill="white"/>\n{body}\n</svg>\n'
        )

    def save(self, path):
        """Writes an .svg or .html file, by its name. Returns the path."""
        kind = os.path.splitext(os.fspath(path))[1].lower()
        if kind not in (".svg", ".html"):
            raise UsageError(f"a chart is saved as .svg or .html, not {kind!r}", str(path))
        text = self.svg
        if kind == ".html":
            title = html.escape(self.title or "chart")
            text = f"<!DOCTYPE html>\n<html lang='en'><meta charset='utf-8'><title>{title}</title>\n<body>{self.svg}</body></html>\n"
        with open(path, "w", encoding="utf-8", errors="replace") as file:  # names in traces may be any bytes
            file.write(text)
        return path

    def _repr_svg_(self):
        return self.svg

    def __repr__(self):
        return f"<mora chart {self.title!r}>" if self.title else "<mora chart>"


def _text(x, y, text, anchor="start", more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {more}>{html.escape(str(text))}</text>'


def _numbers(values, what):
    numbers = [float(v) for v in values]
    if not all(map(math.isfinite, numbers)):
        raise UsageError(f"{what} must be finite numbers")
    return numbers


def ticks(low, high, about=6):
    """Round numbers from at most `low` to at least `high`, some `about` of them."""
    if not high > low:
        low, high = (low - 0.5 * abs(low), low + 0.5 * abs(low)) if low else (0.0, 1.0)
    rough = (high - low) / about
    step = 10.0 ** math.floor(math.log10(rough))
    step *= next(f for f in (1, 2, 5, 10) if f * step >= rough * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [i * step for i in range(first, last + 1)]


def _tick_texts(values):
    """Equal numbers of digits; powers of ten beyond 10^6 and below 10^-4."""
    step = values[1] - values[0]
    largest = max(abs(v) for v in values)
    if largest >= 1e6 or step < 1e-4:
        return [f"{v:.3g}" if v else "0" for v in values]
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    return [f"{v:.{digits}f}" for v in values]


class _Plane:
    """Axes with round ticks, and the way from values to points."""

    def __init__(self, ys, title, x, y, legend, xs=None, grid=True):
        self.y_ticks = ticks(min(0.0, *ys) if ys else 0.0, max(0.0, *ys) if ys else 1.0)
        texts = _tick_texts(self.y_ticks)
        self.left = 22 + 7 * max(map(len, texts)) + (20 if y else 0)
        self.top = 16 + (26 if title else 0) + (22 if legend else 0)
        self.right, self.bottom = WIDTH - 20, HEIGHT - 36 - (20 if x else 0)
        self.parts = []
        if title:
            self.parts.append(_text(self.left, 26, title, more='font-size="15" font-weight="600"'))
        at = self.left
        for i, name in enumerate(legend):
            row = self.top - 14
            self.parts.append(f'<rect x="{at:.1f}" y="{row - 9:.1f}" width="10" height="10" rx="2" fill="{COLOURS[i % 8]}"/>')
            self.parts.append(_text(at + 15, row, name))
            at += 32 + 7 * len(str(name))
        for value, text in zip(self.y_ticks, texts):
            if grid and value:
                self.parts.append(self.line(self.left, self.py(value), self.right, self.py(value), _FAINT))
            self.parts.append(_text(self.left - 8, self.py(value) + 4, text, "end"))
        if y:
            middle = (self.top + self.bottom) / 2
            self.parts.append(_text(16, middle, y, "middle", f'transform="rotate(-90 16 {middle:.1f})"'))
        if x:
            self.parts.append(_text((self.left + self.right) / 2, HEIGHT - 12, x, "middle"))
        if xs is not None:
            self.x_ticks = ticks(min(xs), max(xs), 8) if xs else [0.0, 1.0]
            for value, text in zip(self.x_ticks, _tick_texts(self.x_ticks)):
                self.parts.append(self.line(self.px(value), self.bottom, self.px(value), self.bottom + 5, _AXIS))
                self.parts.append(_text(self.px(value), self.bottom + 18, text, "middle"))

    def line(self, x1, y1, x2, y2, colour):
        return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"/>'

    def py(self, value):
        low, high = self.y_ticks[0], self.y_ticks[-1]
        return self.bottom - (value - low) / (high - low) * (self.bottom - self.top)

    def px(self, value):
        low, high = self.x_ticks[0], self.x_ticks[-1]
        return self.left + (value - low) / (high - low) * (self.right - self.left)

    def axes(self):
        zero = self.py(0.0) if self.y_ticks[0] <= 0 <= self.y_ticks[-1] else self.bottom
        self.parts.append(self.line(self.left, zero, self.right, zero, _AXIS))
        self.parts.append(self.line(self.left, self.top, self.left, self.bottom, _AXIS))
        return self.parts


def bar(labels, values, *, title="", x="", y="", grid=True, colour=None):
    """A bar for each label. values: numbers, or {series name: numbers} for groups of bars."""
    labels = [str(label) for label in labels]
    series = values if isinstance(values, dict) else {"": values}
    series = {str(name): _numbers(numbers, "the heights of bars") for name, numbers in series.items()}
    for name, numbers in series.items():
        if len(numbers) != len(labels):
            raise UsageError(f"there are {len(labels)} labels and {len(numbers)} values", name)
    plane = _Plane([v for numbers in series.values() for v in numbers], title, x, y, [n for n in series if n], grid=grid)
    slot = (plane.right - plane.left) / max(1, len(labels))
    wide = min(slot * 0.72, 72.0 * len(series)) / max(1, len(series))
    for s, (name, numbers) in enumerate(series.items()):
        paint = colour or COLOURS[s % 8]
        for i, value in enumerate(numbers):
            left = plane.left + slot * (i + 0.5) + wide * (s - len(series) / 2)
            top, low = sorted((plane.py(value), plane.py(0.0)))
            plane.parts.append(
                f'<rect x="{left:.2f}" y="{top:.2f}" width="{max(wide * 0.96, 0.5):.2f}" height="{low - top:.2f}" fill="{paint}">'
                f"<title>{html.escape(f'{labels[i]} {name}'.strip())}: {value:.9g}</title></rect>"
            )
    space = max([7 * len(label) + 10 for label in labels] or [1])
    every = max(1, math.ceil(space / slot))
    for i in range(0, len(labels), every):
        plane.parts.append(_text(plane.left + slot * (i + 0.5), plane.bottom + 18, labels[i], "middle"))
    return Chart(plane.axes(), WIDTH, HEIGHT, title, labels, series)


def xy(series, *, title="", x="", y="", lines=True, points=True, grid=True):
    """Points joined by lines. series: {name: (xs, ys)}, or one pair (xs, ys)."""
    series = series if isinstance(series, dict) else {"": series}
    series = {str(n): (_numbers(xs, "x values"), _numbers(ys, "y values")) for n, (xs, ys) in series.items()}
    for name, (xs, ys) in series.items():
        if len(xs) != len(ys):
            raise UsageError(f"there are {len(xs)} x and {len(ys)} y values", name)
    plane = _Plane([v for _, ys in series.values() for v in ys], title, x, y, [n for n in series if n],
                   [v for xs, _ in series.values() for v in xs], grid)
    parts = plane.axes()
    for s, (name, (xs, ys)) in enumerate(series.items()):
        at = [(plane.px(a), plane.py(b)) for a, b in zip(xs, ys)]
        if lines and len(at) > 1:
            path = " ".join(f"{a:.1f},{b:.1f}" for a, b in at)
            parts.append(f'<polyline points="{path}" fill="none" stroke="{COLOURS[s % 8]}" stroke-width="2"/>')
        if points:
            for (a, b), xv, yv in zip(at, xs, ys):
                parts.append(f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3.5" fill="{COLOURS[s % 8]}"><title>'
                             f"{html.escape(name)} {xv:.9g}: {yv:.9g}</title></circle>")
    return Chart(parts, WIDTH, HEIGHT, title, (), series)


def histogram(values, *, bins=None, title="", x="", y="count", grid=True):
    """A bar chart of how many of the values are in each of `bins` intervals of equal width.

    Without `bins` there are as many as Sturges' rule gives. The chart's `labels` are the lower bounds; the last interval includes its upper bound."""
    numbers = _numbers(values, "the values of a histogram")
    if bins is not None and (isinstance(bins, bool) or not isinstance(bins, int) or bins < 1):
        raise UsageError(f"the number of bins is {bins!r}, but must be a positive int")
    count = bins or max(1, math.ceil(math.log2(len(numbers) + 1))) if numbers else 1
    low, high = (min(numbers), max(numbers)) if numbers else (0.0, 1.0)
    step = (high - low) / count or 1.0
    heights = [0] * count
    for value in numbers:
        heights[min(count - 1, int((value - low) / step))] += 1
    edges = [low + i * step for i in range(count + 1)]
    plane = _Plane([float(h) for h in heights], title, x, y, [], edges, grid)
    for i, height in enumerate(heights):
        left, right, top = plane.px(edges[i]), plane.px(edges[i + 1]), plane.py(height)
        plane.parts.append(
            f'<rect x="{left + 0.5:.2f}" y="{top:.2f}" width="{max(right - left - 1, 0.5):.2f}" '
            f'height="{plane.bottom - top:.2f}" fill="{COLOURS[0]}"><title>{edges[i]:.6g} to {edges[i + 1]:.6g}: {height}'
            "</title></rect>"
        )
    return Chart(plane.axes(), WIDTH, HEIGHT, title, edges[:-1], {"": heights})


def timeline(trace, *, between=None, ranks=None, title="", messages=True):
    """One line for each node: which region it is in, and strokes for messages from send to receive.

    between   (from, to) in seconds; default: the whole trace
    ranks     which nodes; default: all (at most 64)
    messages  False: no strokes; of more than 400 messages an even selection is drawn, and the picture says so
    """
    parts, height = strips(trace, between, ranks, title, messages, WIDTH + 240, COLOURS)
    return Chart(parts, WIDTH + 240, height, title)
