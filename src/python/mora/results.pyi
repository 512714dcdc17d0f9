import os
from typing import Any, Dict, Iterable, Iterator, List, Optional, Tuple, Union

_Path = Union[str, os.PathLike[str]]
_Value = Union[int, float]
_Names = Union[str, Iterable[str]]

class CallPath:
    index: int
    name: str
    label: str
    kind: str
    file: str
    line: int
    @property
    def parent(self) -> Optional[CallPath]: ...
    @property
    def children(self) -> Tuple[CallPath, ...]: ...
    @property
    def text(self) -> str: ...
    def tree(self) -> List[CallPath]: ...

class Location:
    name: str
    rank: int
    thread: int
    node: str

class Metric:
    id: str
    name: str
    unique_name: str
    unit: str
    description: str
    fold: str
    @property
    def parent(self) -> Optional[Metric]: ...
    @property
    def children(self) -> Tuple[Metric, ...]: ...
    @property
    def depth(self) -> int: ...
    @property
    def inclusive(self) -> _Value: ...
    @property
    def exclusive(self) -> _Value: ...
    @property
    def by_location(self) -> Any: ...  # numpy.ndarray
    @property
    def by_rank(self) -> Any: ...  # numpy.ndarray
    @property
    def cells(self) -> Any: ...  # numpy.ndarray of int64
    def at(self, call_path: Union[str, CallPath], rank: Optional[int] = None, inclusive: bool = True) -> _Value: ...
    def by_call_path(self, inclusive: bool = False) -> Dict[str, _Value]: ...

class Result:
    path: str
    metrics: Tuple[Metric, ...]
    call_paths: Tuple[CallPath, ...]
    locations: Tuple[Location, ...]
    ranks: List[int]
    attributes: Dict[str, str]
    quality: Tuple[Tuple[str, str, str, int, str, str], ...]
    unmatched: Tuple[Tuple[str, str, Tuple[int, ...]], ...]
    rounded: int
    saturated: int
    def __getitem__(self, metric: str) -> Metric: ...
    def __contains__(self, metric: object) -> bool: ...
    def __iter__(self) -> Iterator[Metric]: ...
    def __len__(self) -> int: ...
    def __sub__(self, other: Result) -> Result: ...
    def merge(self, *others: Result) -> Result: ...
    def cut(self, root: _Names = (), prune: _Names = ()) -> Result: ...
    def save(self, path: _Path) -> None: ...
    def to_pandas(self) -> Any: ...  # pandas.DataFrame

def load(path: _Path) -> Result: ...
def mean(results: Iterable[Result]) -> Result: ...
def merge(results: Iterable[Result]) -> Result: ...
