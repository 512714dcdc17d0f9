"""Tests of tools/check-layers, tools/check-links, tools/check-contracts, tools/check (citations) and tools/install-dependencies on small made-up trees."""
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


class CheckSubfolders(unittest.TestCase):
    """Inside src/report: the folder's own files, text/, html/ and html/page/."""

    ROWS = "| 0 | `./` | x |\n| 1 | `text/` | x |\n| 2 | `html/` | x |\n"

    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)
        (self.root / "docs").mkdir()
        (self.root / "docs/architecture.md").write_text(TABLE)
        for folder in ("base", "journal", "cube", "experiment", "report"):
            (self.root / "src" / folder).mkdir(parents=True)
        self.put("report/README.md", self.ROWS)
        self.put("report/html/README.md", "| 0 | `page/` | x |\n| 1 | `./` | x |\n")
        for header in ("report", "text/text", "html/html", "html/page/page"):
            self.put(f"report/{header}.h", "#pragma once\n")

    def put(self, name, text=""):
        path = self.root / "src" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def include(self, source, header):
        self.put(source, f'#include "{header}"\n')

    def found(self):
        run = subprocess.run([ROOT / "tools/check-layers", self.root], capture_output=True, text=True)
        self.assertEqual(run.returncode, 1 if run.stdout else 0, run.stderr)
        return run.stdout.splitlines()

    def test_down_is_fine(self):
        self.include("report/html/a.cpp", "report/text/text.h")
        self.include("report/html/b.cpp", "report/report.h")
        self.include("report/html/c.cpp", "report/html/page/page.h")
        self.include("report/html/d.cpp", "html.h")
        self.assertEqual(self.found(), [])

    def test_up_is_an_offence(self):
        self.include("report/text/a.cpp", "report/html/html.h")
        self.assertEqual(self.found(), ["src/report/text/a.cpp:1: text/ (level 1 of src/report) includes html/ (level 2)"])

    def test_own_files_are_a_subfolder_too(self):
        self.include("report/a.cpp", "report/text/text.h")
        self.assertEqual(self.found(), ["src/report/a.cpp:1: ./ (level 0 of src/report) includes text/ (level 1)"])

    def test_inner_folder_counts_as_its_outer_one(self):
        self.include("report/text/a.cpp", "report/html/page/page.h")
        self.assertEqual(self.found(), ["src/report/text/a.cpp:1: text/ (level 1 of src/report) includes html/ (level 2)"])

    def test_inside_an_inner_folder(self):
        self.include("report/html/page/a.cpp", "report/html/html.h")
        self.assertEqual(self.found(), ["src/report/html/page/a.cpp:1: page/ (level 0 of src/report/html) includes ./ (level 1)"])

    def test_circle_is_told_with_its_files(self):
        self.include("report/html/a.cpp", "report/text/text.h")
        self.include("report/text/b.cpp", "../html/html.h")
        self.assertIn("src/report: subfolders include each other: src/report/html/a.cpp:1 includes report/text/text.h; "
                      "src/report/text/b.cpp:1 includes ../html/html.h", self.found())

    def test_longer_circle(self):
        self.include("report/html/a.cpp", "report/text/text.h")
        self.include("report/text/b.cpp", "report/report.h")
        self.include("report/c.cpp", "report/html/page/page.h")
        self.assertEqual([line.count(" includes ") for line in self.found() if "each other" in line], [3])

    def test_every_subfolder_has_a_row(self):
        self.put("report/csv/csv.h")
        self.put("report/README.md", self.ROWS + "| 3 | `gone/` | x |\n")
        self.assertEqual(self.found(), ["src/report/README.md: no row for `csv/`", "src/report/README.md: `gone/` holds no code"])

    def test_at_most_twenty_files(self):
        for number in range(19):
            self.put(f"report/text/{number}.cpp")
        self.put("report/text/README.md")
        self.put("report/text/CMakeLists.txt")
        self.assertEqual(self.found(), [])
        self.put("report/text/page.html")
        self.assertEqual(self.found(), ["src/report/text: 21 files; more than 20 are divided by what is in them"])

    def test_no_folder_is_waived(self):
        (self.root / "docs/architecture.md").write_text(TABLE + "\nNot divided yet: `src/report/`, `src/cube/`.\n")
        self.include("report/text/a.cpp", "report/html/html.h")
        self.include("report/html/a.cpp", "report/text/text.h")
        for number in range(20):
            self.put(f"report/text/{number}.cpp")
        found = "\n".join(self.found())
        self.assertIn("src/report: subfolders include each other", found)
        self.assertIn("src/report/text: 22 files", found)


