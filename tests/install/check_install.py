#!/usr/bin/python3
"""Installs a build into a fresh prefix and does the main job from there: nothing of the build tree may be needed.

    check_install.py --build BUILD --program PROGRAM     PROGRAM: a teaching program built for Open MPI
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

EXPECTED = [
    "bin/mora", "lib/mora/libmora_mpi-openmpi.so", "lib/mora/libmora_mpi-mpich.so",
    "lib/mora/libmora_standin-openmpi.so", "lib/mora/libmora_standin-mpich.so",
    "lib/mora/libmora_processes-openmpi.so", "lib/mora/libmora_processes-mpich.so", "share/man/man1/mora.1",
    "share/man/man1/mora-record.1", "share/man/man1/mora-cube-info.1", "share/bash-completion/completions/mora",
    "share/zsh/site-functions/_mora", "share/fish/vendor_completions.d/mora.fish",
    "lib/mora/python/mora/__init__.py", "share/man/man1/mora-script.1", "share/mora/scripts/early_receive.py",
    "include/mora/mora.h", "include/mora/mora.F90", "include/mora/mora_f.h", "include/mora/mora_mpi.h", "lib/pkgconfig/mora.pc",
]

# Programs of users, by ending: a marked interval 7 each.
MARKED = {
    "c": """#include <mora/mora.h>
#include <mpi.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MORA_INTERVAL_BEGIN(7);
  MORA_INTERVAL_END(7);
  return MPI_Finalize();
}
""",
    "cpp": """#include <mora/mora.h>
#include <mpi.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  { MORA_INTERVAL(7); }
  return MPI_Finalize();
}
""",
    "F90": """#include "mora/mora_f.h"
program marked
  use mpi
  use mora
  integer :: ierror
  call MPI_Init(ierror)
  MORA_INTERVAL_BEGIN(7)
  MORA_INTERVAL_END(7)
  call MPI_Finalize(ierror)
end program
""",
}

ENVIRONMENT = {
    **os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1",
}
for name in ("PYTHONPATH", "MORA_COMMAND", "MORA_PYTHON"):  # scripts need no setup
    ENVIRONMENT.pop(name, None)


def run(*words):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, env=ENVIRONMENT, timeout=120,
                          stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        sys.exit(f"$ {' '.join(map(str, words))}\nexit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def check_marks(prefix, scratch):
    """The header and the module, found by pkg-config, in programs of users."""
    flags = subprocess.run(["pkg-config", "--cflags", "mora"], check=True, capture_output=True, text=True,
                           env={**os.environ, "PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig")}).stdout.split()
    for ending, text in MARKED.items():
        source = scratch / f"marked.{ending}"
        source.write_text(text)
        module = [prefix / "include/mora/mora.F90", "-ffree-line-length-none", "-J", scratch] if ending == "F90" else []
        compiler = {"c": "mpicc", "cpp": "mpicxx", "F90": "mpifort"}[ending]
        run(f"{compiler}.openmpi", *flags, *module, source, "-o", scratch / "marked")
        run(scratch / "marked")
        run(prefix / "bin/mora", "record", "-o", scratch / ending, "mpirun.openmpi", "-n", "1", scratch / "marked")
        events = run("otf2-print", scratch / ending / "traces.otf2")
        if events.count('"mora:argument" <7>; INT32; 7)') != 1:
            sys.exit(f"the interval of marked.{ending} was not recorded:\n{events}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mora-install-") as scratch:
        prefix = pathlib.Path(scratch) / "prefix"
        run("cmake", "--install", options.build, "--prefix", prefix)
        missing = [name for name in EXPECTED if not (prefix / name).is_file()]
        if missing:
            sys.exit(f"not installed: {missing}")
        mora = prefix / "bin/mora"
        version = run(mora, "--version").strip()
        if f'"{version}"' not in (prefix / "share/man/man1/mora.1").read_text():
            sys.exit(f"the manual is not that of {version}")
        run("bash", "-n", prefix / "share/bash-completion/completions/mora")

        # The program's shell shows what was preloaded: it must come from the prefix.
        experiment = pathlib.Path(scratch) / "experiment"
        shown = run(mora, "record", "-o", experiment, "mpirun.openmpi", "-n", "2", "sh", "-c",
                    f"grep libmora_mpi /proc/$$/maps; exec {options.program}")
        if f"{prefix}/lib/mora/libmora_mpi-openmpi.so" not in shown:
            sys.exit(f"the preload library does not come from the prefix:\n{shown}")
        run(mora, "analyze", experiment)
        report = json.loads(run(mora, "report", experiment, "--json"))
        if report["run"]["ranks"] != 2 or report["run"]["events"] == 0:
            sys.exit(f"strange run: {report['run']}")

        check_marks(prefix, pathlib.Path(scratch))

        # Scripts: the module of the prefix, which finds the program of the prefix.
        wasted = run(mora, "script", prefix / "share/mora/scripts/early_receive.py", experiment)
        if not wasted.endswith(" sec wasted.\n"):
            sys.exit(f"strange answer of a script: {wasted}")
        (pathlib.Path(scratch) / "where.py").write_text(
            "import mora, mora.running\nprint(mora.__file__, mora.running.mora_command())")
        if run(mora, "script", pathlib.Path(scratch) / "where.py").split() != [
                f"{prefix}/lib/mora/python/mora/__init__.py", str(mora)]:
            sys.exit("a script does not find the installed module and program")
        print(f"installed and used: {version}, {report['run']['events']} events of {report['run']['ranks']} ranks")


if __name__ == "__main__":
    main()
