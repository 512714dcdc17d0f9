#!/usr/bin/env -S mora script
"""Who moved how much to and from whom with one-sided operations: rma_matrix.py TRACE
A transfer's end knows its start (startptr), and both know their ranks. Prints what `mora report --transfers --csv` prints."""
import sys
from collections import Counter

import mora


def transfers(trace):
    """{(origin, target, kind): [operations, bytes]}; an atomic moves its operand and its result."""
    operations, moved = Counter(), Counter()
    for end in trace.events(["PUT_1TE", "GET_1TE", "ATOMIC_1TE"]):
        if end.startptr is None:
            continue  # its other half is not in the trace
        start = end.start
        if end.type == "PUT_1TE":
            pair = start.rank, start.dest, "put"
        elif end.type == "GET_1TE":
            pair = end.rank, end.src, "get"
        else:
            pair = end.rank, end.src, "atomic"
        operations[pair] += 1
        moved[pair] += start.sent + (end.recvd if end.type == "ATOMIC_1TE" else 0)
    return {pair: [operations[pair], moved[pair]] for pair in operations}


if __name__ == "__main__":
    order = ["put", "get", "atomic"]
    with mora.open(sys.argv[1]) as trace:
        print("origin,target,kind,operations,bytes")
        matrix = transfers(trace)
        for origin, target, kind in sorted(matrix, key=lambda pair: (pair[0], pair[1], order.index(pair[2]))):
            print(origin, target, kind, *matrix[origin, target, kind], sep=",")
