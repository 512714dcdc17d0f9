"""mora.Stat: the sample of Jain 1985, precision, errors (Wolf 1998, 6.2 and 6.3); the arithmetic itself is tested in src/base/numbers/statistics_test.cpp."""
import copy
import io
import math
import pickle

import mora
import pytest

PAPER = [0.02, 0.15, 0.74, 3.39, 0.83, 22.37, 10.15, 15.43, 38.62, 15.92,
         34.60, 10.28, 1.47, 0.40, 0.05, 11.39, 0.27, 0.42, 0.09, 11.37]


def of(values):
    made = mora.Stat()
    for value in values:
        made.add(value)
    return made


@pytest.fixture(autouse=True)
def default_precision():
    before = mora.precision
    yield
    mora.precision = before


def test_nothing_has_only_a_count():
    none = mora.Stat()
    assert none.count == 0
    for name in ("sum", "min", "mean", "max", "var", "q25", "med", "q75"):
        with pytest.raises(mora.UsageError, match="needs at least"):
            getattr(none, name)


def test_least_numbers_of_values():
    one = of([3.5])
    assert one.sum == one.min == one.mean == one.max == 3.5
    with pytest.raises(mora.Error, match="variance needs at least 2"):
        one.var
    assert of([2, 4]).var == 2
    four = of([1, 2, 3, 4])
    for name in ("q25", "med", "q75"):
        with pytest.raises(ValueError):
            getattr(four, name)
    five = of([5, 3, 1, 4, 2])
    assert (five.sum, five.mean, five.var, five.q25, five.med, five.q75) == (15, 3, 2.5, 2, 3, 4)


def test_the_papers_sequence():
    paper = of(PAPER)
    assert (paper.count, paper.min, paper.max) == (20, 0.02, 38.62)
    assert paper.var == pytest.approx(135.798248421, abs=5e-10)
    assert paper.q25 == pytest.approx(0.493895448, abs=5e-10)
    assert paper.med == pytest.approx(4.440634353, abs=5e-10)
    assert paper.q75 == pytest.approx(17.203904274, abs=5e-10)


def test_thirteen_values_restore_bit_for_bit():
    for k in (0, 3, 5, 12):
        original = of(PAPER[:k])
        line = io.StringIO()
        original.print(line)
        assert len(line.getvalue().split()) == 13
        restored = mora.Stat(*map(float, line.getvalue().split()))
        for value in PAPER:
            assert restored.state() == original.state()
            restored.add(value)
            original.addval(value)
        assert restored == original


def test_print_has_seventeen_digits_whatever_the_precision(capsys):
    mora.precision = 2
    of([0.1]).print()
    assert capsys.readouterr().out.split()[0] == "0.10000000000000001"


def test_text_follows_the_precision():
    two = of([2025.436865, 2025.436865])
    assert "mean 2025.436865000" in repr(two)
    mora.precision = 0
    assert "mean 2025 " in repr(two)
    mora.precision = 3
    assert "mean 2025.437 " in repr(two)
    for wrong in (18, -1, "abc"):
        mora.precision = wrong
        with pytest.raises(ValueError):
            repr(two)


def test_many_at_once():
    numpy = pytest.importorskip("numpy")
    assert of(PAPER) == (lambda s: (s.add_many(numpy.array(PAPER)), s)[1])(mora.Stat())
    some = of([1])
    some.add_many([2, 3])
    some.add_many([])
    assert some.sum == 6
    with pytest.raises(mora.UsageError, match="finite"):
        some.add_many([4, math.nan])
    assert some.count == 3  # all or none


def test_what_is_no_number():
    some = of([1, 2])
    for wrong in (math.inf, -math.inf, math.nan):
        with pytest.raises(mora.UsageError):
            some.add(wrong)
    with pytest.raises(TypeError):
        some.add("3")
    assert some.count == 2


def test_wrong_states():
    state = of(PAPER).state()
    for wrong in (state[:12], (*state, 1.0)):
        with pytest.raises(mora.UsageError, match="thirteen"):
            mora.Stat(*wrong)
    with pytest.raises(TypeError):
        mora.Stat(*["1"] * 13)
    with pytest.raises(mora.UsageError, match="ascend"):
        mora.Stat(*state[4::-1], *state[5:])


def test_merge_and_plus():
    a, b = of(PAPER[:3]), of(PAPER[3:])
    both = a + b
    assert isinstance(both, mora.Stat) and both.count == 20
    assert (a.count, b.count) == (3, 17)
    assert both.sum == pytest.approx(177.96) and both.var == pytest.approx(135.798248421)
    assert both == b + a
    a += b
    assert a == both
    a.merge(a)
    assert a.count == 40
    with pytest.raises(TypeError):
        a + 1


def test_copies_are_independent():
    one = of(PAPER)
    for other in (one.copy(), copy.copy(one), copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
        assert other == one
        other.add(1)
        assert other != one


def test_reset_and_close():
    one = of(PAPER)
    one.reset()
    assert one.count == 0 and one == mora.Stat()
    one.close()
    one.close()
    assert one.closed and "closed" in repr(one)
    for use in (lambda: one.count, lambda: one.add(1), one.state, one.reset, lambda: mora.Stat().merge(one)):
        with pytest.raises(mora.Error, match="closed"):
            use()


def test_notebooks_show_it():
    assert "<th>med</th>" in of(PAPER)._repr_html_()
