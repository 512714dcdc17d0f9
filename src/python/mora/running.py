"""Running programs from a script: record the next experiment, look at it, choose the one after.

    run = mora.run(["./app", "input"], ranks=4)         # mora record mpirun -n 4 ./app input
    with run.open() as trace: ...                       # its trace
    result = run.analyze()                              # its wait states
    print(run.stdout, run.seconds)
    mora.run("hostname", record=False).stdout           # any program
"""
import json
import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import time

from ._errors import Error, UsageError


class RunError(Error):
    """A program failed: it could not be started, ended with a status other than 0, wrote to standard error although
    `fail_on_stderr` forbids it, took too long, or left no experiment. `run` (Run or None) holds what it printed."""

    __module__ = "mora"

    def __init__(self, what="", where="", why="", help="", run=None):
        super().__init__(what, where, why, help)
        self.run = run


class Run:
    """A program that was run.

    command        what was started (list of str)
    status         exit status; -9 if it was killed by signal 9
    stdout, stderr what it printed (str); without what Mora says about the recording
    seconds        how long it took, launcher and conversion of the recording included
    experiments    paths of the experiments it left; `experiment` is the only one
    recordings     what Mora measured of each: dict with program, ranks, wall_s, mpi_s, events, overhead_s, …
    """

    def __init__(self, command, status, stdout, stderr, seconds, recordings=()):
        self.command, self.status, self.stdout, self.stderr = command, status, stdout, stderr
        self.seconds, self.recordings = seconds, tuple(recordings)
        self.experiments = tuple(recording["experiment"] for recording in recordings)

    @property
    def experiment(self):
        """Path of the only experiment that the run left. Raises RunError if it left none, or several."""
        if len(self.experiments) == 1:
            return self.experiments[0]
        raise RunError(f"the run left {len(self.experiments) or 'no'} experiments", shlex.join(self.command),
                       help="`experiments` holds their paths", run=self)

    def open(self, path=None, **options):
        """Opens the trace: that of the experiment, or the file at `path` that the program has written; see mora.open."""
        from mora import open

        return open(self.experiment if path is None else path, **options)

    def analyze(self):
        """The result of `mora analyze` on the experiment, as a mora.Result."""
        return analyze(self.experiment)

    def __repr__(self):
        left = f", left {', '.join(self.experiments)}" if self.experiments else ""
        return f"<mora.Run {shlex.join(self.command)}: status {self.status} after {self.seconds:.3f} s{left}>"


class Started:
    """A program that runs in the background: `done` tells whether it has ended, `wait()` gives its Run."""

    def __init__(self, command, process, streams, options):
        self.command, self._process, self._streams, self._options = command, process, streams, options
        self._begin = time.monotonic()
        self._run = None

    @property
    def done(self):
        """Whether the program has ended; does not wait."""
        return self._run is not None or self._process.poll() is not None

    def __reduce__(self):
        raise TypeError("a started program cannot be pickled: wait() for its Run, which can be")

    def wait(self):
        """Waits for its end and returns its Run; raises RunError as mora.run() does."""
        if self._run is None:
            self._run = self._finish()
        run, error = self._run
        if error is not None:
            raise error
        return run

    def stop(self):
        """Ends the program and all processes it has started (with SIGTERM, after five seconds with SIGKILL)."""
        if self._process.poll() is not None:
            return
        for number, patience in ((signal.SIGTERM, 5), (signal.SIGKILL, None)):
            try:
                os.killpg(self._process.pid, number)
            except ProcessLookupError:
                pass
            try:
                self._process.wait(patience)
                return
            except subprocess.TimeoutExpired:
                continue

    def _finish(self):
        record, timeout, check, fail_on_stderr, cwd = self._options
        late = False
        try:
            self._process.wait(None if timeout is None else max(0.0, timeout - (time.monotonic() - self._begin)))
        except subprocess.TimeoutExpired:
            late = True
            self.stop()
        except BaseException:  # Ctrl-C: leave nothing running
            self.stop()
            raise
        seconds = time.monotonic() - self._begin
        texts = []
        for stream in self._streams:
            stream.seek(0)
            texts.append(stream.read().decode(errors="replace"))
            stream.close()
        stdout, stderr = texts
        recordings, said = [], ""
        if record:
            recordings, stderr, said = _split_recorder(stderr, cwd)
        run = Run(self.command, self._process.returncode, stdout, stderr, seconds, recordings)
        where = shlex.join(self.command)
        if late:
            return run, RunError("the program took too long", where, f"it was stopped after {timeout} s",
                                 "give a longer timeout; `mora recover` saves what was recorded", run)
        if check and run.status != 0:
            how = f"it was killed by signal {-run.status}" if run.status < 0 else f"it ended with status {run.status}"
            last = (stderr + said).strip().splitlines()[-6:]
            return run, RunError("the program failed", where, "\n  ".join([how, *last]), "", run)
        if fail_on_stderr and stderr.strip():
            return run, RunError("the program wrote to standard error", where, stderr.strip().splitlines()[0],
                                 "leave out fail_on_stderr if the output is harmless", run)
        if record and check and not recordings:
            return run, RunError("the run left no experiment", where, said.strip(), "", run)
        return run, None


