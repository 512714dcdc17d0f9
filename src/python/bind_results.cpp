/// Cubes for mora/results.py: dimensions as tuples, cells as integers (nanoseconds, counts, bytes), algebra.
#include "python/bind_results.h"

#include <pybind11/stl.h>

#include <memory>

#include "cube/algebra.h"
#include "cube/cubex.h"
#include "cube/labels.h"
#include "python/trace/errors.h"
#include "python/trace/numpy.h"
#include "python/trace/text.h"

namespace py = pybind11;

namespace mora::python {
namespace {

using cube::Cube;
using CubePointer = std::shared_ptr<Cube>;

std::vector<std::string> names(const py::list& given) {
  std::vector<std::string> result;
  for (const py::handle name : given) result.push_back(bytes_of(name));
  return result;
}

py::object number_or_none(std::uint32_t id) {
  return id == cube::no_id ? py::object(py::none()) : py::object(py::int_(id));
}

/// (cube, ((severity, where, what, count, remedy), …))
py::tuple load(const std::string& path) {
  Result<cube::CubexFile> file = [&] {
    const py::gil_scoped_release release;
    return cube::read_cubex(path);
  }();
  cube::CubexFile read = value_of(std::move(file));
  py::list rows;
  for (const QualityRow& row : read.quality.rows())
    rows.append(py::make_tuple(row.kind, to_string(row.severity), text(row.where), row.count, text(row.what),
                               text(row.remedy)));
  return py::make_tuple(std::make_shared<Cube>(std::move(read.cube)), py::tuple(rows));
}

/// (cube, ((dimension, name, operands), …), rounded, saturated)
py::tuple combined(cube::Combination&& combination) {
  py::list unmatched;
  for (const cube::Unmatched& u : combination.unmatched)
    unmatched.append(py::make_tuple(cube::to_string(u.dimension), text(u.name), py::tuple(py::cast(u.operands))));
  return py::make_tuple(std::make_shared<Cube>(std::move(combination.cube)), py::tuple(unmatched), combination.rounded,
                        combination.saturated);
}

std::vector<const Cube*> pointers(const std::vector<CubePointer>& cubes) {
  std::vector<const Cube*> result;
  for (const CubePointer& cube : cubes) result.push_back(cube.get());
  return result;
}

void check(const Cube& cube, std::uint32_t metric, std::uint32_t call_path = 0) {
  if (metric >= cube.metrics.size() || (call_path != 0 && call_path >= cube.call_paths.size()))
    throw py::index_error("no such metric or call path");
}

py::array_t<std::int64_t> cells(const Cube& cube, std::uint32_t metric) {
  check(cube, metric);
  need_numpy();
  py::array_t<std::int64_t> matrix(std::vector<py::ssize_t>{static_cast<py::ssize_t>(cube.call_paths.size()),
                                                            static_cast<py::ssize_t>(cube.locations.size())});
  std::int64_t* out = matrix.mutable_data();
  const std::size_t width = cube.locations.size();
  std::fill(out, out + width * cube.call_paths.size(), std::int64_t{0});
  for (std::uint32_t c = 0; c < cube.call_paths.size(); ++c) {
    const auto& row = cube.row(metric, c);
    std::copy(row.begin(), row.end(), out + c * width);
  }
  return matrix;
}

py::tuple metrics_of(const Cube& cube) {
  py::list rows;
  for (const cube::Metric& m : cube.metrics)
    rows.append(py::make_tuple(text(m.id), text(m.name), text(m.unique_name), number_or_none(m.parent),
                               cube::unit_word(m.unit), text(m.description), cube::to_string(m.fold)));
  return py::tuple(rows);
}

py::tuple call_paths_of(const Cube& cube) {
  py::list rows;
  for (std::uint32_t c = 0; c < cube.call_paths.size(); ++c) {
    const cube::CallPath& path = cube.call_paths[c];
    rows.append(py::make_tuple(text(path.name), text(cube::label(path)), number_or_none(path.parent),
                               cube::to_string(path.kind), text(path.file), path.line));
  }
  return py::tuple(rows);
}

py::tuple locations_of(const Cube& cube) {
  py::list rows;
  for (const cube::Location& l : cube.locations)
    rows.append(py::make_tuple(text(l.name), l.rank, l.thread, text(l.node)));
  return py::tuple(rows);
}

}  // namespace

void bind_results(py::module_& module) {
  bind_statistics(module);
  py::class_<Cube, CubePointer>(module, "Cube", "Integer cells: metric x call path x location. See mora.Result.")
      .def_static("load", &load, py::arg("path"))
      .def("save",
           [](const Cube& cube, const std::string& path) {
             if (auto written = cube::write_cubex(cube, path); !written) throw_error(written.error());
           })
      .def_property_readonly("metrics", &metrics_of,
                             "(id, name, unique name, parent or None, unit, description, fold), …")
      .def_property_readonly("call_paths", &call_paths_of, "(name, label, parent or None, kind, file, line), …")
      .def_property_readonly("locations", &locations_of, "(name, rank, thread, node), …")
      .def_property_readonly("attributes",
                             [](const Cube& cube) {
                               py::list rows;
                               for (const auto& [name, value] : cube.attributes)
                                 rows.append(py::make_tuple(text(name), text(value)));
                               return rows;
                             })
      .def("cells", &cells, "Array of int64 [call path, location].")
      .def("by_location",
           [](const Cube& cube, std::uint32_t metric) {
             check(cube, metric);
             return cube.by_location(metric);
           })
      .def("row",
           [](const Cube& cube, std::uint32_t metric, std::uint32_t call_path) {
             check(cube, metric, call_path);
             auto row = cube.row(metric, call_path);
             row.resize(cube.locations.size());
             return row;
           })
      .def_static("difference", [](const CubePointer& a,
                                   const CubePointer& b) { return combined(value_of(cube::difference(*a, *b))); })
      .def_static(
          "merge",
          [](const std::vector<CubePointer>& cubes) { return combined(value_of(cube::merge(pointers(cubes)))); })
      .def_static("mean",
                  [](const std::vector<CubePointer>& cubes) { return combined(value_of(cube::mean(pointers(cubes)))); })
      .def("cut", [](const Cube& cube, const py::list& roots, const py::list& prune) {
        return std::make_shared<Cube>(value_of(cube::cut(cube, {names(roots), names(prune)})));
      });
}

}  // namespace mora::python
