#!/usr/bin/env -S mora script
"""Is this trace, and the program it shows, sound? validate.py [--examples N] TRACE

Exit code 1 if something is found:
  time order       an event before its predecessor (R-MOD-4; equal times of one process are legal)
  nesting          a region left that was not entered last, or not entered at all (R-MOD-7); a region never left
  messages         a receive without a send, a send without a receive, lengths that differ (R-MOD-9)
  message order    a receive that left an older message of the same sender waiting
  data quality     whatever else had to be mended while reading (trace.info.losses)
"""
import argparse
import sys

import mora
from message_order import wrong_order


def violations(trace):
    """(rule, event or None, what), …"""
    last = 0
    for event in trace:
        if event.time_ns < last:
            yield "time order", event, "is earlier than the event before it"
        last = event.time_ns
        if event.type == "RECV":
            if event.send is None:
                yield "messages", event, f"receives a message from {event.src} that nobody sent"
            elif event.send.len != event.len:
                yield "messages", event, f"receives {event.len} bytes, sent were {event.send.len}"
        elif event.type == "SEND" and event.recv is None:
            yield "messages", event, f"sends a message to {event.dest} that is never received"
        elif event.type == "ENTER" and event.exit is None:
            yield "nesting", event, f"enters {event.region}, which is never left"
        elif event.is_a("EXIT"):
            if event.enter is None:
                yield "nesting", event, f"leaves {event.region}, which was not entered"
            elif event.enter.region != event.region:
                yield "nesting", event, f"leaves {event.region} before {event.enter.region}"
    for recv, older in wrong_order(trace):
        yield "message order", recv, f"leaves the older message of event {older.num} waiting"
    for loss in trace.info.losses:
        if loss.severity != "info":
            yield "data quality", None, f"{loss.kind} {loss.where}: {loss.what} ({loss.count} times)"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Checks a trace and the program it shows.")
    parser.add_argument("trace")
    parser.add_argument("--examples", type=int, default=3, help="how many of each rule to show (3)")
    arguments = parser.parse_args()
    found = {}
    with mora.open(arguments.trace) as trace:
        for rule, event, what in violations(trace):
            found[rule] = found.get(rule, 0) + 1
            if found[rule] <= arguments.examples:
                print(f"{rule}: " + (f"event {event.num} (node {event.node}, {event.time:.9f} s) {what}" if event else what))
    for rule, count in found.items():
        print(f"{count:6} x {rule}")
    if not found:
        print("nothing found")
    sys.exit(bool(found))
