import os
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, TypeVar, Union

from mora import Trace

_Path = TypeVar("_Path", bound=Union[str, os.PathLike[str]])
_Numbers = Iterable[float]

class Chart:
    svg: str
    title: str
    labels: List[Any]
    series: Dict[str, Any]
    def save(self, path: _Path) -> _Path: ...

def ticks(low: float, high: float, about: int = 6) -> List[float]: ...
def bar(
    labels: Iterable[Any],
    values: Union[_Numbers, Mapping[str, _Numbers]],
    *,
    title: str = "",
    x: str = "",
    y: str = "",
    grid: bool = True,
    colour: Optional[str] = None,
) -> Chart: ...
def xy(
    series: Union[Sequence[_Numbers], Mapping[str, Sequence[_Numbers]]],
    *,
    title: str = "",
    x: str = "",
    y: str = "",
    lines: bool = True,
    points: bool = True,
    grid: bool = True,
) -> Chart: ...
def histogram(
    values: _Numbers, *, bins: Optional[int] = None, title: str = "", x: str = "", y: str = "count", grid: bool = True
) -> Chart: ...
def timeline(
    trace: Trace,
    *,
    between: Optional[Tuple[float, float]] = None,
    ranks: Optional[Iterable[int]] = None,
    title: str = "",
    messages: bool = True,
) -> Chart: ...
