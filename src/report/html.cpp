/// The HTML report: html/page.html with its style and script, and the data as JSON in a script element (packed when
/// large). The page makes everything else from these data, so that text, JSON and page can never disagree.
#include <zlib.h>

#include "base/json/json_writer.h"
#include "cube/algebra.h"
#include "report/findings/findings.h"
#include "report/intervals/interval_report.h"
#include "report/losses/losses.h"
#include "report/report.h"

namespace mora::report {

extern const std::string_view page_head, page_tail;  // made by embed.py

namespace {

/// What the first page says in sentences, and the texts of all metrics.
void summary_fields(JsonWriter& json, const ReportData& data, const cube::Cube* cube,
                    const std::vector<analysis::MetricInfo>& infos) {
  const std::vector<std::string> efficiency =
      cube == nullptr ? std::vector<std::string>{} : efficiency_sentences(*cube, data.quality);
  json.fields("verdict", verdict(data), "efficiency", efficiency, "waiting_ns", data.waiting(), "total_ns",
              data.total_time(), "mpi_ns", data.mpi_time(), "waiting_by_rank_ns", data.waiting_by_rank());
  json.fields("causes", list(data.losses.causes, [&](const LossCause& cause) { json.string(loss_text(data, cause)); }));
  json.key("glossary").begin_object();
  for (const analysis::MetricInfo& info : infos) {
    json.key(info.id).object("summary", info.summary, "formula", info.formula, "source", info.source, "diagnosis",
                             info.diagnosis, "advice", info.advice, "wait_state", info.wait_state);
  }
  json.end_object();
}

/// Call paths and the non-zero rows of every metric. Times are integer nanoseconds here: a script's numbers are exact
/// to 2^53 ns, 104 days.
std::string tables_json(const ReportData& data, const cube::Cube& cube,
                        const std::vector<analysis::MetricInfo>& infos) {
  JsonWriter json;
  json.begin_object();
  summary_fields(json, data, &cube, infos);
  json.fields("call_paths", list(cube.call_paths, [&](const cube::CallPath& path) {
                const auto parent = [&](JsonWriter& out) {
                  path.parent == cube::no_id ? out.null() : out.unsigned_integer(path.parent);
                };
                json.line("label", label(path), "kind", to_string(path.kind), "parent", parent, "file", path.file,
                          "line", path.line);
              }));

  json.key("cells").begin_object();
  for (cube::MetricId m = 0; m < cube.metrics.size(); ++m) {
    json.key(cube.metrics[m].id).begin_object();
    for (cube::CallPathId c = 0; c < cube.call_paths.size(); ++c) {
      const auto& row = cube.row(m, c);
      if (row.empty()) continue;
      json.fields(std::to_string(c), fold_threads(cube, row, data.run.ranks));
    }
    json.end_object();
  }
  json.end_object().end_object();
  return json.str();
}

/// Larger data are packed; a browser unpacks gzip by itself (DecompressionStream), also from file://.
constexpr std::size_t plain_at_most = 1 << 20;

std::string gzip(const std::string& text) {
  z_stream stream{};
  constexpr int gzip_window = 15 + 16;
  if (deflateInit2(&stream, 6, Z_DEFLATED, gzip_window, 8, Z_DEFAULT_STRATEGY) != Z_OK) return {};
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int status = deflate(&stream, Z_FINISH);
  out.resize(status == Z_STREAM_END ? stream.total_out : 0);
  deflateEnd(&stream);
  return out;
}

std::string base64(const std::string& bytes) {
  static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](std::size_t k) {
      return i + k < bytes.size() ? static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i + k])) : 0u;
    };
    const std::uint32_t three = byte(0) << 16 | byte(1) << 8 | byte(2);
    for (std::size_t k = 0; k < 4; ++k) out += i + k <= bytes.size() ? digits[three >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

/// JSON inside <script>: "</" and "<!--" must not appear.
std::string script_safe(const std::string& json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string summary_json(const ReportData& data, const cube::Cube* cube,
                         const std::vector<analysis::MetricInfo>& infos) {
  JsonWriter json;
  json.begin_object();
  summary_fields(json, data, cube, infos);
  json.end_object();
  return json.str();
}

std::string html_report(const ReportData& data, const cube::Cube& cube,
                        const std::vector<analysis::MetricInfo>& infos) {
  const std::string json =
      "{\"report\": " + findings_json(data) + ", \"tables\": " + tables_json(data, cube, infos) + "}";
  std::string element = ">" + script_safe(json);
  if (json.size() > plain_at_most && json.size() < UINT32_MAX) {
    if (const std::string packed = gzip(json); !packed.empty()) element = "data-encoding=\"gzip\">" + base64(packed);
  }
  return std::string(page_head) + element + std::string(page_tail);
}

}  // namespace mora::report
