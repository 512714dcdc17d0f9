"""A made-up measurement for series: `gen.py P W FILE` writes the trace of a run on P nodes with W seconds of work; W < 0 makes it fail."""
import sys

ranks, work, path = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3]
if work < 0:
    print("gen: cannot work backwards", file=sys.stderr)
    sys.exit(1)
events = []
for node in range(ranks):
    leave = round(work / ranks * 1e6) + 1000 * node
    events += [(0, f"1 {node} 0 0 0 0"), (leave, f"2 {node} 0 0 0 {leave}")]
    if node:
        events += [(leave + 1, f"-101 {node} 0 0 0 {leave + 1} 1 8"), (leave + 2, f"-102 0 0 {node} 0 {leave + 2} 1 8")]
events.sort(key=lambda event: event[0])
with open(path, "w") as file:
    file.write(f"-3 0 0 {ranks} 0 0\n-13 0 1 2 0 0 red:solid work\n" + "".join(line + "\n" for _, line in events))
