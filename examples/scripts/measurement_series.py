#!/usr/bin/env -S mora script
"""Runs a program on more and more ranks and stops when it no longer pays; each run decides about the next.

    measurement_series.py ./app                                 mpirun -n 1, 2, 4, … ./app, recorded
    measurement_series.py --inputs small.dat large.dat -- ./app {input}
    measurement_series.py --trace out{ranks}.alog -- ./simulate {ranks} {input}       a program that writes its own trace

{ranks} and {input} are replaced in command and --trace. A series ends when the parallel efficiency T(1) / (P T(P)) falls below --limit.
Then the two last traces are compared region by region.
"""
import argparse

import mora
from region_times import region_times


def measure(options, ranks, value):
    """Runs the program once; returns its trace, open."""
    trace, *words = [w.replace("{ranks}", str(ranks)).replace("{input}", value) for w in [options.trace or "", *options.command]]
    if trace:
        mora.run(words, record=False, fail_on_stderr=True)
        return mora.open(trace)
    launched = any("{ranks}" in word for word in options.command)  # the command knows about ranks itself
    return mora.run(words, ranks=None if launched else ranks, launcher=None if launched else options.launcher).open()


def series(options, value):
    """(ranks, T, efficiency) of each run, and the two last traces."""
    rows, traces, ranks = [], [], options.first
    while ranks <= options.most:
        traces = traces[-1:] + [measure(options, ranks, value)]
        time = traces[-1].info.duration
        base = rows[0][0] * rows[0][1] if rows else ranks * time
        rows.append((ranks, time, base / (ranks * time) if time else 1.0))
        if rows[-1][2] < options.limit:
            break
        ranks *= 2
    return rows, traces


def difference(before, after):
    """{region: seconds of all nodes, after - before}, exclusive."""
    sums = {}
    for sign, trace in ((-1, before), (1, after)):
        for (_, region), time in region_times(trace)[1].items():
            sums[region] = sums.get(region, 0) + sign * time
    return {region: time / 1e9 for region, time in sorted(sums.items(), key=lambda item: -abs(item[1]))}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Measures a program on growing numbers of ranks.")
    parser.add_argument("--launcher", default="mpirun")
    parser.add_argument("--inputs", nargs="+", default=[""])
    parser.add_argument("--first", type=int, default=1, help="ranks of the first run (1)")
    parser.add_argument("--most", type=int, default=64, help="ranks of the last run at most (64)")
    parser.add_argument("--limit", type=float, default=0.5, help="efficiency below which a series ends (0.5)")
    parser.add_argument("--trace", help="the program writes its own trace to this file")
    parser.add_argument("--chart", help="speed-up as .svg or .html")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    curves = {}
    for value in options.inputs:
        rows, traces = series(options, value)
        print(f"{'input ' + value if value else 'runs'}\n{'ranks':>6} {'T s':>14} {'speed-up':>9} {'efficiency':>10}")
        for ranks, time, efficiency in rows:
            print(f"{ranks:6} {time:14.9f} {rows[0][1] / (time or 1):9.3f} {efficiency:10.3f}")
        curves[value or "measured"] = [row[0] for row in rows], [rows[0][1] / (row[1] or 1) for row in rows]
        if len(traces) == 2:
            print(f"from {rows[-2][0]} to {rows[-1][0]} ranks, seconds of all ranks by region:")
            for region, change in difference(*traces).items():
                print(f"  {change:+14.9f}  {region}")
    if options.chart:
        most = max((xs for xs, _ in curves.values()), key=len)
        mora.charts.xy({**curves, "ideal": (most, [p / most[0] for p in most])}, title="Speed-up", x="ranks").save(options.chart)