def _split_recorder(stderr, cwd):
    """What `mora record --json` wrote to standard error: its line of JSON, the program's text, Mora's own text."""
    recordings, rest, said = [], [], []
    lines = stderr.splitlines(keepends=True)
    for i, line in enumerate(lines):
        if line.startswith('{"schema": "mora-record"'):
            try:
                recordings = json.loads(line)["experiments"]
                continue
            except (ValueError, KeyError):
                pass
        if line.startswith("mora: "):
            said.append(line)
        elif said and i and lines[i - 1] in said and line.startswith("  "):  # where, why, help of an error
            said.append(line)
        else:
            rest.append(line)
    for recording in recordings:
        recording["experiment"] = os.path.abspath(os.path.join(cwd or "", recording["experiment"]))
    return recordings, "".join(rest), "".join(said)


def mora_command():
    """Path of the `mora` program that belongs to this module."""
    import _mora

    here = os.path.dirname(os.path.abspath(_mora.__file__))
    for path in (os.environ.get("MORA_COMMAND"), f"{here}/../bin/mora", f"{here}/../../../bin/mora", shutil.which("mora")):
        if path and os.access(path, os.X_OK):
            return os.path.normpath(path)
    raise UsageError("the program `mora` was not found", help="put it on PATH, or its path into MORA_COMMAND")


def _words(text_or_words, name):
    if isinstance(text_or_words, os.PathLike):
        return [os.fspath(text_or_words)]
    words = shlex.split(text_or_words) if isinstance(text_or_words, str) else [w if isinstance(w, str) else str(w) for w in text_or_words]
    if not words:
        raise UsageError(f"{name} is empty")
    return words


def start(command, *, launcher=None, ranks=None, record=True, output=None, options=(), env=None, stdin=None, timeout=None,
          check=True, fail_on_stderr=False, cwd=None):
    """Starts a program in the background and returns a Started; the arguments are those of mora.run()."""
    if isinstance(ranks, bool) or not (ranks is None or isinstance(ranks, int) and ranks > 0):
        raise UsageError(f"the number of ranks is {ranks!r}, but must be a positive int")
    words = _words(command, "command")
    if launcher is not None or ranks is not None:
        front = _words("mpirun" if launcher is None else launcher, "launcher")
        words = front + ([] if ranks is None else ["-n", str(ranks)]) + words
    started = words
    if record:
        place = [] if output is None else ["-o", os.fspath(output)]
        started = [mora_command(), "record", "--json", *map(str, options), *place, "--", *words]
    streams = [tempfile.TemporaryFile(), tempfile.TemporaryFile()]
    source = subprocess.DEVNULL
    if isinstance(stdin, (str, bytes)):
        source = tempfile.TemporaryFile()
        source.write(stdin.encode() if isinstance(stdin, str) else stdin)
        source.seek(0)
    elif stdin is not None:
        source = stdin
    environment = {**os.environ, **{name: str(value) for name, value in (env or {}).items()}}
    try:
        process = subprocess.Popen(started, stdin=source, stdout=streams[0], stderr=streams[1], env=environment, cwd=cwd,
                                   start_new_session=True)
    except OSError as error:
        raise RunError("cannot start the program", shlex.join(words), error.strerror or str(error),
                       "a program in this directory is written ./name") from None
    return Started(words, process, streams, (record, timeout, check, fail_on_stderr, cwd))


def run(command, *, launcher=None, ranks=None, record=True, output=None, options=(), env=None, stdin=None, timeout=None,
        check=True, fail_on_stderr=False, cwd=None):
    """Runs a program, by default under measurement (`mora record`), and returns a Run.

    command         a list of words, a path, or one str that is split like a shell's command line (without being given to a shell)
    launcher        what starts MPI programs, "mpirun.mpich" or ["srun", "--mpi=pmix"]; "mpirun" if only `ranks` is given
    ranks           number of processes: `-n RANKS` is put behind the launcher
    record          False: just run it; any program will do
    output          directory for the experiment; must not exist (default: mora-<program>-<ranks>[-<n>])
    options         further options for `mora record`, e.g. ["--mpi", "mpich"]
    env             dict of environment variables to set besides the present ones
    stdin           str, bytes, or an open file; default: nothing
    timeout         seconds; then the program and all it has started are ended
    check           False: a status other than 0 is no error
    fail_on_stderr  True: writing to standard error is an error
    cwd             directory to run in

    Raises RunError, with the Run in `.run` if the program was started at all; UsageError for wrong arguments.
    """
    return start(command, launcher=launcher, ranks=ranks, record=record, output=output, options=options, env=env, stdin=stdin,
                 timeout=timeout, check=check, fail_on_stderr=fail_on_stderr, cwd=cwd).wait()


def analyze(path):
    """Runs `mora analyze` on an experiment or trace and returns its mora.Result. Raises RunError if that fails."""
    from .results import load

    run([mora_command(), "analyze", os.fspath(path)], record=False)
    return load(path)
