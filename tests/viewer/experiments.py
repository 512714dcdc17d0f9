"""Traces for the viewer's tests: a ring of four ranks, one of 4,096, names that attack, and nothing at all."""
import pathlib


def ring(ranks, iterations=3, late=400, samples=0):
    """Each iteration: compute (rank 2 longest, by `late`; so many samples), send to the right, receive from the left, meet. Times in us."""
    lines = ["mora-trace 1", "unit us", "program ring", f"ranks {ranks}"]
    if ranks == 4096:
        lines += ["grid torus on WORLD = 4x16x64p", "comm HALF = " + ",".join(map(str, range(2047, -1, -1))), "grid half on HALF = 32x64"]
    for node in range(max(1, ranks // 64)):
        members = range(node * 64, min(ranks, (node + 1) * 64)) if ranks > 64 else range(ranks)
        lines.append(f"node node{node} " + ",".join(map(str, members)))
    sent = [[0] * ranks for _ in range(iterations)]
    end = 10
    spans = []
    for i in range(iterations):
        for rank in range(ranks):
            sent[i][rank] = end + 100 + (late if rank % 64 == 2 else rank % 7)
        received = [max(sent[i][rank] + 4, sent[i][rank - 1] + 8) for rank in range(ranks)]
        after = max(received) + 20
        spans.append((received, after))
        end = after
    for rank in range(ranks):
        lines.append(f"P{rank} 0 ENTER main; 1-9 MPI_Init@ring.c:3")
        for i, (received, after) in enumerate(spans):
            begin = sent[i][rank]
            found = "".join(f"{begin - 20 * (samples - n)} SAMPLE main>{'flux' if n % 3 == 2 else 'relax'}; " for n in range(samples))
            lines.append(f"P{rank} {found}{begin}-{begin + 3} MPI_Send@ring.c:10 to {(rank + 1) % ranks} bytes {1000 * (1 + rank % 3)}; "
                         f"{begin + 4}-{received[rank]} MPI_Recv@ring.c:11 from {(rank - 1) % ranks} bytes {1000 * (1 + (rank - 1) % ranks % 3)}; "
                         f"{received[rank] + 1}-{after} MPI_Barrier@ring.c:12")
        lines.append(f"P{rank} {end + 5}-{end + 9} MPI_Finalize@ring.c:20; {end + 10} EXIT")
    return "\n".join(lines) + "\n"


def phases(steps=5):
    """Four ranks on two nodes: steps as intervals, the third slow on rank 1 and sending to the other node; then a put and a get. Times in us."""
    lines = ["mora-trace 1", "unit us", "program phases", "ranks 4", "node a 0,1", "node b 2,3", "region step interval at phases.c:10"]
    def lateness(rank, i):
        return 300 if i == 3 and rank == 1 else 10 * i

    for rank in range(4):
        parts = ["0 ENTER main; 1-9 MPI_Init@phases.c:3"]
        for i in range(1, steps + 1):
            t = 1000 * i
            far = i == 3
            other = (rank + 2) % 4 if far else rank ^ 1
            late = lateness(rank, i)
            received = max(t + 110 + late, t + 100 + lateness(other, i)) + 10
            line = 14 if far else 12
            parts.append(f"{t} ENTER step id {i}; {t + 100 + late}-{t + 105 + late} MPI_Send@phases.c:{line} to {other} bytes {1000 if far else 100 * i}; "
                         f"{t + 106 + late}-{received} MPI_Recv@phases.c:13 from {other} bytes {1000 if far else 100 * i}; {t + 600}-{t + 650} MPI_Barrier@phases.c:15; {t + 700} EXIT")
        t = 1000 * (steps + 1)
        transfer = {0: f"{t + 20}-{t + 30} MPI_Put@phases.c:21 w0 to 2 bytes 64; ", 1: f"{t + 20}-{t + 30} MPI_Get@phases.c:22 w0 to 3 bytes 32; "}.get(rank, "")
        parts.append(f"{t}-{t + 10} MPI_Win_fence@phases.c:20 w0; {transfer}{t + 50}-{t + 60} MPI_Win_fence@phases.c:23 w0; {t + 100}-{t + 110} MPI_Finalize@phases.c:30; {t + 120} EXIT")
        lines.append(f"P{rank} " + "; ".join(parts))
    return "\n".join(lines) + "\n"


# Costs of messages on one machine of several nodes, for predictions.
MACHINE = """{"format": "mora-machine 2", "name": "two nodes",
 "same_node": {"model": "hockney", "latency_ns": 1000, "ns_per_byte": 1}, "other_node": {"model": "hockney", "latency_ns": 20000, "ns_per_byte": 2}}
"""

HOSTILE = ["<img/src=x/onerror=window.hacked=1>", "<script>window.hacked=1</script>", "\u202egnp.exe\u202c", "\U0001f4a3\U0001f525",
           "x" * 10000, "</title><svg/onload=window.hacked=1>", "=cmd|'/c'!A1"]


def hostile():
    lines = ["mora-trace 1", "unit us", "program <b>bold</b>", "ranks 2", "grid <img/src=x/onerror=window.hacked=1> on WORLD = 2x1", f"grid {'g' * 10000} on WORLD = 2"]
    for rank in range(2):
        lines.append(f"P{rank} 0 ENTER {HOSTILE[0]}")
        for i, name in enumerate(HOSTILE[1:]):
            lines.append(f"P{rank} {10 * i + 1}-{10 * i + 5} {name}")
        lines.append(f"P{rank} {100 + 50 * rank}-200 MPI_Barrier@<i>evil</i>.c:1; 300 EXIT")
    return "\n".join(lines) + "\n"


ONE_SIDED = """mora-trace 1
unit us
P0 0 ENTER main; 0-5 MPI_Win_create w0; 8-21 MPI_Win_start w0 group 1; 22-24 MPI_Put w0 to 1 bytes 800; 25-28 MPI_Win_complete w0; 33-35 MPI_Win_lock w0 to 2; 40-44 MPI_Put w0 to 2 bytes 4000; 47-60 MPI_Win_unlock w0 to 2; 70-74 MPI_Win_fence w0; 78-80 MPI_Get w0 to 2 bytes 640; 90-110 MPI_Win_fence w0; 112-120 MPI_Bcast root 0; 130 EXIT
P1 0 ENTER main; 0-5 MPI_Win_create w0; 20-22 MPI_Win_post w0 group 0; 26-30 MPI_Win_wait w0; 38-61 MPI_Win_lock w0 to 2 shared; 62-64 MPI_Win_unlock w0 to 2; 66-74 MPI_Win_fence w0; 95-110 MPI_Win_fence w0; 111-122 MPI_Bcast root 0; 130 EXIT
P2 0 ENTER main; 0-5 MPI_Win_create w0; 72-74 MPI_Win_fence w0; 105-109 MPI_Win_fence w0; 115-123 MPI_Bcast root 0; 130 EXIT
"""


OVERLAPPING = """mora-trace 1
unit us
P0 0 ENTER main; 10-12 MPI_Iallreduce bytes 8 req a; 90-100 MPI_Wait req a; 130 EXIT
P1 0 ENTER main; 30-32 MPI_Iallreduce bytes 8 req a; 50-60 MPI_Wait req a; 130 EXIT
P2 0 ENTER main; 40-42 MPI_Iallreduce bytes 8 req a; 130 EXIT
"""


def marks(iterations=6):
    """So many iterations of an interval with one inside; the ranks come to its barrier one after another."""
    lines = ["mora-trace 1", "unit us", "program steps", "region step interval at steps.c:5", "region inner interval at steps.c:9"]
    for rank in range(4):
        steps = "; ".join(f"{t} ENTER step; {t + 5} ENTER inner; {t + 30 + 5 * rank}-{t + 60} MPI_Barrier@steps.c:10; {t + 62} EXIT; {t + 70} EXIT" for t in range(10, 10 + 80 * iterations, 80))
        lines.append(f"P{rank} 0 ENTER main; {steps}; {20 + 80 * iterations} EXIT")
    return "\n".join(lines) + "\n"


def write(directory):
    directory = pathlib.Path(directory)
    files = {"small": ring(4, samples=4), "changed": ring(4, late=100), "large": ring(4096, 2), "phases": phases(), "onesided": ONE_SIDED, "overlapping": OVERLAPPING, "marks": marks(), "loop": marks(400), "hostile": hostile(), "one": ring(1, 1).replace("to 0", "to null").replace("from 0", "from null")}
    for name, text in files.items():
        (directory / f"{name}.trace").write_text(text)
    (directory / "machine.json").write_text(MACHINE)
    (directory / "empty.trace").write_text("mora-trace 1\nranks 2\n")
    return sorted(files)
