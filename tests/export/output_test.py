#!/usr/bin/python3
"""Outputs: not overwritten unasked, whole or not there, a full disk is an error."""
import os
import subprocess

import traces
from traces import TestCase, run

FORMATS = ("otf2", "chrome", "paje", "csv")


class Output(TestCase):
    def setUp(self):
        super().setUp()
        self.trace = self.file("messages.trace", traces.MESSAGES)

    def left(self):
        return sorted(os.listdir(self.directory))

    def test_refuses_what_exists(self):
        for form in FORMATS:
            out = self.place("out." + form)
            run("convert", self.trace, "--to", form, "-o", out, "--quiet")
            before = self.left()
            again = run("convert", self.trace, "--to", form, "-o", out, "--quiet", check=False)
            self.assertEqual(again.returncode, 2, form)
            self.assertIn("--force", again.stderr)
            run("convert", self.trace, "--to", form, "-o", out, "--quiet", "--force")
            self.assertEqual(self.left(), before)

    def test_force_spares_foreign_directories(self):
        os.mkdir(self.place("work"))
        self.file("work/thesis.txt", "years")
        done = run("convert", self.trace, "--to", "otf2", "-o", self.place("work"), "--force", check=False)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(os.listdir(self.place("work")), ["thesis.txt"])

    def test_full_device(self):
        for form in ("chrome", "paje", "csv"):
            done = run("convert", self.trace, "--to", form, "-o", "/dev/full", "--quiet", check=False)
            self.assertEqual(done.returncode, 3, form)
            self.assertIn("No space left", done.stderr)

    def test_standard_output(self):
        out = self.place("a.csv")
        run("convert", self.trace, "--to", "csv", "-o", out, "--quiet")
        with open(out, encoding="utf-8") as file:
            self.assertEqual(file.read(), run("convert", self.trace, "--to", "csv", "-o", "-", "--quiet").stdout)

    def test_missing_directory(self):
        before = self.left()
        for form in FORMATS:
            done = run("convert", self.trace, "--to", form, "-o", self.place("no/such/out"), "--quiet", check=False)
            self.assertEqual(done.returncode, 3, form)
            self.assertEqual(self.left(), before)

    def test_wrong_requests(self):
        for words in (["--to", "vtf3"], ["--to", "otf2", "--from", "3"], ["--to", "csv", "--columns", "number,nonsense"],
                      ["--to", "paje", "--show-transfers", "dependencies"], ["--to", "chrome", "--epsilon", "1"],
                      ["--to", "chrome", "--show-transfers", "logical", "--epsilon", "0"], ["--to", "chrome", "--from", "5", "--until", "4"],
                      ["--to", "csv", "--plain"], ["--to", "chrome", "--max-size", "much"]):
            done = run("convert", self.trace, *words, "-o", self.place("out"), check=False)
            self.assertEqual(done.returncode, 2, words)
            self.assertFalse(os.path.exists(self.place("out")), words)

    def test_full_disk(self):
        small = self.place("small")
        os.mkdir(small)
        many = self.file("many.trace", "mora-trace 1\n" + "".join(f"P0 {i * 10}-{i * 10 + 5} step{i % 7}\n" for i in range(60000)))
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", small], check=False, capture_output=True).returncode != 0:
            small = None
        else:
            self.addCleanup(subprocess.run, ["umount", small], check=True)
        self.assertIsNotNone(small, "tmpfs cannot be mounted here")
        for form in FORMATS:
            done = run("convert", many, "--to", form, "-o", os.path.join(small, "out"), "--quiet", check=False)
            self.assertEqual(done.returncode, 3, form + done.stderr)
            self.assertIn("space", done.stderr)
            self.assertEqual(os.listdir(small), [], form)


if __name__ == "__main__":
    traces.main()
