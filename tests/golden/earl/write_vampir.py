#!/usr/bin/python3
"""Writes VAMPIR binary traces (layouts: src/trace/readers/vampir/vampir_record.h) for the tests in this folder, or checks that those beside it are the same.

    write_vampir.py FOLDER      writes all samples into FOLDER
    write_vampir.py --check     compares with the files beside this program; exit code 1 if one differs
"""
import hashlib
import os
import struct
import sys

NOACT = (0, -1)
NOCOMM = -0x7FFF
CALL, RETURN, UNKNOWN = 1, 2, 0


class Vampir:
    """A trace as bytes; one method per record type."""

    def __init__(self):
        self.bytes = b"\x55\xaa\xa5\x5aBPVI"

    def record(self, kind, data):
        self.bytes += struct.pack("<iH", len(data), kind) + data
        return self

    @staticmethod
    def string(text):
        return struct.pack("<H", len(text)) + text.encode()

    def comment(self, text): return self.record(0, struct.pack("<d", 0) + self.string(text))
    def unmerged(self): return self.record(5, b"")
    def activity(self, token, name): return self.record(10, struct.pack("<i", token) + self.string(name))
    def cpus(self, *sizes): return self.record(40, struct.pack(f"<i{len(sizes)}i", len(sizes), *sizes))
    def period(self, seconds): return self.record(60, struct.pack("<d", seconds))
    def cpu_name(self, cpu, name): return self.record(100, struct.pack("<i", cpu) + self.string(name))
    def offset(self, seconds): return self.record(110, struct.pack("<i", seconds))
    def file(self, token, name): return self.record(120, struct.pack("<i", token) + self.string(name))

    def symbol(self, activity, number, name, source=()):
        return self.record(20, struct.pack("<ii", activity, number) + self.string(name) + struct.pack(f"<{len(source)}i", *source))

    def exchange(self, ticks, cpu, new, call=None, old=NOACT, source=()):
        data = struct.pack("<diiiiii", ticks, cpu, *old, *new, -9999999)
        if call is not None:
            data += struct.pack("<B", call)
        return self.record(70, data + struct.pack(f"<{len(source)}i", *source))

    def message(self, kind, ticks, cpu, peer, comm, tag, length):
        return self.record(kind, struct.pack("<diiiii", ticks, cpu, peer, comm, tag, length))

    def send(self, *values): return self.message(80, *values)
    def receive(self, *values): return self.message(90, *values)

    def communicator(self, number, size, *triplets):
        flat = [value for triplet in triplets for value in triplet]
        return self.record(250, struct.pack(f"<iii{len(flat)}i", number, size, len(triplets), *flat))


def v_12():
    """The trace of v-12-vampir.test: every kind of record once."""
    main, work, send, receive = (1, 1), (1, 2), (2, 1), (2, 2)
    t = Vampir().period(1e-6).cpus(1, 1).offset(0).cpu_name(1, "Server").activity(1, "Application").activity(2, "MPI")
    t.symbol(*main, "main").symbol(*work, "work").symbol(*send, "MPI_Send").symbol(*receive, "MPI_Recv").comment("hello")
    t.exchange(0, 0, main, CALL).exchange(10, 1, main, CALL)
    t.exchange(100, 1, receive, CALL, old=main).exchange(350, 0, send, CALL, old=main)
    t.send(360, 0, 1, 0, 7, 1024).exchange(380, 0, main, RETURN, old=send)
    t.receive(400, 1, 0, 0, 7, 1024).exchange(410, 1, main, RETURN, old=receive)
    t.send(420, 1, 0, NOCOMM, 9, 8).receive(430, 0, 1, NOCOMM, 9, 8)
    t.exchange(500, 0, work, UNKNOWN, old=main).exchange(600, 0, main, UNKNOWN, old=work)
    t.exchange(700, 0, NOACT, RETURN, old=main).exchange(710, 1, NOACT, old=main)
    assert hashlib.sha256(t.bytes).hexdigest() == "18fe42d8fe71a34f47db0a676ae7ec93f396b19bae84de52e3a032621d8fc3ea"
    return t.bytes


