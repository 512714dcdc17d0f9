/// An opened trace: source and view together, shared by everything in Python that reads from it.
#pragma once

#include <memory>
#include <string>

#include "base/error.h"
#include "trace/clock/correct_clocks.h"
#include "trace/earl/random_adapter.h"
#include "trace/source.h"
#include "trace/view/view.h"

namespace mora::python {

/// The arguments of mora.open().
struct OpenOptions {
  std::string path;
  std::string format;             ///< empty: found from the content
  std::uint64_t application = 0;  ///< of several jobs in one file, from 1; 0: none was chosen
  trace::RmaModel model = trace::RmaModel::extended;
  trace::ClockOptions clocks;
  bool strict = false;  ///< damage (a data-quality row above `info`) is an error
  bool index = true;    ///< false: no view, but EARL's bookmarks and history
  trace::earl::AdapterOptions adapter;
};

/// Arrays of NumPy hold it too, so that memory they look at outlives `close()`.
struct OpenedTrace {
  std::string format;  ///< name in trace_formats(): "otf2"
  trace::RmaModel model = trace::RmaModel::extended;
  std::unique_ptr<trace::Source> source;
  std::unique_ptr<trace::View> view;                    ///< null without index
  std::unique_ptr<trace::earl::RandomAdapter> adapter;  ///< null with index
  Nanoseconds spooled_first_time = 0;                   ///< of event 1, without index
  trace::MeasuredTime measured;
  DataQuality quality;  ///< of source and merging

  /// Time of event 1, 0 if there is none.
  Nanoseconds first_time() const {
    if (view == nullptr) return spooled_first_time;
    return view->size() == 0 ? 0 : view->time(1);
  }
};

/// Takes long; needs no GIL. Errors: as of open_trace() and View::make(); unreadable if `strict` finds damage; system
/// if `watch` (may be null) says stop.
Result<std::shared_ptr<OpenedTrace>> open(const OpenOptions& options, trace::BuildWatch* watch);

}  // namespace mora::python
