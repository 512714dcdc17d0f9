/// The report of intervals and their characteristics: as text in the form of the DVM analyser's sample report (DVM
/// analyser, 5.3.2), as JSON and as CSV. docs/formats/intervals.md says what each output holds. Pure functions of a
/// table that interval_table() made; safe from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/efficiency/interval_table.h"
#include "base/data_quality.h"
#include "base/error.h"
#include "base/numbers/rank_list.h"
#include "base/table/cell.h"
#include "base/table/text_page.h"
#include "report/intervals/exclusion.h"

namespace mora::report {

/// What the report shows. nullopt: no restriction (text: no process one by one).
struct IntervalReportOptions {
  std::optional<std::uint32_t> level;             ///< the deepest that is shown
  std::optional<std::size_t> interval;            ///< only this one and those in it
  std::optional<RankList> ranks;                  ///< whose rows are shown; nullopt: none in text, all in JSON and CSV
  std::vector<analysis::Characteristic> metrics;  ///< text and CSV: only these; empty: all
  std::vector<Exclusion> left_out;                ///< of the table (without_intervals), to be stated
  unsigned width = 100;
};

/// Indices of what the options select, in preorder.
std::vector<std::size_t> shown_intervals(const analysis::IntervalTable& table, const IntervalReportOptions& options);

/// A block per interval: first the lines of the sample report in its words and order, then what Mora adds.
std::string intervals_text(const analysis::IntervalTable& table, const IntervalReportOptions& options);
/// `options.metrics`, which are not empty: a row per interval, a column for each of them; of a single one with minimum,
/// maximum and mean, or with the processes of `options.ranks`.
std::string interval_table_text(const analysis::IntervalTable& table, const IntervalReportOptions& options);
/// Characteristics by name, separated by commas: "lost_time,efficiency". Errors (usage): an unknown one.
Result<std::vector<analysis::Characteristic>> parse_characteristics(const std::string& text);
/// {"intervals": [...]} with what was lost or repaired.
std::string intervals_json(const analysis::IntervalTable& table, const IntervalReportOptions& options,
                           const std::vector<QualityRow>& quality);
/// interval,file,line,id,level,name,rank,characteristic,value
std::string intervals_csv(const analysis::IntervalTable& table, const IntervalReportOptions& options);

/// For the page: the program's efficiency and where its time was lost, then the three intervals that lost most. Empty
/// for a cube without time. Where `quality` has losses, no time is called productive.
std::vector<std::string> efficiency_sentences(const cube::Cube& cube, const std::vector<QualityRow>& quality);

/// Section of the text report: productive and lost time of the program, and the intervals that lost most. Nothing
/// without intervals.
void efficiency_section(const cube::Cube& cube, const std::vector<QualityRow>& quality, TextPage& page);

/// What a characteristic of one process is, also those that ProcessAmounts has no amount for. The process's efficiency
/// is its productive time / (productive + lost): its share of the interval's.
Nanoseconds productive_of(const analysis::ProcessAmounts& process);
Nanoseconds lost_of(const analysis::ProcessAmounts& process);

/// 1 if neither is longer than 0.
double efficiency_of(const analysis::ProcessAmounts& process);
/// A characteristic for programs: the efficiency as a ratio, the number of processors, else exact seconds.
Cell characteristic_cell(analysis::Characteristic characteristic, const analysis::Amounts& amounts, double efficiency,
                         std::size_t processors);
/// One of its amounts for programs: a number where it counts something, else exact seconds.
Cell amount_cell(analysis::Characteristic characteristic, std::int64_t amount);
/// The amounts of an MPI function, by their keys.
inline constexpr std::pair<std::string_view, std::int64_t analysis::KindAmounts::*> kind_keys[] = {
    {"count", &analysis::KindAmounts::count},
    {"communication", &analysis::KindAmounts::communication},
    {"real_synchronization", &analysis::KindAmounts::real_synchronization},
    {"potential_synchronization", &analysis::KindAmounts::potential_synchronization},
    {"time_variation", &analysis::KindAmounts::time_variation},
    {"overlap", &analysis::KindAmounts::overlap}};
/// One of them for programs: a number of calls, or exact seconds.
Cell kind_cell(const analysis::KindAmounts& amounts, std::int64_t analysis::KindAmounts::*member);

/// "0.2 solve (solve.c:20, id 3)": how messages and --why name an interval.
std::string interval_words(const analysis::IntervalTable& table, std::size_t interval);

}  // namespace mora::report
