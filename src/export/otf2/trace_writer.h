/// Writes a new trace from events of a view: what a script uses to filter one.
///
///   auto writer = TraceWriter::create(view, "filtered", {});
///   for (Position p = 1; p <= view.size(); ++p) if (wanted(p)) (*writer)->append(p);
///   (*writer)->finish();
///
/// The new trace has all definitions of the view's and is an OTF2 archive (docs/formats/otf2.md) that every verb reads.
/// What pairs belong together is found anew when it is read: a transfer is one record at its origin, written with its
/// PUT_1TS or GET_1TO (its other events need not, and cannot, be appended on their own); messages pair by order, so
/// leaving out a SEND but not its RECV shifts the pairs behind it. Regions are kept whole by the reader: an EXIT
/// without ENTER is dropped and counted there. Times keep their distance to the view's start unless `from_zero`.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "trace/view/view.h"

namespace mora::exports {

struct TraceWriterOptions {
  bool force = false;      ///< replace an archive that is there
  bool from_zero = false;  ///< the first event appended gets time 0
  std::string description;
};

/// Not thread-safe. The view must outlive the writer. A writer that is destroyed without finish() leaves nothing
/// behind.
class TraceWriter {
 public:
  /// `directory` will hold the archive. Errors: usage (it exists), system (permission, disk full).
  static Result<std::unique_ptr<TraceWriter>> create(const trace::View& view, const std::string& directory,
                                                     const TraceWriterOptions& options);
  ~TraceWriter();

  /// The event with this number. Errors: usage (no such number; times go back on a location; finished).
  Result<void> append(trace::Position event);
  /// An event of the view, possibly changed (time, bytes, region …). Its pointers are positions in the view; what they
  /// lead to is read for what the record needs besides (a transfer's bytes at the other end). Errors: as above; an id
  /// that is not defined.
  Result<void> append(const trace::ViewEvent& event);
  /// Numbers of events appended that became records, and of those that are written with another (ends of transfers).
  std::uint64_t written() const;
  std::uint64_t implied() const;

  /// Puts the archive in place. Errors: system (disk full …); then nothing is left. Once.
  Result<void> finish();

 private:
  struct Impl;
  explicit TraceWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace mora::exports
