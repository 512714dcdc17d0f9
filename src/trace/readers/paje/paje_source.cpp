#include "trace/readers/paje/paje_source.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "base/interruption.h"
#include "trace/readers/building/packed_bytes.h"
#include "trace/readers/building/trace_builder.h"
#include "trace/readers/paje/emitter.h"

namespace mora::trace {
namespace {

constexpr std::size_t longest_line = std::size_t{1} << 20;
constexpr const char* repair = "check the file with `pj_dump FILE` of pajeng, which names the first wrong line";

/// Feeds all lines of the text to an interpreter.
using Lines = std::function<Result<void>(paje::Interpreter&)>;

Result<void> lines_of_text(std::string_view content, paje::Interpreter& interpreter) {
  while (!content.empty() && !is_interrupted()) {
    const auto end = content.find('\n');
    const std::string_view line = content.substr(0, end);
    if (line.size() > longest_line) {
      interpreter.feed_too_long();
    } else {
      interpreter.feed(line);
    }
    content.remove_prefix(end == std::string_view::npos ? content.size() : end + 1);
  }
  return {};
}

Result<void> lines_of_file(const std::string& path, paje::Interpreter& interpreter) {
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr)
    return fail(ErrorKind::unreadable, "cannot open the trace", path, system_reason(errno), "check the path");
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> closing(file, gzclose);
  gzbuffer(file, 1U << 18);
  std::vector<char> buffer(longest_line + (1U << 18));
  std::size_t filled = 0;
  bool too_long = false;
  PackedBytes bytes;
  for (;;) {
    const int got = gzread(file, buffer.data() + filled, 1U << 18);
    bytes.tell(file);
    if (got < 0) {
      int code = 0;
      return fail(ErrorKind::unreadable, "cannot read the trace", path, gzerror(file, &code), "copy the file again");
    }
    filled += static_cast<std::size_t>(got);
    std::string_view rest(buffer.data(), filled);
    for (auto end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
      if (std::exchange(too_long, false) || end > longest_line) {
        interpreter.feed_too_long();
      } else {
        interpreter.feed(rest.substr(0, end));
      }
      rest.remove_prefix(end + 1);
    }
    if (got == 0 || is_interrupted()) {
      if (too_long || rest.size() > longest_line) {
        interpreter.feed_too_long();
      } else if (!rest.empty()) {
        interpreter.feed(rest);
      }
      return {};
    }
    if (rest.size() > longest_line) {
      too_long = true;
      rest = {};
    }
    if (!rest.empty()) std::memmove(buffer.data(), rest.data(), rest.size());
    filled = rest.size();
  }
}

void name_hosts(const std::vector<std::string>& hosts, Definitions& definitions) {
  std::map<std::string, std::uint32_t> nodes;
  for (Location& location : definitions.locations) {
    std::string host = location.rank < hosts.size() ? hosts[location.rank] : "";
    if (host.empty()) host = "node0";
    const auto [at, is_new] = nodes.try_emplace(host, static_cast<std::uint32_t>(definitions.nodes.size()));
    if (is_new) definitions.nodes.push_back({host});
    location.node = at->second;
  }
}

Result<std::unique_ptr<Source>> read(const Lines& lines, const std::string& name) {
  paje::Survey survey;
  paje::Interpreter first(survey);
  MORA_CHECK_OK(lines(first));
  if (first.definitions().empty())
    return fail(ErrorKind::unreadable, "cannot read the Pajé trace", name,
                "it defines no events (%EventDef … %EndEventDef)", repair);
  MORA_CHECK_OK(survey.lay_out(first));

  TraceBuilder builder("Pajé");
  builder.definitions().time_origin = first.clock_origin();
  paje::Damage damage;
  if (first.definitions().is_open())
    first.damage().add("damaged-record", first.lines(), "the last %EventDef has no %EndEventDef");
  paje::Emitter emitter(first, survey, builder, damage);
  {
    // The second reading counts again what the first has counted; only the emitter's own findings are new.
    paje::Interpreter second(emitter);
    MORA_CHECK_OK(lines(second));
    emitter.finish();
    if (emitter.failed())
      return fail(ErrorKind::system, "cannot read intermediate data", name, "the temporary file of messages is damaged",
                  "check the disk, or name another directory: TMPDIR=/path mora …");
  }
  first.damage().report(builder.quality());
  damage.report(builder.quality());
  const std::uint64_t overtaking = survey.messages().overtaking();
  if (overtaking > 0)
    builder.quality().add(
        "overtaking-message", Severity::info, "", overtaking,
        "messages overtake others of the same sender, receiver and tag; they are kept apart by tags of their own", "");
  name_hosts(survey.hosts(), builder.definitions());
  auto source = builder.finish();
  if (!source)
    return fail(ErrorKind::unreadable, "cannot read the Pajé trace", name, "no container has states, links or events",
                repair);
  return std::unique_ptr<Source>(std::move(*source));
}

}  // namespace

bool is_paje(std::string_view start) {
  while (!start.empty()) {
    const auto end = start.find('\n');
    std::string_view line = start.substr(0, end);
    start.remove_prefix(end == std::string_view::npos ? start.size() : end + 1);
    line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
    if (line.empty() || line[0] == '#') continue;
    if (line[0] != '%') return false;
    line.remove_prefix(1);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    return line.substr(0, 8) == "EventDef";
  }
  return false;
}

Result<std::unique_ptr<Source>> open_paje(const std::string& path) {
  PackedBytes::will_read(path, 2);
  return read([&](paje::Interpreter& interpreter) { return lines_of_file(path, interpreter); }, path);
}

Result<std::unique_ptr<Source>> read_paje(std::string_view content, const std::string& name) {
  return read([&](paje::Interpreter& interpreter) { return lines_of_text(content, interpreter); }, name);
}

}  // namespace mora::trace
