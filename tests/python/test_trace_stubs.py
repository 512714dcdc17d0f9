"""The type stubs name what there is: no more, no less."""
import ast
import pathlib

import _mora
import mora
import pytest

STUBS = {"mora": pathlib.Path(mora.__file__).with_name("__init__.pyi"),
         "_mora": pathlib.Path(mora.__file__).resolve().parent.parent / "_mora.pyi"}


def classes(stub):
    return {node.name: {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
            for node in ast.parse(STUBS[stub].read_text()).body if isinstance(node, ast.ClassDef)}


@pytest.mark.parametrize("name", ["Trace", "State", "TraceInfo", "Columns", "Writer"])
def test_members_of_classes(name):
    there = {member for kind in getattr(mora, name).__mro__[:-1] if kind is not dict for member in vars(kind) if not member.startswith("_")}
    assert {member for member in classes("mora")[name] if not member.startswith("_")} == there


def test_attributes_of_events():
    there = {member for member in vars(mora.Event) if not member.startswith("_")}
    assert {member for member in classes("_mora")["Event"] if not member.startswith("_")} == there


def test_public_names():
    tree = ast.parse(STUBS["mora"].read_text())
    named = set()
    for node in tree.body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            named.add(node.name)
        elif isinstance(node, ast.AnnAssign):
            named.add(node.target.id)
        elif isinstance(node, ast.ImportFrom):
            named |= {name.asname for name in node.names if name.asname}
    assert set(mora.__all__) <= named
    assert named - set(mora.__all__) <= {"__version__"}
    for name in mora.__all__:
        assert hasattr(mora, name)
    assert _mora.version() == mora.__version__
