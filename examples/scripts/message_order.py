#!/usr/bin/env -S mora script
"""Reports every older message that a receive left waiting behind it (same sender, same receiver): message_order.py TRACE"""
import sys

import mora


def wrong_order(trace):
    """(RECV, older SEND still waiting after it), …"""
    for recv in trace.events("RECV"):
        for waiting in trace.state(recv.num).queue(recv.node, recv.src) if recv.sendptr else ():
            if waiting < recv.sendptr:
                yield recv, trace[waiting]


if __name__ == "__main__":
    with mora.open(sys.argv[1]) as trace:
        for recv, older in wrong_order(trace):
            print(f"Received message in wrong order\non node {recv.node} at {recv.time:.9f} sec.")
            print("Call Stack:", *trace.state(recv.num).stack(recv.node, sym=True, thread=recv.thread), "")
