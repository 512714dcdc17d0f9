import os
from typing import IO, Any, Dict, Iterable, List, Mapping, Optional, Tuple, Union

from mora import Error, Trace
from mora.results import Result

_Path = Union[str, os.PathLike[str]]
_Command = Union[_Path, Iterable[Any]]

class RunError(Error):
    run: Optional[Run]

class Run:
    command: List[str]
    status: int
    stdout: str
    stderr: str
    seconds: float
    experiments: Tuple[str, ...]
    recordings: Tuple[Dict[str, Any], ...]
    @property
    def experiment(self) -> str: ...
    def open(self, path: Optional[_Path] = None, **options: Any) -> Trace: ...
    def analyze(self) -> Result: ...

class Started:
    command: List[str]
    @property
    def done(self) -> bool: ...
    def wait(self) -> Run: ...
    def stop(self) -> None: ...

def run(
    command: _Command,
    *,
    launcher: Optional[_Command] = None,
    ranks: Optional[int] = None,
    record: bool = True,
    output: Optional[_Path] = None,
    options: Iterable[str] = (),
    env: Optional[Mapping[str, Any]] = None,
    stdin: Union[None, str, bytes, IO[Any]] = None,
    timeout: Optional[float] = None,
    check: bool = True,
    fail_on_stderr: bool = False,
    cwd: Optional[_Path] = None,
) -> Run: ...
def start(
    command: _Command,
    *,
    launcher: Optional[_Command] = None,
    ranks: Optional[int] = None,
    record: bool = True,
    output: Optional[_Path] = None,
    options: Iterable[str] = (),
    env: Optional[Mapping[str, Any]] = None,
    stdin: Union[None, str, bytes, IO[Any]] = None,
    timeout: Optional[float] = None,
    check: bool = True,
    fail_on_stderr: bool = False,
    cwd: Optional[_Path] = None,
) -> Started: ...
def analyze(path: _Path) -> Result: ...
