/// `mora.Writer`: a new OTF2 archive made of events of one trace.
#include <pybind11/stl.h>

#include "export/otf2/trace_writer.h"
#include "python/bindings.h"
#include "python/events/event_type.h"
#include "python/trace/errors.h"

namespace py = pybind11;

namespace mora::python {
namespace {

/// A new archive out of events of one trace. Holds that trace's view, whatever happens to its Python object.
class Writer {
 public:
  Writer(CoreRef core, const std::string& path, bool force, bool from_zero)
      : core_(std::move(core)), held_((core_->open_view(), core_->opened)) {
    exports::TraceWriterOptions options;
    options.force = force;
    options.from_zero = from_zero;
    options.description = "made by a script from " + core_->path;
    auto writer = exports::TraceWriter::create(*held_->view, path, options);
    if (!writer) throw_error(writer.error());
    writer_ = std::move(*writer);
  }

  void append(py::handle event, std::optional<Nanoseconds> time_ns, std::optional<std::uint64_t> len) {
    check_open();
    if (!is_event(event.ptr()))
      throw py::type_error(std::string("a Writer takes events, not ") + Py_TYPE(event.ptr())->tp_name);
    const EventAt at = event_at(event.ptr());
    if (!at.core.check_open()) throw py::error_already_set();
    if (&at.core != core_.get())
      throw_usage_error("the event is of another trace", "a Writer takes events of the trace it was made like");
    Result<void> done;
    if (time_ns || len) {
      trace::ViewEvent changed = at.all();
      if (time_ns && __builtin_sub_overflow(*time_ns, core_->shift(), &changed.time))
        throw_usage_error("the time is out of range");
      if (len) (changed.received != 0 && changed.bytes == 0 ? changed.received : changed.bytes) = *len;
      done = writer_->append(changed);
    } else {
      done = writer_->append(at.p);
    }
    if (!done) throw_error(done.error());
    core_->throw_unless_intact();
  }

  void finish() {
    check_open();
    const std::unique_ptr<exports::TraceWriter> writer = std::move(writer_);
    const auto done = [&] {
      py::gil_scoped_release unlocked;
      return writer->finish();
    }();
    if (!done) throw_error(done.error());
  }

  void abandon() { writer_.reset(); }
  bool open() const { return writer_ != nullptr; }
  std::uint64_t written() const { return check_open().written(); }
  std::uint64_t implied() const { return check_open().implied(); }

 private:
  const exports::TraceWriter& check_open() const {
    if (writer_ == nullptr) throw_usage_error("the writer is closed");
    return *writer_;
  }

  const CoreRef core_;
  const std::shared_ptr<OpenedTrace> held_;
  std::unique_ptr<exports::TraceWriter> writer_;
};

}  // namespace

void bind_writer(py::module_& m) {
  py::class_<Writer>(m, "TraceWriter")
      .def(py::init<CoreRef, const std::string&, bool, bool>())
      .def("append", &Writer::append, py::arg("event"), py::arg("time_ns") = py::none(), py::arg("len") = py::none())
      .def("finish", &Writer::finish)
      .def("abandon", &Writer::abandon)
      .def_property_readonly("open", &Writer::open)
      .def("written", &Writer::written)
      .def("implied", &Writer::implied);
}

}  // namespace mora::python
