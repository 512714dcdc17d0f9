"""What `mora script` and `mora shell` start: python3 -m mora.scripting script FILE [ARGUMENTS] | shell [TRACE].

A script sees sys.argv as if it had been started directly: its own name first, then its arguments. If it fails, the
traceback is followed by the place in the trace: the events, states and traces that the script's variables held.
"""
import code
import os
import sys
import traceback
import types

import mora
from mora._trace import places


def _run(source, name, argv, folder):
    script = types.ModuleType("__main__")
    script.__file__ = name
    script.__builtins__ = __builtins__
    sys.modules["__main__"] = script
    sys.argv = argv
    sys.path[0] = folder
    exec(compile(source, name, "exec", dont_inherit=True), script.__dict__)


def _own(frame):
    """Whether a frame is this file's, or the import machinery's."""
    name = frame.f_code.co_filename
    return name == __file__ or name.startswith("<frozen ")


def report(kind, error, trace_back):
    """Prints an exception as Python does, without this file's own lines, and then the place in the trace."""
    while trace_back is not None and _own(trace_back.tb_frame):
        trace_back = trace_back.tb_next
    lines = traceback.format_exception(kind, error, trace_back)
    sys.stdout.flush()
    sys.stderr.write("".join(lines))
    where = places.of(trace_back)
    if where:
        sys.stderr.write("in the trace:\n" + "\n".join(where) + "\n")


def script(file, arguments):
    """Runs a script file, or standard input for "-". Returns the exit code."""
    try:
        if file == "-":
            source, name, folder = sys.stdin.buffer.read(), "<standard input>", os.getcwd()
        else:
            with open(file, "rb") as stream:
                source = stream.read()
            name, folder = file, os.path.dirname(os.path.abspath(file))
    except OSError as error:
        sys.stderr.write(f"mora: error: cannot read the script\n  where: {file}\n  why:   {error.strerror}\n")
        return 3
    return _guarded(lambda: _run(source, name, [file, *arguments], folder))


def _guarded(action):
    try:
        action()
        sys.stdout.flush()
        return 0
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        sys.stderr.write(f"{end.code}\n")
        return 1
    except BrokenPipeError:  # `mora script … | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 141
    except KeyboardInterrupt:
        report(*sys.exc_info())
        return 130
    except BaseException:
        report(*sys.exc_info())
        return 1


class _Console(code.InteractiveConsole):
    failed = False

    def showtraceback(self):
        self.failed = True
        kind, error, trace_back = sys.exc_info()
        report(kind, error, trace_back.tb_next)  # without code.py's own frame

    def showsyntaxerror(self, *arguments):
        self.failed = True
        super().showsyntaxerror(*arguments)


def _piped(prompt=""):
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line.rstrip("\n")


def shell(path):
    """An interactive Python with `mora`, and `trace` if a path is given. Returns the exit code."""
    names = {"__name__": "__console__", "__doc__": None, "mora": mora}
    greeting = f"Mora {mora.__version__}, Python {sys.version.split()[0]}: `mora` is imported"
    if path is not None:
        try:
            names["trace"] = mora.open(path)
        except mora.Error as error:
            rows = [("where", error.where), ("why", error.why), ("help", error.help)]
            sys.stderr.write(f"mora: error: {error.what}\n")
            sys.stderr.writelines(f"  {name + ':':<6} {text}\n" for name, text in rows if text)
            return 2 if isinstance(error, mora.UsageError) else 3
        greeting += f", `trace` is {path}: {len(names['trace'])} events, {names['trace'].info.nodecount} nodes"
    console = _Console(names)
    sys.path[0] = ""
    if sys.stdin.isatty():
        try:
            import readline
            import rlcompleter

            readline.set_completer(rlcompleter.Completer(names).complete)
            readline.parse_and_bind("tab: complete")
        except ImportError:
            pass
        return _guarded(lambda: console.interact(greeting + "; help(mora) is the manual", exitmsg=""))
    console.raw_input = _piped
    return _guarded(lambda: console.interact("", exitmsg="")) or int(console.failed)


if __name__ == "__main__":
    if sys.argv[1] == "script":
        status = script(sys.argv[2], sys.argv[3:])
    else:
        status = shell(sys.argv[2] if len(sys.argv) > 2 else None)
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.exit(status)
