#!/usr/bin/env -S mora script
"""Time lost because a receive was called before its send: early_receive.py TRACE [RECEIVES SENDS]

RECEIVES and SENDS are names of regions, joined by commas; default: MPI's calls that wait for messages and that send.
"""
import sys

import mora

RECEIVES = "MPI_Recv,MPI_Mrecv,MPI_Sendrecv,MPI_Sendrecv_replace,MPI_Wait,MPI_Waitall,MPI_Waitany,MPI_Waitsome"
SENDS = "MPI_Send,MPI_Ssend,MPI_Bsend,MPI_Rsend,MPI_Isend,MPI_Issend,MPI_Ibsend,MPI_Irsend,MPI_Start,MPI_Startall"


def early_receive(trace, receives=RECEIVES, sends=SENDS + ",MPI_Sendrecv,MPI_Sendrecv_replace"):
    """{number of the receiving call's ENTER: nanoseconds from there to the (latest) sending call's ENTER}"""
    receives, sends, waits = receives.split(","), sends.split(","), {}
    for recv in trace.events("RECV"):
        call, send_call = recv.enter, recv.send and recv.send.enter
        if call and send_call and call.region in receives and send_call.region in sends:
            waits[call.num] = max(waits.get(call.num, 0), send_call.time_ns - call.time_ns)
    return waits


if __name__ == "__main__":
    with mora.open(sys.argv[1]) as trace:
        wasted = sum(early_receive(trace, *sys.argv[2:4]).values())
        print(f"{trace.info.filename}: {wasted / 1e9:.9f} sec wasted.")
