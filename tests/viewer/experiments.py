"""Traces for the viewer's tests: a ring of four ranks, one of 4,096, names that attack, and nothing at all."""
import pathlib


def ring(ranks, iterations=3, late=400, samples=0):
    """Each iteration: compute (rank 2 longest, by `late`; so many samples), send to the right, receive from the left, meet. Times in us."""
    lines = ["mora-trace 1", "unit us", "program ring", f"ranks {ranks}"]
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


HOSTILE = ["<img/src=x/onerror=window.hacked=1>", "<script>window.hacked=1</script>", "\u202egnp.exe\u202c", "\U0001f4a3\U0001f525",
           "x" * 10000, "</title><svg/onload=window.hacked=1>", "=cmd|'/c'!A1"]


def hostile():
    lines = ["mora-trace 1", "unit us", "program <b>bold</b>", "ranks 2"]
    for rank in range(2):
        lines.append(f"P{rank} 0 ENTER {HOSTILE[0]}")
        for i, name in enumerate(HOSTILE[1:]):
            lines.append(f"P{rank} {10 * i + 1}-{10 * i + 5} {name}")
        lines.append(f"P{rank} {100 + 50 * rank}-200 MPI_Barrier@<i>evil</i>.c:1; 300 EXIT")
    return "\n".join(lines) + "\n"


def write(directory):
    directory = pathlib.Path(directory)
    files = {"small": ring(4, samples=4), "changed": ring(4, late=100), "large": ring(4096, 2), "hostile": hostile(), "one": ring(1, 1).replace("to 0", "to null").replace("from 0", "from null")}
    for name, text in files.items():
        (directory / f"{name}.trace").write_text(text)
    (directory / "empty.trace").write_text("mora-trace 1\nranks 2\n")
    return sorted(files)
