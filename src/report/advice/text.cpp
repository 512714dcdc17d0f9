/// Advice as text and Markdown: the verdict, caveats, the steps from each loss to its causes, then the conclusions with
/// their evidence.
#include <set>

#include <fmt/format.h>

#include "report/advice/gain.h"
#include "report/advice/rule.h"
#include "report/figures.h"
#include "report/text_page.h"

namespace mora::report::advice {
namespace {

/// `text` behind `head`, whose blanks stay; further lines begin under its end.
std::string item(const std::string& head, const std::string& text, std::size_t width) {
  const std::size_t indent = display_width(head);
  const std::string body = wrapped(text, width - indent, 0);
  std::string out = head;
  for (const char c : body) {
    out += c;
    if (c == '\n') out += std::string(indent, ' ');
  }
  return out;
}

std::string lost_text(const Advice& advice) {
  std::string text = fmt::format("Lost {} of {} ({} process{} x {}):", percent_for_people(advice.lost, advice.total),
                                 time_for_people(advice.total), advice.processes, advice.processes == 1 ? "" : "es",
                                 time_for_people(advice.execution));
  bool is_first = true;
  for (const auto& [loss, amount] : advice.split) {
    text += fmt::format("{} {} {}", is_first ? "" : ",", name_of(loss), percent_for_people(amount, advice.total));
    is_first = false;
  }
  return is_first ? text + " nothing" : text;
}

std::string where_text(const Advice& advice, const Conclusion& c) {
  const analysis::Interval& interval = advice.table->intervals[c.interval];
  std::string text = fmt::format("interval {} (level {}", advice.table->number(c.interval), interval.level);
  if (!interval.file.empty())
    text += ", " + interval.file + (interval.line == 0 ? "" : fmt::format(":{}", interval.line));
  if (interval.id != 0) text += fmt::format(", id {}", interval.id);
  text += ") " + interval.name;
  return text;
}

std::string gain_text(const Advice& advice, const Conclusion& c) {
  if (c.gain == 0) return c.gain_reason;
  return fmt::format("at most {}, {} of the run time: {}", bound_for_people(c.gain),
                     bound_percent_for_people(c.gain, advice.execution), c.gain_reason);
}

void add_conclusion(const Advice& advice, std::size_t index, TextPage& page) {
  const Conclusion& c = advice.conclusions[index];
  const unsigned width = page.width();
  page.line("");
  page.line(page.styled("1", item(fmt::format("{:>2}. ", index + 1), fmt::format("{} [{}]", c.what, c.rule), width)));
  page.line(item("    where  ", where_text(advice, c) + (c.ranks.empty() ? "" : "; " + ranks_text(c.ranks)), width));
  std::set<std::string> shown;
  for (const Place& place : c.places) {
    const std::string text = place.label + (place.rank ? fmt::format(", rank {}", *place.rank) : "");
    if (shown.insert(text).second) page.line(item(shown.size() == 1 ? "    at     " : "           ", text, width));
  }
  for (std::size_t i = 0; i < c.evidence.size(); ++i) {
    page.line(item(i == 0 ? "    facts  - " : "           - ", c.evidence[i].text, width));
  }
  page.line(item("    try    ", c.advice, width));
  page.line(item("    gain   ", gain_text(advice, c), width));
  const std::string explains = c.loss == Loss::figures ? ""
                                                       : fmt::format("explains {} of the loss; ",
                                                                     percent_for_people(c.explained, c.loss_amount));
  // A measure above 1 is no share of anything: by how much it is above says nothing.
  const std::string needed = c.threshold <= 1 && c.measure > 1
                                 ? fmt::format("far above the threshold of {:.4g}", c.threshold)
                                 : fmt::format("measured {:.4g}, threshold {:.4g}", c.measure, c.threshold);
  page.line(item("    conf.  ",
                 fmt::format("{} ({:.2f}): {}{}", confidence_word(c.confidence), c.confidence, explains, needed),
                 width));
}

}  // namespace

std::string advice_text(const Advice& advice, const TextOptions& options) {
  TextPage page(options.width, options.top, options.colour);
  page.banner("ADVICE " + advice.program);
  page.line(wrapped(advice.verdict, page.width(), 0));
  for (const std::string& caveat : advice.caveats) page.line(wrapped("Note: " + caveat, page.width(), 6));
  if (advice.processes == 0) return page.take();

  page.banner("STEPS (from each loss to its cause)");
  page.line(wrapped(lost_text(advice), page.width(), 2));
  for (const Walk& walk : advice.walks) {
    bool is_first = true;
    std::size_t causes = 0;
    for (const Step& step : walk.steps) {
      if (step.kind == "cause" && ++causes > 1) {
        page.line(item("     or  ", step.text, page.width()));
        continue;
      }
      page.line(item(is_first ? "  -> " : "     -> ", step.text, page.width()));
      is_first = false;
    }
  }
  if (advice.conclusions.empty()) return page.take();

  page.banner("CONCLUSIONS (largest loss first; of each loss the most probable cause first)");
  for (std::size_t i = 0; i < page.shown(advice.conclusions.size()); ++i) add_conclusion(advice, i, page);
  page.truncation(advice.conclusions.size(), "conclusions");
  return page.take();
}

std::string advice_markdown(const Advice& advice, unsigned top) {
  std::string out = "## Advice: " + advice.program + "\n\n" + advice.verdict + "\n\n";
  if (advice.processes == 0) return out;
  out += lost_text(advice) + "\n";
  for (const std::string& caveat : advice.caveats) out += "\n> " + caveat + "\n";
  const std::size_t shown =
      top == 0 ? advice.conclusions.size() : std::min<std::size_t>(top, advice.conclusions.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const Conclusion& c = advice.conclusions[i];
    out += fmt::format("\n### {}. {}\n\n`{}`, {}; confidence {} ({:.2f}); {}\n\n", i + 1, c.what, c.rule,
                       where_text(advice, c), confidence_word(c.confidence), c.confidence,
                       c.gain == 0 ? gain_text(advice, c) : "gain " + gain_text(advice, c));
    for (const Fact& fact : c.evidence) out += "- " + fact.text + "\n";
    out += "\n**Try:** " + c.advice + "\n";
  }
  if (shown < advice.conclusions.size())
    out += fmt::format("\n{} of {} conclusions shown.\n", shown, advice.conclusions.size());
  return out;
}

std::string rules_text(const Thresholds& thresholds, unsigned width) {
  TextPage page(width, 0, false);
  page.banner("RULES");
  for (const Rule* rule : all_rules()) {
    page.line(fmt::format("{}: {}", rule->id, rule->title));
    page.line(item("    if   ", std::string(rule->condition), page.width()));
    page.line(item("    try  ", std::string(rule->advice), page.width()));
    page.line(item("    from ", std::string(rule->source), page.width()));
  }
  page.banner("THRESHOLDS (--threshold NAME=VALUE)");
  for (const ThresholdInfo& info : threshold_infos()) {
    const std::string was = thresholds[info.id] == info.fallback ? "" : fmt::format(" (default {:.4g})", info.fallback);
    page.line(item(fmt::format("{:<16} {:>6.4g}  ", info.name, thresholds[info.id]), std::string(info.meaning) + was,
                   page.width()));
  }
  return page.take();
}

}  // namespace mora::report::advice