class CheckLinks(unittest.TestCase):
    def check(self, page, **files):
        """What is dead in docs/page.md with this text, beside other files (name of docs/, text)."""
        root = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, root)
        (root / "docs").mkdir()
        (root / "docs/page.md").write_text(page)
        (root / "docs/rules.md").write_text('# Rules\n\n* <a id="overlap"></a>overlap\n')
        (root / "docs/other.md").write_text("# Some `code`, words & more\n\n## Same\n\n## Same\n")
        for name, text in files.items():
            (root / "docs" / f"{name}.cpp").write_text(text)
        run = subprocess.run([ROOT / "tools/check-links", root], capture_output=True, text=True)
        self.assertEqual(run.returncode, 1 if run.stdout else 0, run.stderr)
        return run.stdout.splitlines()

    def test_living_links(self):
        self.assertEqual(self.check("# One\n[a](other.md) [b](../docs/other.md#same-1) [c](#one) [`d`](.) [e](/docs/other.md)"), [])
        self.assertEqual(self.check("[a](other.md#some-code-words--more) [w](https://example.org/x) ![p](other.md)"), [])

    def test_dead_file(self):
        self.assertEqual(self.check("text\n\n[a](gone.md)"), ["docs/page.md:3: gone.md: no such file"])
        self.assertEqual(self.check("[a](../../up.md)"), ["docs/page.md:1: ../../up.md: outside the repository"])
        self.assertEqual(self.check("[a]: gone.md"), ["docs/page.md:1: gone.md: no such file"])

    def test_dead_anchor(self):
        self.assertEqual(self.check("[a](other.md#same-2)"), ["docs/page.md:1: other.md#same-2: no such anchor"])
        self.assertEqual(self.check("[a](#two)"), ["docs/page.md:1: page.md#two: no such anchor"])

    def test_code_is_no_link(self):
        self.assertEqual(self.check("`[a](gone.md)`\n\n    [a](gone.md)\n\n```\n[a](gone.md)\n```\n"), [])
        self.assertEqual(self.check("* item\n\n    [a](gone.md)"), ["docs/page.md:3: gone.md: no such file"])

    def test_paths_in_code_spans(self):
        self.assertEqual(self.check("`docs/other.md` `docs/` `docs/<name>.md` `run/other.md` `--a docs/x`"), [])
        self.assertEqual(self.check("see `docs/gone.md`"), ["docs/page.md:1: `docs/gone.md`: no such file"])

    def test_names_of_rules(self):
        self.assertEqual(self.check("rule `overlap`"), [])
        self.assertEqual(self.check("rule `overlaps`"), ["docs/page.md:1: rule `overlaps`: not in docs/rules.md"])
        self.assertEqual(self.check("", a="// Mora's rule overlap; Mora's rule overlaps."),
                         ["docs/a.cpp:1: rule `overlaps`: not in docs/rules.md"])

    def test_pages_named_in_sources(self):
        self.assertEqual(self.check("", a="/// docs/other.md#same, docs/rules.md"), [])
        self.assertEqual(self.check("", a="//\n/// docs/old.md."), ["docs/a.cpp:2: docs/old.md: no such file"])

    def test_every_rule_is_in_the_index(self):
        index = (ROOT / "docs/rules.md").read_text()
        for page in sorted((ROOT / "docs/rules").glob("*.md")):
            for line in page.read_text().splitlines():
                if line.startswith("## "):
                    name = line[3:]
                    self.assertIn(f'<a id="{name}"></a>[{name}](rules/{page.name}#{name})', index)


