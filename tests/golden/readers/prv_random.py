#!/usr/bin/python3
"""Random Paraver traces against what they were made from: prv_random.py --mora build/release/bin/mora [--seed N] [--ranks N] [--steps N]

A random program (user functions, blocking and non-blocking messages, collectives on two communicators, counters) is simulated;
its events per rank are the expectation. The same program is written as a .prv file the way Extrae does: all lines in the order of
time, a message as one line at its send. Then `mora print --json` must show exactly the expected events, each reception
pointing to its send. No line of the .prv file is used for the expectation.
"""
import argparse
import gzip
import json
import os
import random
import subprocess
import sys
import tempfile

SEND, RECV, ISEND, IRECV, WAIT, BCAST, BARRIER, ALLREDUCE = 1, 2, 3, 4, 5, 7, 8, 10
NAMES = {SEND: "MPI_Send", RECV: "MPI_Recv", ISEND: "MPI_Isend", IRECV: "MPI_Irecv", WAIT: "MPI_Wait", BCAST: "MPI_Bcast",
         BARRIER: "MPI_Barrier", ALLREDUCE: "MPI_Allreduce"}
PTP, COLLECTIVE, FUNCTION, COUNTER = 50000001, 50000002, 60000019, 42000050


class Program:
    def __init__(self, rng, ranks):
        self.rng, self.ranks = rng, ranks
        self.clock = [rng.randrange(100) for _ in range(ranks)]
        self.depth = [[] for _ in range(ranks)]
        self.lines = []     # (time, order, text)
        self.expected = [[] for _ in range(ranks)]
        self.messages = []  # (source, send time, destination, receive time, bytes, tag)

    def tick(self, rank, most=50):
        self.clock[rank] += 1 + self.rng.randrange(most)
        return self.clock[rank]

    def line(self, time, text):
        self.lines.append((time, len(self.lines), text))

    def event(self, rank, time, *pairs):
        self.line(time, f"2:{rank + 1}:1:{rank + 1}:1:{time}:" + ":".join(f"{t}:{v}" for t, v in pairs))

    def expect(self, rank, time, what, **more):
        self.expected[rank].append({"time": time, "type": what, **more})

    def begin(self, rank, kind, value, time, *pairs):
        if self.rng.random() < 0.3:
            count = self.rng.randrange(10**12)
            pairs += ((COUNTER, count),)
        self.event(rank, time, (kind, value), *pairs)
        self.expect(rank, time, "ENTER", region=NAMES[value])

    def end(self, rank, kind, value, time, what="EXIT"):
        self.event(rank, time, (kind, 0))
        self.expect(rank, time, what, region=NAMES[value])

    def function(self, rank):
        if self.depth[rank] and self.rng.random() < 0.5:
            time = self.tick(rank)
            self.event(rank, time, (FUNCTION, 0))
            self.expect(rank, time, "EXIT", region=self.depth[rank].pop())
            return
        value = self.rng.randrange(1, 30)
        self.depth[rank].append(f"function {value}")
        time = self.tick(rank)
        self.event(rank, time, (FUNCTION, value))
        self.expect(rank, time, "ENTER", region=f"function {value}")

    def message(self):
        source, destination = self.rng.sample(range(self.ranks), 2)
        size, tag = self.rng.randrange(10**6), self.rng.randrange(5)
        send_kind, non_blocking = self.rng.choice((SEND, ISEND)), self.rng.random() < 0.5
        posted = None
        if non_blocking:
            start = self.tick(destination)
            self.begin(destination, PTP, IRECV, start)
            posted = self.tick(destination)
            self.end(destination, PTP, IRECV, posted)
        sent = self.tick(source)
        self.begin(source, PTP, send_kind, sent)
        self.expect(source, sent, "SEND", peer=destination, bytes=size, tag=tag)
        left = self.tick(source)
        self.end(source, PTP, send_kind, left)
        if non_blocking and self.rng.random() < 0.5:
            self.function(destination)
        entered = self.tick(destination)
        value = WAIT if non_blocking else RECV
        self.begin(destination, PTP, value, entered)
        received = max(entered, sent) + 1 + self.rng.randrange(20)
        self.clock[destination] = received
        self.expect(destination, received, "RECV", peer=source, bytes=size, tag=tag, sent=sent)
        self.end(destination, PTP, value, received)
        logical = posted if non_blocking else entered
        self.line(sent, f"3:{source + 1}:1:{source + 1}:1:{sent}:{left}:{destination + 1}:1:{destination + 1}:1:{logical}:{received}:{size}:{tag}")
        self.messages.append(size)

    def collective(self):
        number = self.rng.choice((1, 2))
        members = list(range(self.ranks)) if number == 1 else list(range(0, self.ranks, 2))
        value = self.rng.choice((BCAST, BARRIER, ALLREDUCE))
        root = self.rng.choice(members)
        enters = {rank: self.tick(rank, 200) for rank in members}
        size = 8 * self.rng.randrange(1000)
        for rank in members:
            sent = received = 0
            if value == BCAST:
                sent, received = (size, 0) if rank == root else (0, size)
            if value == ALLREDUCE:
                sent = received = size
            pairs = [(50100001, sent), (50100002, received), (50100004, number)]
            if value == BCAST and rank == root:
                pairs.append((50100003, 1))
            self.begin(rank, COLLECTIVE, value, enters[rank], *pairs)
            # A broadcast's receivers wait for the root only, the others for all.
            last = enters[root] if value == BCAST else max(enters.values())
            leave = max(last, enters[rank]) + 1 + self.rng.randrange(10)
            self.clock[rank] = leave
            self.event(rank, leave, (COLLECTIVE, 0))
            self.expect(rank, leave, "MPICEXIT", region=NAMES[value], sent_bytes=sent, received_bytes=received,
                        root=root if value == BCAST else None, members=len(members))

    def run(self, steps):
        for _ in range(steps):
            what = self.rng.random()
            if what < 0.4:
                self.function(self.rng.randrange(self.ranks))
            elif what < 0.9:
                self.message()
            else:
                self.collective()
        for rank in range(self.ranks):
            while self.depth[rank]:
                time = self.tick(rank)
                self.event(rank, time, (FUNCTION, 0))
                self.expect(rank, time, "EXIT", region=self.depth[rank].pop())

    def write(self, path):
        tasks = ",".join(f"1:{rank + 1}" for rank in range(self.ranks))
        cpus = ",".join("1" for _ in range(self.ranks))
        text = f"#Paraver (21/11/2026 at 08:00):{max(self.clock)}_ns:{self.ranks}({cpus}):1:{self.ranks}({tasks}),2\n"
        for number, members in ((1, range(self.ranks)), (2, range(0, self.ranks, 2))):
            text += f"c:1:{number}:{len(members)}:" + ":".join(str(m + 1) for m in members) + "\n"
        text += "\n".join(line for _, _, line in sorted(self.lines)) + "\n"
        with gzip.open(path + ".prv.gz", "wt") as file:
            file.write(text)
        with open(path + ".pcf", "w") as file:
            file.write("EVENT_TYPE\n0 60000019 User function\nVALUES\n0 End\n" + "".join(f"{n} function {n}\n" for n in range(1, 30)) +
                       "\nEVENT_TYPE\n7 42000050 PAPI_TOT_INS [Instr completed]\n")


