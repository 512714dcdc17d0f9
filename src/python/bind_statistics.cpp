/// The statistics objects of scripts: mora/statistics.py makes `mora.Stat` of this class.

#include <optional>

#include "base/numbers/statistics.h"
#include "python/bind_results.h"
#include "python/trace/errors.h"
#include "python/trace/numpy.h"

namespace py = pybind11;

namespace mora::python {
namespace {

/// Empty after close().
struct StatisticsObject {
  std::optional<Statistics> statistics = Statistics();

  Statistics& open() {
    if (!statistics)
      throw_usage_error("the statistics object is closed", "close() was called", "make a new one with mora.Stat()");
    return *statistics;
  }
};

StatisticsObject make(const py::args& values) {
  if (values.size() != 0 && values.size() != 13)
    throw_usage_error("a statistics object is made from nothing or from thirteen values",
                      std::to_string(values.size()) + " were given", "give the values of state() in their order");
  StatisticsObject made;
  if (values.size() == 0) return made;
  Statistics::State state{};
  for (std::size_t i = 0; i < state.size(); ++i) {
    state[i] = PyFloat_AsDouble(py::object(values[i]).ptr());
    if (PyErr_Occurred() != nullptr) throw py::error_already_set();
  }
  made.statistics = value_of(Statistics::from_state(state));
  return made;
}

void add_one(StatisticsObject& object, double value) {
  if (auto added = object.open().add(value); !added) throw_error(added.error());
}

void add_many(StatisticsObject& object, py::handle numbers) {
  need_numpy();
  const auto values = py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(numbers);
  if (!values) throw py::type_error(std::string("the values are numbers, not ") + Py_TYPE(numbers.ptr())->tp_name);
  Statistics sum = object.open();  // all or none
  const double* data = values.data();
  const py::ssize_t size = values.size();
  Result<void> added;
  {
    const py::gil_scoped_release release;
    for (py::ssize_t i = 0; i < size && added; ++i) added = sum.add(data[i]);
  }
  if (!added) throw_error(added.error());
  object.open() = sum;
}

py::tuple state_of(StatisticsObject& object) {
  const auto state = object.open().state();
  py::tuple values(state.size());
  for (std::size_t i = 0; i < state.size(); ++i) values[i] = state[i];
  return values;
}

template <Result<double> (Statistics::*query)() const>
double ask(StatisticsObject& object) {
  return value_of((object.open().*query)());
}

}  // namespace

void bind_statistics(py::module_& module) {
  py::class_<StatisticsObject>(module, "Statistics", "What mora.Stat is made of.")
      .def(py::init(&make))
      .def("addval", &add_one, py::arg("value"), "Adds one number; UsageError for infinities and NaN.")
      .def("add", &add_one, py::arg("value"), "Adds one number; UsageError for infinities and NaN.")
      .def("add_many", &add_many, py::arg("values"),
           "Adds all numbers of a sequence or NumPy array in order; none of them if one is infinite or NaN.")
      .def("state", &state_of, "The thirteen numbers (float) that describe the object completely.")
      .def(
          "merge",
          [](StatisticsObject& object, StatisticsObject& other) {
            const Statistics copy = other.open();
            object.open().merge(copy);
          },
          py::arg("other"),
          "Adds the numbers of `other`. All but the quartiles is exact; these are read off the sum of both "
          "distributions, "
          "each\nthought linear between its five markers: merge few large parts rather than many small ones.")
      .def(
          "reset", [](StatisticsObject& object) { object.open().reset(); }, "Forgets all numbers.")
      .def(
          "close", [](StatisticsObject& object) { object.statistics.reset(); },
          "Ends the object: whatever is asked of it later raises UsageError.")
      .def_property_readonly(
          "closed", [](const StatisticsObject& object) { return !object.statistics; }, "True after close().")
      .def_property_readonly(
          "count", [](StatisticsObject& object) { return object.open().count(); }, "How many numbers were added.")
      .def_property_readonly("sum", &ask<&Statistics::sum>, "Sum; needs 1 value.")
      .def_property_readonly("min", &ask<&Statistics::minimum>, "Minimum; needs 1 value.")
      .def_property_readonly("mean", &ask<&Statistics::mean>, "Mean; needs 1 value.")
      .def_property_readonly("max", &ask<&Statistics::maximum>, "Maximum; needs 1 value.")
      .def_property_readonly("var", &ask<&Statistics::variance>,
                             "Sample variance (divisor count - 1), square of the unit; needs 2 values.")
      .def_property_readonly("q25", &ask<&Statistics::lower_quartile>, "0.25 quantile, estimated; needs 5 values.")
      .def_property_readonly("med", &ask<&Statistics::median>, "Median, estimated; needs 5 values.")
      .def_property_readonly("q75", &ask<&Statistics::upper_quartile>, "0.75 quantile, estimated; needs 5 values.");
}

}  // namespace mora::python
