#!/usr/bin/python3
"""Every archive that `mora convert` writes has what Scalasca 2.6 asks for (recorded ones: tests/mpi/record/run_mora.py)."""
import traces
from scalasca_needs import offences
from traces import TestCase, golden_traces, run


class ScalascaNeeds(TestCase):
    def check(self, name, path, *options):
        run("convert", path, "--to", "otf2", "-o", path + ".archive", "--force", "--quiet", *options)
        with open(path, encoding="utf-8") as trace:
            has_init = "MPI_Init" in trace.read()
        with self.subTest(name, options=options):
            self.assertEqual(sorted(set(offences(path + ".archive/traces.otf2", has_init, may_sample=False))), [])

    def test_converted_archives(self):
        for name, path in golden_traces(self.directory):
            self.check(name, path, "--rma-model", "basic", "--plain")
            self.check(name, path, "--plain")

    def test_what_lacks_its_partner_is_left_out_and_counted(self):
        path = self.file("torn.trace", TORN)
        self.check("torn", path, "--plain")
        done = run("convert", path, "--to", "otf2", "--plain", "-o", self.place("again"))
        rows = [line for line in done.stderr.splitlines() if "left-out-of-plain" in line]
        self.assertEqual([line.split(":")[0] for line in rows],
                         ["! left-out-of-plain [gpu0] 2", "! left-out-of-plain [rank 0, rank 1] 4"])
        kept = run("print", self.place("again"), "--kinds", "send,recv,mpicexit").stdout.splitlines()
        self.assertEqual([line.split()[2:4] for line in kept if line[0] != "!"],
                         [["P0", "SEND"], ["P1", "RECV"], ["P0", "MPICEXIT"], ["P1", "MPICEXIT"]])

    def test_samples_are_in_other_archives_only(self):
        path = next(path for name, path in golden_traces(self.directory) if name == "trace/samples.test")
        run("convert", path, "--to", "otf2", "-o", self.place("sampled"), "--quiet")
        self.assertIn("samples", offences(self.place("sampled/traces.otf2"), may_sample=False))
        self.assertEqual(offences(self.place("sampled/traces.otf2")), [])

    def test_other_archives_keep_everything(self):
        path = self.file("torn.trace", TORN)
        done = run("convert", path, "--to", "otf2", "-o", self.place("all"))
        self.assertNotIn("left-out-of-plain", done.stderr)
        self.assertEqual(len(offences(self.place("all/traces.otf2"))), 5)


# Two sends of rank 0 (one of them by a request) and one receive have no partner, nor has rank 0's second barrier.
TORN = """mora-trace 1
ranks 2
P0 0-1 MPI_Send to 1 tag 1; 2-3 MPI_Isend to 1 tag 7 req a; 4-5 MPI_Wait req a; 6-7 MPI_Send to 1 tag 8
P1 0-5 MPI_Recv from 0 tag 1; 6-7 MPI_Recv from 0 tag 2
P0 10-20 MPI_Barrier; 30-40 MPI_Barrier
P1 12-20 MPI_Barrier
location P0.2 device gpu0
P0.2 3-9 kernel
"""

if __name__ == "__main__":
    traces.main()
