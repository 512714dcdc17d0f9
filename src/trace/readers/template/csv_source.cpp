/// A template: everything that a reader does, for a format that needs little. The steps are numbered as in README.md.
/// Cost: linear in the file. Memory: the file mapped, names, and the events (event_spool.h).
#include "trace/readers/template/csv_source.h"

#include <algorithm>
#include <array>

#include "base/numbers/read_number.h"
#include "trace/readers/building/reading_damage.h"
#include "trace/readers/building/trace_builder.h"
#include "trace/readers/building/whole_file.h"
#include "trace/readers/text/lexer.h"

namespace mora::trace {
namespace {

constexpr std::string_view header = "time,node,type,name,tag,bytes\n";

using Columns = std::array<std::string_view, 6>;

/// Exactly six columns, without the line's end. This format has no quotes: a name has no comma.
bool split(std::string_view line, Columns& columns) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto comma = line.find(',');
    if ((comma == std::string_view::npos) != (i + 1 == columns.size())) return false;
    columns[i] = line.substr(0, comma);
    if (comma != std::string_view::npos) line.remove_prefix(comma + 1);
  }
  return true;
}

/// 3. One record becomes one event. Numbers are checked before they are used; what does not fit is counted.
const ReadingDamage::Kind* append(TraceBuilder& builder, const Columns& columns, std::uint64_t processes) {
  const auto& [time, node, type, name, tag, bytes] = columns;
  std::uint64_t rank = 0;
  Event e;
  std::string why;
  if (!read_number(node, rank) || !text::parse_time(time, 1000000000, e.time, why)) return &damage::record;
  if (rank >= processes) return &damage::impossible_process;
  if (type == "enter" || type == "exit") {
    e.kind = type == "enter" ? EventKind::enter : EventKind::leave;
    e.region = builder.region(name);
  } else if (type == "send" || type == "recv") {
    e.kind = type == "send" ? EventKind::send : EventKind::receive;
    std::uint64_t peer = 0, tag_number = 0;
    if (!read_number(name, peer) || !read_number(tag, tag_number) || tag_number > INT32_MAX ||
        !read_number(bytes, e.bytes))
      return &damage::record;
    if (peer >= processes) return &damage::partner;
    builder.location(
        static_cast<std::uint32_t>(peer));  // a partner is a process of the trace, even if it wrote nothing
    e.peer = static_cast<std::uint32_t>(peer);
    e.tag = static_cast<std::int32_t>(tag_number);
  } else {
    return &damage::uninterpreted;
  }
  builder.append(builder.location(static_cast<std::uint32_t>(rank)), e);
  return nullptr;
}

}  // namespace

/// 1. Strict, because the readers of other formats are asked too.
bool is_csv_trace(std::string_view start) { return start.substr(0, header.size()) == header; }

/// 2. Parse once, in any order of processes; the builder keeps the events of each process consistent.
Result<std::unique_ptr<Source>> read_csv_trace(std::string_view content, const std::string& file) {
  if (!is_csv_trace(content))
    return fail(ErrorKind::unreadable, "cannot read the CSV trace", file, "the first line is not its header",
                "the header is: time,node,type,name,tag,bytes");
  TraceBuilder builder("CSV");
  ReadingDamage found;
  const std::uint64_t processes = believable_processes(content.size());
  std::string_view rest = content.substr(header.size());
  for (std::uint64_t line = 2; !rest.empty(); ++line) {
    const auto end = std::min(rest.find('\n'), rest.size());
    if (end == rest.size()) found.add(damage::truncated, "line", line);
    Columns columns;
    const auto* wrong = split(rest.substr(0, end), columns) ? append(builder, columns, processes) : &damage::record;
    if (wrong != nullptr) found.add(*wrong, "line", line);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  found.report(builder.quality());
  auto source = builder.finish();
  if (!source) return fail(ErrorKind::unreadable, "cannot read the CSV trace", file, source.error().why);
  return std::unique_ptr<Source>(std::move(*source));
}

Result<std::unique_ptr<Source>> open_csv_trace(const std::string& path) {
  return open_whole_file(path, read_csv_trace);
}

}  // namespace mora::trace
