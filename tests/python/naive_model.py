"""EARL's model written down as its source does (Wolf 1998, 4.2 and 4.3): slow, obvious, in memory.

A trace is a list of dicts; states are computed from scratch. Also makes random traces, as ALOG.
"""
import random

REGIONS = ["main", "work", "MPI_Send", "MPI_Recv"]


def random_alog(seed, nodes=3, length=60):
    """(text, events): an ALOG trace with nesting, recursion, user events, messages of several tags, some never received."""
    rng = random.Random(seed)
    lines = [f"-3 0 0 {nodes} 0 0", "-9 0 0 99 0 0 note"]
    for i, name in enumerate(REGIONS):
        lines.append(f"-13 0 {2 * i + 1} {2 * i + 2} 0 0 red:solid {name}")
    events, stacks, waiting, time = [], [[] for _ in range(nodes)], [], 0
    for _ in range(length):
        time += rng.choice([1, 1, 2, 10])  # unlike in EARL, equal times are legal too; ALOG files sort them by node
        node = rng.randrange(nodes)
        what = rng.choice(["enter", "enter", "exit", "exit", "send", "recv", "recv", "note"])
        if what == "enter" and len(stacks[node]) < 6:
            region = rng.randrange(len(REGIONS))
            stacks[node].append(region)
            lines.append(f"{2 * region + 1} {node} 0 0 0 {time}")
            events.append({"type": "ENTER", "node": node, "us": time, "region": REGIONS[region]})
        elif what == "exit" and stacks[node]:
            region = stacks[node].pop()
            lines.append(f"{2 * region + 2} {node} 0 0 0 {time}")
            events.append({"type": "EXIT", "node": node, "us": time, "region": REGIONS[region]})
        elif what == "send":
            dest, tag, size = rng.randrange(nodes), rng.randrange(2), rng.randrange(1000)
            waiting.append((node, dest, tag))
            lines.append(f"-101 {node} 0 {dest} 0 {time} {tag} {size}")
            events.append({"type": "SEND", "node": node, "us": time, "dest": dest, "tag": tag, "len": size})
        elif what == "recv" and waiting:
            src, dest, tag = message = rng.choice(waiting)
            waiting.remove(message)
            size = rng.randrange(1000)
            lines.append(f"-102 {dest} 0 {src} 0 {time} {tag} {size}")
            events.append({"type": "RECV", "node": dest, "us": time, "src": src, "tag": tag, "len": size})
        elif what == "note":
            lines.append(f"99 {node} 0 {time} 0 {time}")
            events.append({"type": "note", "node": node, "us": time, "data": str(time)})
    return "\n".join(lines) + "\n", events


class NaiveTrace:
    """What EARL's commands answer, for events as random_alog() returns them."""

    def __init__(self, events, nodes):
        self.events = events
        self.nodes = nodes
        self.states = [([], [])]
        self.pointers = []
        for number, event in enumerate(events, 1):
            activations, messages = (list(part) for part in self.states[-1])
            here = [k for k in activations if events[k - 1]["node"] == event["node"]]
            found = {"enterptr": max(here, default=None)}
            if event["type"] == "ENTER":
                activations.append(number)
            elif event["type"] == "EXIT":
                activations.remove(max(here))
            elif event["type"] == "SEND":
                messages.append(number)
            elif event["type"] == "RECV":
                key = (event["src"], event["node"], event["tag"])
                fits = [k for k in messages
                        if (events[k - 1]["node"], events[k - 1]["dest"], events[k - 1]["tag"]) == key]
                found["sendptr"] = min(fits)
                messages.remove(min(fits))
            self.pointers.append(found)
            self.states.append((activations, messages))
        self.pointer = 0

    def get(self, number, fetch_only=False):
        if not 1 <= number <= len(self.events):
            return None
        if not fetch_only:
            self.pointer = number
        return number

    def next(self):
        return self.get(self.pointer + 1)

    def prev(self):
        return self.get(self.pointer - 1)

    def reset(self):
        self.pointer = 0

    def stack(self, node, sym=False):
        numbers = sorted((k for k in self.states[self.pointer][0] if self.events[k - 1]["node"] == node), reverse=True)
        return [self.events[k - 1]["region"] for k in numbers] if sym else numbers

    def queue(self, dest=None, src=None):
        return sorted((k for k in self.states[self.pointer][1]
                       if (dest is None or self.events[k - 1]["dest"] == dest)
                       and (src is None or self.events[k - 1]["node"] == src)), reverse=True)