def definitions_late():
    """Names, a communicator and the file of a call site are defined behind the events that use them. A clock of
    75 MHz and an offset to 1998: a double of seconds could not tell the ticks apart."""
    t = Vampir().period(1 / 75e6).cpus(2, 1).offset(900000000)
    t.exchange(75_000_000_000, 0, (4, 1), CALL, source=(3, 17))
    t.send(75_000_000_001, 0, 2, 5, 1, 64).exchange(75_000_000_002, 0, NOACT, RETURN)
    t.receive(75_000_000_004, 2, 0, 5, 1, 64)
    t.activity(4, "MPI").symbol(4, 1, "MPI_Send").file(3, "solver.c").communicator(5, 2, (0, 2, 2))
    t.record(220, struct.pack("<dii", 0, 0, 0)).record(4711, b"later revisions")
    return t.bytes


def damaged():
    """Stray and skipped returns, undefined numbers, impossible values, a cut end."""
    a, b, c = (1, 1), (1, 2), (1, 3)
    t = Vampir().period(1e-9).cpus(2).activity(1, "Application").symbol(*a, "a").symbol(*b, "b").symbol(*c, "c")
    t.exchange(5, 1, NOACT, RETURN)                         # nothing is open
    t.exchange(10, 0, a, CALL).exchange(20, 0, b, CALL).exchange(30, 0, c, CALL).exchange(40, 0, a, RETURN)  # passes b
    t.exchange(50, 0, (7, 7), CALL)                         # not defined
    t.send(60, 0, 9, 0, 1, 8).send(61, 0, 1, 0, 1, -8)      # no such partner, no such length
    t.send(float("nan"), 0, 1, 0, 1, 8)                     # no time
    t.exchange(70, -1, a, CALL).exchange(70, 3, a, CALL)    # CPU -1 cannot be; CPU 3 is more than NCPUS says
    t.communicator(6, 2**31 - 1, (0, 2**31 - 1, 1))         # more members than there are processes
    t.send(80, 0, 1, 6, 2, 8)
    return t.bytes + struct.pack("<iH", 1000, 70) + b"cut"


def recursion():
    """A return names what it returns to; with the call type given, recursion is no problem."""
    f = (1, 1)
    t = Vampir().period(1e-6).cpus(1).activity(1, "Application").symbol(*f, "f")
    t.exchange(0, 0, f, CALL).exchange(1, 0, f, CALL).exchange(2, 0, f, CALL)
    t.exchange(3, 0, f, RETURN).exchange(4, 0, f, RETURN).exchange(5, 0, NOACT, RETURN)
    return t.bytes


def lost_leaves():
    """Tasks that are never returned from, with calls that are."""
    main, task, work = (1, 1), (1, 2), (1, 3)
    t = Vampir().period(1e-6).cpus(1).activity(1, "Application").symbol(*main, "main").symbol(*task, "task").symbol(*work, "work")
    t.exchange(0, 0, main, CALL)
    for i in range(1, 10, 3):
        t.exchange(i, 0, task, CALL).exchange(i + 1, 0, work, CALL).exchange(i + 2, 0, task, RETURN, old=work)
    t.exchange(10, 0, main, RETURN, old=task).exchange(12, 0, NOACT, RETURN, old=main)
    return t.bytes


SAMPLES = {
    "v-12.bpv": v_12,
    "definitions-late.bpv": definitions_late,
    "damaged.bpv": damaged,
    "recursion.bpv": recursion,
    "lost-leaves.bpv": lost_leaves,
    "unmerged.bpv": lambda: Vampir().unmerged().period(1e-6).cpus(1).bytes,
}


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    if sys.argv[1] != "--check":
        for name, make in SAMPLES.items():
            with open(os.path.join(sys.argv[1], name), "wb") as file:
                file.write(make())
        return 0
    here = os.path.dirname(os.path.abspath(__file__))
    different = 0
    for name, make in SAMPLES.items():
        with open(os.path.join(here, name), "rb") as file:
            if file.read() != make():
                print(f"{name} is not what this program writes")
                different = 1
    return different


if __name__ == "__main__":
    sys.exit(main())
