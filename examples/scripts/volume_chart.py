#!/usr/bin/env -S mora script
"""Bar chart of the data that a node received from each other: volume_chart.py TRACE NODE [PICTURE.svg|.html]

The lengths are those of the RECV events: at the send the length is not always known.
"""
import sys

import mora


def volume(trace, receiver):
    """Bytes that `receiver` got from each node."""
    received = [0] * trace.info.nodecount
    for recv in trace.events("RECV", ranks=receiver):
        received[recv.src] += recv.len
    return received


def chart(trace, receiver):
    kilobytes = [received / 1024 for received in volume(trace, receiver)]
    title = f"Data received by node {receiver}"
    return mora.charts.bar(range(len(kilobytes)), kilobytes, title=title, x="nodes", y="data [KBytes]", grid=False, colour="#808080")


if __name__ == "__main__":
    picture = sys.argv[3] if len(sys.argv) > 3 else "volume.svg"
    with mora.open(sys.argv[1]) as trace:
        print(chart(trace, int(sys.argv[2])).save(picture))
