#!/usr/bin/python3
"""Every archive that `mora convert` writes has what Scalasca 2.6 asks for (recorded ones: tests/mpi/record/run_mora.py)."""
import traces
from scalasca_needs import offences
from traces import TestCase, golden_traces, run


class ScalascaNeeds(TestCase):
    def check(self, name, path, *options):
        run("convert", path, "--to", "otf2", "-o", path + ".archive", "--force", "--quiet", *options)
        self.assertEqual(sorted(set(offences(path + ".archive/traces.otf2"))), [], name)

    def test_converted_archives(self):
        for name, path in golden_traces(self.directory):
            self.check(name, path, "--rma-model", "basic", "--plain")

if __name__ == "__main__":
    traces.main()
