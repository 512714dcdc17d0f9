/// Advice as text and Markdown: the verdict, caveats, the steps from each loss to its causes, then the conclusions with
/// their evidence.
#include <set>

#include <fmt/format.h>

#include "base/table/markdown_page.h"
#include "base/text/rank_words.h"
#include "report/advice/gain.h"
#include "report/advice/rule.h"

namespace mora::report::advice {
namespace {

std::string lost_text(const Advice& advice) {
  std::string text = fmt::format("Lost {} of {} ({} x {}):", percent_for_people(advice.lost, advice.total),
                                 time_for_people(advice.total), counted(advice.processes, "process"),
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
  page.line();
  const std::string title = fmt::format("{} [{}]", c.what, c.rule);
  page.line(page.styled("1", hanging(fmt::format("{:>2}. ", index + 1), title, page.width())));
  page.item("    where  ", where_text(advice, c) + (c.ranks.empty() ? "" : "; " + ranks_in_words(c.ranks)));
  std::set<std::string> shown;
  for (const Place& place : c.places) {
    const std::string text = place.label + (place.rank ? fmt::format(", rank {}", *place.rank) : "");
    if (shown.insert(text).second) page.item(shown.size() == 1 ? "    at     " : "           ", text);
  }
  for (std::size_t i = 0; i < c.evidence.size(); ++i) {
    page.item(i == 0 ? "    facts  - " : "           - ", c.evidence[i].text);
  }
  page.item("    try    ", c.advice);
  page.item("    gain   ", gain_text(advice, c));
  const std::string explains = c.loss == Loss::figures ? ""
                                                       : fmt::format("explains {} of the loss; ",
                                                                     percent_for_people(c.explained, c.loss_amount));
  // A measure above 1 is no share of anything: by how much it is above says nothing.
  const std::string needed = c.threshold <= 1 && c.measure > 1
                                 ? fmt::format("far above the threshold of {:.4g}", c.threshold)
                                 : fmt::format("measured {:.4g}, threshold {:.4g}", c.measure, c.threshold);
  page.item("    conf.  ",
            fmt::format("{} ({:.2f}): {}{}", confidence_word(c.confidence), c.confidence, explains, needed));
}

}  // namespace

std::string advice_text(const Advice& advice, const TextOptions& options) {
  TextPage page(options);
  page.banner("ADVICE " + advice.program);
  page.paragraph(advice.verdict);
  for (const std::string& caveat : advice.caveats) page.paragraph("Note: " + caveat, 6);
  if (advice.processes == 0) return page.take();

  page.banner("STEPS (from each loss to its cause)");
  page.paragraph(lost_text(advice), 2);
  for (const Walk& walk : advice.walks) {
    bool is_first = true;
    std::size_t causes = 0;
    for (const Step& step : walk.steps) {
      if (step.kind == "cause" && ++causes > 1) {
        page.item("     or  ", step.text);
        continue;
      }
      page.item(is_first ? "  -> " : "     -> ", step.text);
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
  MarkdownPage page;
  page.heading(2, "Advice: " + advice.program);
  page.paragraph(advice.verdict);
  if (advice.processes == 0) return page.take();
  page.paragraph(lost_text(advice));
  for (const std::string& caveat : advice.caveats) page.paragraph("> " + caveat);
  const std::size_t shown =
      top == 0 ? advice.conclusions.size() : std::min<std::size_t>(top, advice.conclusions.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const Conclusion& c = advice.conclusions[i];
    page.heading(3, fmt::format("{}. {}", i + 1, c.what));
    page.paragraph(fmt::format("`{}`, {}; confidence {} ({:.2f}); {}", c.rule, where_text(advice, c),
                               confidence_word(c.confidence), c.confidence,
                               c.gain == 0 ? gain_text(advice, c) : "gain " + gain_text(advice, c)));
    std::string facts;
    for (const Fact& fact : c.evidence) facts += (facts.empty() ? "- " : "\n- ") + fact.text;
    if (!facts.empty()) page.paragraph(facts);
    page.paragraph("**Try:** " + c.advice);
  }
  if (shown < advice.conclusions.size())
    page.paragraph(fmt::format("{} of {} conclusions shown.", shown, advice.conclusions.size()));
  return page.take();
}

std::string rules_text(const Thresholds& thresholds, unsigned width) {
  TextPage page({width, 0});
  page.banner("RULES");
  for (const Rule* rule : all_rules()) {
    page.line(fmt::format("{}: {}", rule->id, rule->title));
    page.item("    if   ", std::string(rule->condition));
    page.item("    try  ", std::string(rule->advice));
    page.item("    from ", std::string(rule->source));
  }
  page.banner("THRESHOLDS (--threshold NAME=VALUE)");
  for (const ThresholdInfo& info : threshold_infos()) {
    const std::string was = thresholds[info.id] == info.fallback ? "" : fmt::format(" (default {:.4g})", info.fallback);
    page.item(fmt::format("{:<16} {:>6.4g}  ", info.name, thresholds[info.id]), std::string(info.meaning) + was);
  }
  return page.take();
}

}  // namespace mora::report::advice
