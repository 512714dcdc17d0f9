/// Random programs of everything, changes that an analysis must follow in a known way, and results as text.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/analyze.h"
#include "trace/memory_source.h"

namespace mora::exhaustive {

/// How a program's clock ticks become nanoseconds.
enum class Ticks : std::uint8_t {
  few,       ///< as they are: ties everywhere
  together,  ///< one stretched clock for all, no two locations ever at the same time
  apart,     ///< a stretched clock each: contradicts every order
};

/// The same seed gives always the same program.
trace::MemorySource random_program(std::uint64_t seed, Ticks ticks, bool damage);

/// The traces of tests/golden/patterns, by name.
struct GoldenProgram {
  std::string name;
  trace::MemorySource source;
};
std::vector<GoldenProgram> golden_programs();
trace::MemorySource varied(trace::MemorySource source, std::uint64_t seed, Ticks ticks);

/// Every time t becomes factor * t + shift, each counted nanosecond factor.
void change_times(trace::MemorySource& source, Nanoseconds factor, Nanoseconds shift);

/// Rank r becomes rank to[r]; returns the new location of each old one.
std::vector<trace::LocationId> permute_ranks(trace::MemorySource& source, const std::vector<std::uint32_t>& to);

/// True if something concerns all ranks there are, whatever the communicators: MPI_Init, MPI_Finalize, OpenSHMEM.
bool is_of_the_world(const trace::MemorySource& source);

/// One more rank that computes for half the time of the others and is in no communicator.
void add_idle_rank(trace::MemorySource& source);

/// (metric, call path, location) -> amount; zeros are absent. Call paths are named from the root, so that their numbers
/// do not count.
using NamedCells = std::map<std::tuple<std::string, std::string, std::uint32_t>, std::int64_t>;
NamedCells named_cells(const cube::Cube& cube);
std::string text_of(const NamedCells& cells);

/// "" if equal, else the first few differences.
std::string difference(const NamedCells& one, const NamedCells& other);

/// All that an analysis leaves, times of single waits less `shift`: equal results, equal text.
std::string everything(const analysis::AnalysisResult& result, Nanoseconds shift = 0);

/// Kind -> count, over all places.
std::map<std::string, std::uint64_t> damage_counts(const analysis::AnalysisResult& result);

/// "" or what does not add up.
std::string broken_account(const analysis::AnalysisResult& result, const trace::MemorySource& source);

/// Delay costs, splits of waiting, the critical path, and what is made of it: by causes/.
bool is_of_causes(const std::string& metric);
/// Means over locations: an idle rank changes them for all.
bool is_of_means(const std::string& metric);

}  // namespace mora::exhaustive
