#!/usr/bin/env -S mora script
"""Is this trace, and the program it shows, sound? validate.py [--examples N] TRACE

Exit code 1 if something is found:
  time order       stamps before their predecessor in the same process (equal times are legal)
  nesting          a region left that was not entered last, or not entered at all, or never left
  messages         a receive without a send, a send without a receive, lengths that differ
  message order    a receive that left an older message of the same sender waiting
  data quality     whatever else is damaged

What readers must repair to make a trace of the file at all is in trace.info.losses; the events show the rest.
"""
import argparse
import sys

import mora
from message_order import wrong_order


REPAIRED = {
    "clock-went-backwards": "time order",
    "time-out-of-range": "time order",
    "missing-leave": "nesting",
    "stray-leave": "nesting",
    "overlapping-region": "nesting",
}
SEEN = ("unmatched-send", "unmatched-receive", "unclosed-region")  # losses that events show, too


def violations(trace):
    """(rule, event or None, what), …"""
    for loss in trace.info.losses:
        if loss.severity != "info" and loss.kind not in SEEN:
            yield REPAIRED.get(loss.kind, "data quality"), None, f"{loss.where}: {loss.what} ({loss.count} times)"
    for event in trace.events(("RECV", "SEND", "ENTER")):
        if event.type == "ENTER":
            if event.exit is None:
                yield "nesting", event, f"enters {event.region}, which is never left"
        elif event.type == "SEND":
            if event.recv is None:
                yield "messages", event, f"sends a message to {event.dest} that is never received"
        elif event.send is None:
            yield "messages", event, f"receives a message from {event.src} that nobody sent"
        elif event.send.len != event.len:
            yield "messages", event, f"receives {event.len} bytes, sent were {event.send.len}"
    for recv, older in wrong_order(trace):
        yield "message order", recv, f"leaves the older message of event {older.num} waiting"


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
