/// One pass over the tags, with the names of the open elements. Cost: linear in the text; memory: the rest, and 16
/// bytes for each run. Comments, CDATA sections and processing instructions are stepped over.
#include "cube/xml/cut_xml.h"

#include <algorithm>
#include <string>

namespace mora::cube {
namespace {

constexpr std::size_t none = std::string_view::npos;

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool is_utf8(std::string_view xml) {
  if (!xml.starts_with('<') || xml.find('\0') != none) return false;
  if (!xml.starts_with("<?xml")) return true;
  const std::string_view declaration = xml.substr(0, xml.find("?>"));
  const std::size_t encoding = declaration.find("encoding");
  return encoding == none || declaration.find("UTF-8", encoding) != none || declaration.find("utf-8", encoding) != none;
}

class Cutter {
 public:
  Cutter(std::string_view xml, std::string_view within, std::span<const std::string_view> names, std::size_t run_bytes)
      : xml_(xml), within_(within), names_(names), run_bytes_(run_bytes) {}

  std::optional<CutXml> cut() {
    for (std::size_t at = xml_.find('<'); at != none; at = xml_.find('<', at)) {
      at = step(at);
      if (at == none) return std::nullopt;
    }
    if (!open_.empty()) return std::nullopt;
    end_run();
    out_.rest.append(xml_.substr(kept_));
    return std::move(out_);
  }

 private:
  /// Past the markup that begins here; none: this text is not cut.
  std::size_t step(std::size_t at) {
    const std::string_view here = xml_.substr(at);
    if (here.starts_with("<!--")) return past("-->", at + 4);
    if (here.starts_with("<![CDATA[")) return past("]]>", at + 9);
    if (here.starts_with("<?")) return past("?>", at + 2);
    if (here.starts_with("<!")) return none;
    return here.starts_with("</") ? end_tag(at) : start_tag(at);
  }

  std::size_t past(std::string_view mark, std::size_t from) const {
    const std::size_t found = xml_.find(mark, from);
    return found == none ? none : found + mark.size();
  }

  std::size_t start_tag(std::size_t at) {
    std::size_t end = at + 1;
    while (end < xml_.size() && !is_space(xml_[end]) && xml_[end] != '/' && xml_[end] != '>') ++end;
    const std::string_view name = xml_.substr(at + 1, end - at - 1);
    if (name.empty() || name == CutXml::mark) return none;
    while (end < xml_.size() && xml_[end] != '>') {
      if (xml_[end] == '"' || xml_[end] == '\'') end = xml_.find(xml_[end], end + 1);
      if (end == none) return none;
      ++end;
    }
    if (end >= xml_.size()) return none;
    if (cut_from_ == none) begin_element(at, name);
    open_.push_back(name);
    if (xml_[end - 1] == '/') end_element(end + 1);
    return end + 1;
  }

  std::size_t end_tag(std::size_t at) {
    const std::size_t end = xml_.find('>', at);
    if (end == none || open_.empty()) return none;
    std::string_view name = xml_.substr(at + 2, end - at - 2);
    while (!name.empty() && is_space(name.back())) name.remove_suffix(1);
    if (name != open_.back()) return none;
    if (cut_from_ == none) end_run();
    end_element(end + 1);
    return end + 1;
  }

  /// Outside of what is cut.
  void begin_element(std::size_t at, std::string_view name) {
    const bool is_cut =
        open_.size() > 1 && open_[1] == within_ && std::find(names_.begin(), names_.end(), name) != names_.end();
    if (!is_cut || (run_begin_ != none && run_end_ - run_begin_ >= run_bytes_)) end_run();
    if (!is_cut) return;
    cut_from_ = open_.size();
    if (run_begin_ == none) run_begin_ = at;
  }

  void end_element(std::size_t end) {
    open_.pop_back();
    if (open_.size() != cut_from_) return;
    cut_from_ = none;
    run_end_ = end;
  }

  void end_run() {
    if (run_begin_ == none) return;
    out_.rest.append(xml_.substr(kept_, run_begin_ - kept_)).append("<").append(CutXml::mark).append(" ");
    out_.rest.append(CutXml::number).append("=\"").append(std::to_string(out_.runs.size())).append("\"/>");
    out_.runs.push_back(xml_.substr(run_begin_, run_end_ - run_begin_));
    kept_ = run_end_;
    run_begin_ = none;
  }

  const std::string_view xml_, within_;
  const std::span<const std::string_view> names_;
  const std::size_t run_bytes_;
  CutXml out_;
  std::vector<std::string_view> open_;
  std::size_t kept_ = 0;         ///< before it, all is in `out_`
  std::size_t cut_from_ = none;  ///< how many elements are open around the one that is being cut
  std::size_t run_begin_ = none, run_end_ = 0;
};

}  // namespace

std::optional<CutXml> cut_out(std::string_view xml, std::string_view within, std::span<const std::string_view> names,
                              std::size_t run_bytes) {
  return is_utf8(xml) ? Cutter(xml, within, names, run_bytes).cut() : std::nullopt;
}

}  // namespace mora::cube