class CheckContracts(unittest.TestCase):
    USER = '#include "cube/cube.h"\n'

    def check(self, header, source="", user=USER):
        """What is said of cube/cube.h and cube/cube.cpp with these texts, the header being used by another folder."""
        root = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, root)
        for name, text in {"cube/cube.h": header, "cube/cube.cpp": source, "report/text.cpp": user}.items():
            (root / "src" / name).parent.mkdir(parents=True, exist_ok=True)
            (root / "src" / name).write_text(text)
        run = subprocess.run([ROOT / "tools/check-contracts", root], capture_output=True, text=True)
        self.assertEqual(run.returncode, 1 if run.stdout else 0, run.stderr)
        return run.stdout.splitlines()

    def test_function_without_a_comment(self):
        self.assertEqual(self.check("#pragma once\n\nint rows();\n\nint cells();  ///< both\n"),
                         ["src/cube/cube.h:3: no comment says what it does: int rows();"])

    def test_comments_that_count(self):
        self.assertEqual(self.check("/// Opens rows().\n#pragma once\n\nint rows();\n\n/// Pairs.\nint a();\nint b();\n"), [])
        self.assertEqual(self.check("#pragma once\n\nstruct Row {\n  int n = 0;  ///< bytes\n};\n\nstruct Gone;\n"), [])
        self.assertEqual(len(self.check("#pragma once\n\n/// Not its own.\n\nstruct Row {\n  int n = 0;\n};\n")), 1)

    def test_only_what_others_include(self):
        self.assertEqual(self.check("#pragma once\n\nint rows();\n\nint cells();\n", user=""), [])

    def test_algorithm_without_an_essay(self):
        body = "int f(int a) {\n" + "  a += 1;\n" * 121 + "}\n"
        said = "src/cube/cube.cpp:1: 121 lines of logic, and nothing that says how they work"
        self.assertEqual(self.check("/// One line.\n", body), [said])
        self.assertEqual(self.check("/// Two lines,\n/// of the idea.\n", body), [])
        self.assertEqual(self.check("", "/// Idea.\n/// Cost.\n" + body), [])
        self.assertEqual(self.check("", body.replace("  a += 1;\n", "", 1)), [])


class CheckCitations(unittest.TestCase):
    def check(self, text):
        root = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, root)
        for folder in ("tools", "docs", "src"):
            (root / folder).mkdir()
        shutil.copy(ROOT / "tools/check", root / "tools")
        (root / "docs/sources.md").write_text("| **Wolf 1998** | EARL |\n")
        (root / "src/a.cpp").write_text(text)
        subprocess.run(["git", "init", "-q", root], check=True)
        subprocess.run(["git", "-C", root, "add", "."], check=True)
        run = subprocess.run([root / "tools/check", "--repository", "--only", "citations"], capture_output=True, text=True)
        return run.stdout.splitlines()[:-1]

    def test_only_keys(self):
        self.assertEqual(self.check("/// Wolf 1998, 4.2; in June 2020\n"), [])
        self.assertEqual(self.check("//\n/// Wulf 1998, 4.2\n"), ["src/a.cpp:2: Wulf 1998 is no key of docs/sources.md"])

    def test_nothing_private(self):
        for private in ("decision 12", "spec/earl.md", "issue 4", "TC-10", "T-RING"):
            self.assertEqual(len(self.check(f"/// As {private} says\n")), 1, private)


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


class Gates(unittest.TestCase):
    def run_tool(self, *words):
        run = subprocess.run([ROOT / "tools/gates", *words], capture_output=True, text=True)
        return run.returncode, run.stdout.splitlines(), run.stderr

    def test_one_line_per_gate_and_the_sum(self):
        code, lines, _ = self.run_tool("layers", "rules")
        self.assertEqual((code, lines[-1]), (0, "2 passed, 0 failed"), lines)
        self.assertRegex(lines[0], r"^layers +passed +[0-9.]+ s wall +[0-9.]+ s CPU$")

    def test_a_name_that_is_no_gate(self):
        code, _, text = self.run_tool("layer")
        self.assertEqual(code, 2)
        self.assertIn("no gate is named layer", text)


if __name__ == "__main__":
    unittest.main()
