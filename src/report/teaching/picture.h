/// A micro-timeline: a small trace drawn with characters, one row per location, waiting shaded, arrows numbered.
/// Made from the trace and the analysis of it, so that a picture cannot say anything else than the analysis.
#pragma once

#include <string>
#include <vector>

#include "analysis/result.h"
#include "base/error.h"
#include "trace/source.h"

namespace mora::report {

/// A bar: one call.
struct PictureCall {
  Nanoseconds enter = 0, leave = 0;
  std::string name;
  bool is_filled = true;  ///< false: computing goes on in it (user code)
};

/// One end of an arrow.
struct PictureMark {
  Nanoseconds time = 0;
  std::uint32_t number = 0;  ///< of the arrow, from 1; 0 = what was waited for
  bool is_source = true;
};

/// One location. Times in nanoseconds since the first event of the trace.
struct PictureRow {
  std::string name;  ///< "rank 0", "rank 0.1" (a thread)
  Nanoseconds first = 0, last = 0;
  std::vector<PictureCall> calls;  ///< by enter, outer ones first
  std::vector<PictureMark> marks;
  std::vector<std::pair<Nanoseconds, Nanoseconds>> waits;
};

/// What draw() draws.
struct Picture {
  std::vector<PictureRow> rows;
  std::vector<std::string> arrows;  ///< "message, rank 0 to rank 1": number i + 1
  std::vector<std::string> waits;   ///< "rank 1 waits in MPI_Recv from 10 to 16: 6 ns, for rank 0 in MPI_Send"
  Nanoseconds last = 0;
  Nanoseconds total = 0;  ///< severity of the metric
};

/// Width in columns; `ascii` for terminals without UTF-8.
struct PictureStyle {
  unsigned width = 80;
  bool ascii = false;
  bool colour = false;
};

/// The trace, with the waits of one metric. Times are nanoseconds since the first event.
/// For traces that fit on a screen: every call becomes a bar. Errors: those of reading.
Result<Picture> picture_of(trace::Source& source, const analysis::AnalysisResult& result, cube::MetricId metric);

/// Lines of at most `width` columns: axis, rows, legend, waits.
std::string draw(const Picture& picture, const PictureStyle& style);

}  // namespace mora::report
