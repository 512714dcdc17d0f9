#!/usr/bin/python3
"""What every verb prints with --json is what its schema says, and every schema is printed by a verb.

    every_verb_test.py MORA

Recordings need MPI: tests/mpi/record, tests/mpi/pattern and tests/mpi/pattern_matrix hold those of RECORDING to the schemas
named RECORDED.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import json_outputs

MORA = sys.argv[1]
RECORDED = {"mora-record", "mora-pattern-record", "mora-manifest", "mora-pattern"}
RECORDING = {"record", "recover", "pattern record", "pattern dryrun"}
TRACE = pathlib.Path(__file__).resolve().parents[2] / "docs/patterns/late-sender.trace"


class Outputs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = cls.scratch.name
        for name in ("run", "again"):
            pathlib.Path(cls.folder, f"{name}.trace").write_text(TRACE.read_text())
        pathlib.Path(cls.folder, "m.json").write_text(
            '{"format": "mora-machine 2", "same_node": {"model": "hockney", "latency_ns": 1, "ns_per_byte": 1}}')
        pathlib.Path(cls.folder, "shared.json").write_text(
            '{"format": "mora-machine 2", "same_node": {"model": "hockney", "latency_ns": 1, "ns_per_byte": 1}, '
            '"shared": {"connection_ns_per_byte": 1, "memory_ns_per_byte": 1}, "topology": {"kind": "switch", "hop_latency_ns": 0, "link_ns_per_byte": 1}}')
        for ranks in (1, 2, 3):
            pathlib.Path(cls.folder, f"ranks-{ranks}.trace").write_text("mora-trace 1\n" + "".join(
                f"P{rank} 10-20 MPI_Barrier@a.c:1\n" for rank in range(ranks)))
        cls.trace = os.path.join(cls.folder, "run.trace")
        cls.mora("analyze", "--quiet", cls.trace)
        cls.cubex = os.path.join(cls.folder, "run.trace.analysis", "analysis.cubex")

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    @classmethod
    def mora(cls, *words):
        done = subprocess.run([MORA, *words], capture_output=True, text=True, timeout=120, cwd=cls.folder)
        if done.returncode not in (0, 1):
            raise AssertionError(f"mora {' '.join(words)} ended with {done.returncode}: {done.stderr}")
        return done.stdout

    def verbs_with_json(self):
        verbs = re.findall(r"^  ((?:cube |pattern )?[a-z]+)  +[a-z]", self.mora("--help"), re.MULTILINE)
        return {verb for verb in verbs if re.search(r"^  --json\b", self.mora(*verb.split(), "--help"), re.MULTILINE)}

    def test_every_verb(self):
        run, cubex, nodes = self.trace, self.cubex, ("--topology", "pack:2 core:8 pu:1", "--host", "a:16,b:16")
        commands = [
            ("report", run), ("report", "--stats", run), ("report", "--transfers", run), ("report", "--intervals", run),
            ("report", "--pop", run), ("advise", run), ("advise", "--list-rules"), ("analyze", run),
            ("analyze", "--trace-finding", "f1", run), ("estimate", run), ("estimate", "--budget", "8K", run), ("info", run), ("info", "--count", "never", run), ("info", "--formats"), ("info", "--clocks", run),
            ("info", "--clocks", "--correct-clocks", "always", run), ("print", run), ("print", "--at", "3", "--stack", "0", "--queue", "all", run),
            ("compare", run), ("compare", run, run, run), ("compare", f"a={run},again.trace", f"b={run},again.trace", "--fail-if", "time > 0"),
            ("compare", "--scaling", "strong", "--extrapolate", "64,128", run, run), ("compare", "--history", run),
            ("cube", "info", self.cubex), ("cube", "dump", self.cubex), ("cube", "dump", "-p", self.cubex),
            ("cube", "stat", self.cubex), ("cube", "stat", "-p", self.cubex), ("cube", "mean", cubex, cubex),
            ("cube", "diff", cubex, cubex), ("cube", "merge", cubex, cubex), ("cube", "cut", "--root", "MPI_Recv", cubex),
            ("explain",), ("explain", "late-sender"), ("explain", "time"), ("explain", "lost_time"), ("doctor",),
            ("map", *nodes, "-np", "32"), ("map", *nodes, "--improve", run), ("map", "mpiexec.hydra", "-hosts", "a:2,b", "-n", "4"),
            ("map", "srun", "--slots", "2", "-n", "2", "-w", "a,b"), ("map", "--mode", "kotomatas", "--nodes", "2", "--slots", "1", "-np", "2"),
            ("pattern", "matrix", run), ("pattern", "matrix", "--collectives", "openmpi", run), ("pattern", "features", run),
            ("pattern", "parse", "-o", "parsed", run), ("predict", "--on", "m.json", run), ("predict", "--on", "m.json", "--check", run),
            ("predict", "--on", "shared.json", run),
            ("predict", "--on", "m.json", "--learn", "learned.json", *(f"{name}={run}" for name in "abcd")),
            ("predict", "--on", "m.json", "--scale", "4", "ranks-1.trace", "ranks-2.trace", "ranks-3.trace")]
        asked = {" ".join(words[:2]) if words[0] in ("cube", "pattern") else words[0] for words in commands}
        self.assertEqual(self.verbs_with_json(), asked | RECORDING)
        seen = set(RECORDED)
        for words in commands:
            with self.subTest(words=words):
                text = self.mora(*words, "--json")
                self.assertEqual(json_outputs.problems(text), [])
                seen.add(json.loads(text)["schema"])
        self.assertEqual({path.stem for path in json_outputs.SCHEMAS.glob("mora-*.json")}, seen)

    def test_written_files(self):
        self.assertEqual(json_outputs.problems(pathlib.Path(self.cubex).with_name("findings.json").read_text()), [])

    def test_a_key_that_no_schema_names_is_found(self):
        formats = json.loads(self.mora("info", "--formats", "--json"))
        formats["formats"][0]["more"] = 1
        self.assertEqual(len(json_outputs.problems(json.dumps(formats))), 1)
        self.assertEqual(json_outputs.problems("[]"), ["it names no schema"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
