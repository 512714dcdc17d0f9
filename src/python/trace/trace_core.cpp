#include "python/trace/trace_core.h"

#include <algorithm>

#include "python/trace/errors.h"
#include "python/trace/text.h"

namespace py = pybind11;

namespace mora::python {

TraceCore::TraceCore(std::shared_ptr<OpenedTrace> trace, std::string path_as_given, bool trace_clock)
    : opened(std::move(trace)), path(std::move(path_as_given)) {
  if (trace_clock) shift_ = opened->source->definitions().time_origin;
  definitions = &opened->source->definitions();
  view = opened->view.get();
  adapter = opened->adapter.get();
  node_count_ = definitions->world_size;
  for (const trace::Location& one : definitions->locations)
    node_count_ = std::max<std::uint64_t>(node_count_, one.rank + std::uint64_t{1});
}

trace::LocationId TraceCore::location(std::uint32_t rank, std::uint32_t thread) const {
  const auto& all = definitions->locations;
  if (rank < all.size() && all[rank].rank == rank && all[rank].thread == thread) return rank;
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& l) { return l.rank == rank && l.thread == thread; });
  return found == all.end() ? trace::no_id : static_cast<trace::LocationId>(found - all.begin());
}

TraceCore::~TraceCore() {
  forget_names();
  Py_CLEAR(owner);
}

void TraceCore::forget_names() {
  for (auto* cache : {&region_names_, &region_groups_, &user_types_}) {
    for (PyObject* name : *cache) Py_XDECREF(name);
    cache->clear();
  }
  kinds.clear();
}

const trace::Definitions& TraceCore::open_definitions() const {
  if (!check_open()) throw py::error_already_set();
  return *definitions;
}

const trace::View& TraceCore::open_view() const {
  if (!check_open()) throw py::error_already_set();
  if (view == nullptr)
    throw_usage_error("this needs the index", "the trace was opened with index=False", "open it without that");
  return *view;
}

bool TraceCore::refuse() const {
  if (closed())
    set_closed_error(path);
  else
    set_error(view->intact().error());
  return false;
}

void TraceCore::throw_unless_intact() const {
  if (!check_intact()) throw py::error_already_set();
}

void TraceCore::close() {
  definitions = nullptr;
  view = nullptr;
  adapter = nullptr;
  forget_names();
  // Unmapping gigabytes may take a while, and arrays of NumPy may still hold the trace: let go of it last.
  std::shared_ptr<OpenedTrace> last = std::move(opened);
  py::gil_scoped_release unlocked;
  last.reset();
}

PyObject* TraceCore::cached(std::vector<PyObject*>& cache, std::size_t size, std::uint32_t index,
                            const std::string& text) {
  if (cache.empty()) cache.resize(size, nullptr);
  PyObject*& name = cache[index];
  if (name == nullptr) {
    name = new_text(text);
    if (name == nullptr) return nullptr;
    PyUnicode_InternInPlace(&name);
  }
  Py_INCREF(name);
  return name;
}

PyObject* TraceCore::region_name(trace::RegionId region) {
  const auto& regions = definitions->regions;
  if (region >= regions.size()) Py_RETURN_NONE;
  return cached(region_names_, regions.size(), region, regions[region].name);
}

PyObject* TraceCore::region_group(trace::RegionId region) {
  const auto& regions = definitions->regions;
  if (region >= regions.size()) Py_RETURN_NONE;
  static const std::string all = "All";
  const std::string& group = regions[region].group;
  return cached(region_groups_, regions.size(), region, group.empty() ? all : group);
}

PyObject* TraceCore::user_type(std::uint32_t index) {
  const auto& types = definitions->user_types;
  if (index >= types.size()) return PyUnicode_InternFromString("USER");
  return cached(user_types_, types.size(), index, types[index]);
}

PyObject* TraceCore::string(std::uint64_t index) {
  const auto& strings = definitions->strings;
  if (index >= strings.size()) Py_RETURN_NONE;
  return new_text(strings[index]);
}

PyObject* exact_sum(Nanoseconds time, Nanoseconds shift) {
  Nanoseconds sum = 0;
  if (!__builtin_add_overflow(time, shift, &sum)) return PyLong_FromLongLong(sum);
  PyObject* a = PyLong_FromLongLong(time);
  PyObject* b = PyLong_FromLongLong(shift);
  PyObject* result = a != nullptr && b != nullptr ? PyNumber_Add(a, b) : nullptr;
  Py_XDECREF(a);
  Py_XDECREF(b);
  return result;
}

double seconds(Nanoseconds time, Nanoseconds shift) {
  return static_cast<double>(static_cast<__int128>(time) + shift) / 1e9;
}

}  // namespace mora::python