def check(program, mora, path):
    printed = json.loads(subprocess.run([mora, "print", path + ".prv.gz", "--json"], check=True, capture_output=True, text=True).stdout)
    events = printed["events"]
    by_number = {event["event"]: event for event in events}
    origin = min(rank[0]["time"] for rank in program.expected if rank)
    problems = 0
    for rank in range(program.ranks):
        actual = [e for e in events if e["location"] == f"P{rank}" and e["type"] != "METRIC"]
        expected = program.expected[rank]
        if len(actual) != len(expected):
            print(f"rank {rank}: {len(actual)} events, expected {len(expected)}")
            problems += 1
        for got, want in zip(actual, expected):
            fault = compare(got, want, origin, by_number)
            if fault:
                print(f"rank {rank}: {fault}\n  got      {got}\n  expected {want}")
                problems += 1
                break
    return problems


def compare(got, want, origin, by_number):
    if got["type"] != want["type"]:
        return "type"
    if got["time_ns"] != want["time"] - origin:
        return "time"
    if want["type"] in ("ENTER", "EXIT", "MPICEXIT") and got["region"] != want["region"]:
        return "region"
    if want["type"] == "SEND" and (got["dest"], got["bytes"], got["tag"]) != (want["peer"], want["bytes"], want["tag"]):
        return "message"
    if want["type"] == "RECV":
        if (got["src"], got["bytes"], got["tag"]) != (want["peer"], want["bytes"], want["tag"]):
            return "message"
        send = by_number.get(got.get("send"))
        if send is None or send["time_ns"] != want["sent"] - origin:
            return "send pointer"
    if want["type"] == "MPICEXIT":
        if (got["sent"], got["recvd"]) != (want["sent_bytes"], want["received_bytes"]):
            return "bytes"
        if want["root"] is not None and got["root"] != want["root"]:
            return "root"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mora", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ranks", type=int, default=5)
    parser.add_argument("--steps", type=int, default=2000)
    options = parser.parse_args()
    program = Program(random.Random(options.seed), options.ranks)
    program.run(options.steps)
    with tempfile.TemporaryDirectory(prefix="mora-prv-") as directory:
        path = os.path.join(directory, "random")
        program.write(path)
        problems = check(program, os.path.abspath(options.mora), path)
    count = sum(len(events) for events in program.expected)
    print(f"{count} events, {len(program.messages)} messages, {problems} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
