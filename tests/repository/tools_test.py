"""Tests of tools/check-layers and tools/install-dependencies on small made-up trees."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

TABLE = """
| 0 | `src/base/` | | x |
| 1 | `src/journal/` | any lower | x |
| 1 | `src/cube/` | any lower | x |
| 2 | `src/experiment/` | `journal` `base`, `cube/ids.h` | x |
| 3 | `src/report/` | any lower | x |
"""


class CheckLayers(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)
        (self.root / "docs").mkdir()
        (self.root / "docs/architecture.md").write_text(TABLE)
        for folder in ("base", "journal", "cube", "experiment", "report"):
            (self.root / "src" / folder).mkdir(parents=True)
            (self.root / "src" / folder / f"{folder}.h").write_text("#pragma once\n")

    def check(self, folder, include):
        (self.root / "src" / folder / "a.cpp").write_text(f'#include "{include}"\n')
        run = subprocess.run([ROOT / "tools/check-layers", self.root], capture_output=True, text=True)
        return run.returncode, run.stdout

    def test_down_is_fine(self):
        self.assertEqual(self.check("report", "cube/cube.h"), (0, ""))

    def test_own_folder_is_fine(self):
        self.assertEqual(self.check("report", "report/report.h"), (0, ""))
        self.assertEqual(self.check("report", "report.h"), (0, ""))

    def test_system_header_is_fine(self):
        self.assertEqual(self.check("base", "sys/mman.h"), (0, ""))

    def test_up_is_an_offence(self):
        code, text = self.check("cube", "report/report.h")
        self.assertEqual(code, 1)
        self.assertIn("src/cube/a.cpp:1", text)

    def test_sideways_is_an_offence(self):
        self.assertEqual(self.check("cube", "journal/journal.h")[0], 1)

    def test_relative_path_is_seen_through(self):
        self.assertEqual(self.check("cube", "../report/report.h")[0], 1)

    def test_named_folders_only(self):
        self.assertEqual(self.check("experiment", "journal/journal.h")[0], 0)
        self.assertEqual(self.check("experiment", "cube/cube.h")[0], 1)

    def test_named_headers_besides(self):
        (self.root / "src/cube/ids.h").write_text("")
        self.assertEqual(self.check("experiment", "cube/ids.h")[0], 0)
        self.assertEqual(self.check("journal", "cube/ids.h")[0], 1)

    def test_folder_without_a_row(self):
        (self.root / "src/stray").mkdir()
        self.assertEqual(self.check("base", "base/base.h")[0], 1)


class InstallDependencies(unittest.TestCase):
    """Against a made-up table, dpkg-query and apt-get."""

    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)
        for folder in ("tools", "cmake", "bin"):
            (self.root / folder).mkdir()
        shutil.copy(ROOT / "tools/install-dependencies", self.root / "tools")
        (self.root / "cmake/Dependencies.cmake").write_text(
            'set(X\n  "one | pkg-one | 1.0 | build | all | why"\n  "two | pkg-two | 2.0 | test | all | why"\n)\n')
        self.installed("pkg-one 1.2-1 installed")
        self.program("apt-cache", 'for p; do [ $p = policy ] || printf "$p:\\n  Candidate: 1\\n"; done')
        self.program("apt-get", f'echo "$@" >>{self.root}/calls')
        self.program("id", "echo 0")

    def program(self, name, body):
        path = self.root / "bin" / name
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)

    def installed(self, lines):
        self.program("dpkg-query", f"cat <<END\n{lines}\nEND")

    def run_tool(self, *words):
        path = f"{self.root}/bin:/usr/bin:/bin"
        run = subprocess.run([self.root / "tools/install-dependencies", *words], capture_output=True, text=True,
                             stdin=subprocess.DEVNULL, env={**os.environ, "PATH": path})
        calls = self.root / "calls"
        return run.returncode, run.stdout + run.stderr, calls.read_text() if calls.exists() else ""

    def test_installs_only_what_is_missing(self):
        code, _, calls = self.run_tool()
        self.assertEqual(code, 0)
        self.assertIn("install -y --no-install-recommends pkg-two", calls)
        self.assertNotIn("pkg-one", calls)
        self.assertNotIn("update", calls)

    def test_nothing_to_do(self):
        self.assertEqual(self.run_tool("build"), (0, "", ""))

    def test_too_old_counts_as_missing(self):
        self.installed("pkg-one 1:0.9-1 installed")
        self.assertEqual(self.run_tool("--missing", "build"), (0, "pkg-one\n", ""))

    def test_removed_package_with_leftovers_counts_as_missing(self):
        self.installed("pkg-one 1.2-1 config-files")
        self.assertEqual(self.run_tool("--missing", "build"), (0, "pkg-one\n", ""))

    def test_updates_the_lists_when_apt_knows_no_candidate(self):
        self.program("apt-cache", "true")
        calls = self.run_tool()[2].splitlines()
        self.assertIn(" update", calls[0])
        self.assertIn(" install", calls[1])

    def test_neither_root_nor_sudo_prints_the_line(self):
        self.program("id", "echo 1000")
        self.program("sudo", "exit 1")
        code, text, calls = self.run_tool()
        self.assertEqual((code, calls), (3, ""))
        self.assertIn("apt-get install -y --no-install-recommends pkg-two", text)


if __name__ == "__main__":
    unittest.main()
