#include "trace/readers/text/text_source.h"

#include "base/interruption.h"
#include "trace/readers/text/parser.h"

namespace mora::trace {
namespace text {

Parser::Parser(std::string file, std::uint32_t ranks) : file_(std::move(file)) {
  if (ranks > 0) builder_.note_rank(ranks - 1);
}

Result<void> Parser::wrong(const Word& at, const std::string& why) const { return syntax_error(file_, at, why); }

Result<Attributes> Parser::attributes(const Line& line, const Keys& allowed) {
  const AttributeContext context{
      file_, unit_,
      [](const void* who, std::string_view word) { return static_cast<const Builder*>(who)->is_window(word); },
      &builder_};
  return parse_attributes(line.statement, line.name + 1, allowed, context);
}

Result<void> Parser::one(const Statement& statement) {
  MORA_TRY(const bool defined, definition(statement));
  return defined ? Result<void>{} : event_line(statement);
}

Result<std::unique_ptr<MemorySource>> Parser::run(const std::vector<Statement>& all) {
  const bool header = !all.empty() && all[0].words[0].text == "mora-trace";
  if (!header || all[0].words.size() != 2 || all[0].words[1].text != "1") {
    const Word at = all.empty() ? Word{{}, 1, 1} : all[0].words[header && all[0].words.size() > 1 ? 1 : 0];
    return tl::unexpected(wrong(at, "expected the header 'mora-trace 1'").error());
  }
  for (std::size_t i = 1; i < all.size() && !is_interrupted(); ++i) {
    MORA_CHECK_OK(one(all[i]));
    has_read(static_cast<std::uint64_t>(all[i].end.text.data() - all[i - 1].end.text.data()));
  }
  return builder_.finish();
}

}  // namespace text

bool is_trace_text(std::string_view content) {
  for (;;) {
    const auto first = content.find_first_not_of(" \t\r\n;");
    if (first == std::string_view::npos) return false;
    content.remove_prefix(first);
    if (content.front() != '#') return content.starts_with("mora-trace");
    content.remove_prefix(std::min(content.find('\n'), content.size()));
  }
}

Result<std::unique_ptr<MemorySource>> read_trace_text(std::string_view content, const std::string& file) {
  will_read(3 * content.size());
  const auto all = text::statements(content);
  if (!all.empty())  // what the parser does not count: the header, and what stands behind the last statement
    has_read(2 * (content.size() - static_cast<std::size_t>(all.back().end.text.data() - all[0].end.text.data())));
  // Twice: what a collective moves depends on how many ranks there are, which the text need not say first.
  MORA_TRY(const auto counted, text::Parser(file, 0).run(all));
  return text::Parser(file, counted->defs.world_size).run(all);
}

}  // namespace mora::trace
