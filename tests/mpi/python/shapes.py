"""Calls MPI_Barrier from all kinds of functions; says from which, as Python itself sees its stack."""
import sys
import threading

from mpi_here import barrier, finalize, rank


def said(frame):
    """The functions around a call that stands on the line of this one's, outermost first; recursion is folded."""
    code_name = "co_qualname" if sys.version_info >= (3, 11) else "co_name"
    line, file = frame.f_lineno, frame.f_code.co_filename
    frames, path = [], []
    while frame:
        frames.append(frame.f_code)
        frame = frame.f_back
    for code in reversed(frames):
        function = (getattr(code, code_name), code.co_filename, code.co_firstlineno)
        if function in path:
            del path[path.index(function):]
        path.append(function)
    if rank == 0:
        print(f"{' > '.join(name for name, _, _ in path)} @ {file.rsplit('/', 1)[-1]}:{line}")


here = sys._getframe  # pylint: disable=protected-access


def plain():
    barrier(), said(here())


def outer(n):
    def inner():
        barrier(), said(here())
        return n

    return inner()


class Solver:
    def step(self):
        barrier(), said(here())

    @staticmethod
    def all():
        Solver().step()

    @property
    def value(self):
        return (barrier(), said(here()))


def generator(n):
    for _ in range(n):
        yield (barrier(), said(here()))


def recursive(n):
    if n == 0:
        return (barrier(), said(here()))
    return recursive(n - 1)


def größe():
    barrier(), said(here())


def by_the_interpreter(_):
    return barrier(), said(here())


def several_lines():
    barrier(), said(here())
    barrier(), said(here())

    for _ in range(3):
        barrier(), said(here())


def late():
    try:
        raise ValueError
    except ValueError:
        barrier(), said(here())
    finally:
        barrier(), said(here())


plain()
outer(1)
Solver.all()
Solver().value
for _ in generator(2):
    pass
recursive(3)
größe()
list(map(by_the_interpreter, [1]))
sorted([2], key=lambda n: (barrier(), said(here())) and n)
several_lines()
late()
(lambda: (barrier(), said(here())))()

# Code that makes way for other code at the same address.
for i in range(200):
    exec(f"def made_{i % 7}():\n" + "\n" * (i % 5) + "  barrier(), said(here())\n" + f"made_{i % 7}()")
for i in range(100):
    exec(compile("\n" * (i % 3) + "barrier(), said(here())", "made.py", "exec"))


def of_a_thread():
    plain()


thread = threading.Thread(target=of_a_thread)
thread.start()
thread.join()
finalize()
