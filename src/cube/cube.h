/// The result store: metric x call path x location, exact integers.
///
/// A cell holds the value that is *exclusive along the call tree* (the call path's own) and *inclusive along
/// the metric tree* (late-sender's nanoseconds are also in mpi-point-to-point and in time), as CUBE4 files do.
/// Sums are int64 additions: no order, thread count or partition changes a digit.
/// Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/numbers/cartesian_grid.h"
#include "base/storage/shared_list.h"
#include "base/text/source_place.h"
#include "base/time.h"

namespace mora::cube {

using MetricId = std::uint32_t;
using CallPathId = std::uint32_t;
using LocationId = std::uint32_t;
inline constexpr std::uint32_t no_id = 0xFFFFFFFF;

enum class Unit : std::uint8_t { seconds, occurrences, bytes };  ///< seconds: cells are integer nanoseconds

/// "s", "occ", "bytes": keys in JSON and docs.
const char* unit_key(Unit unit);
/// "seconds", "occurrences", "bytes".
const char* unit_word(Unit unit);

/// How the values of several call paths, locations or calls make one. Of `least` and `most` (MINDOUBLE and MAXDOUBLE of
/// other tools' files) 0 is no value: such metrics are no part of their parent, and nothing adds them up.
enum class Fold : std::uint8_t { sum, least, most };

/// "sum", "least", "most".
const char* to_string(Fold fold);
/// Two values as one.
std::int64_t folded(Fold fold, std::int64_t a, std::int64_t b);
std::int64_t folded(Fold fold, const std::vector<std::int64_t>& values);

struct Metric {
  std::string id;           ///< "late-sender": key in JSON, CLI and docs/formats/metrics.md
  std::string name;         ///< "Late Sender"
  std::string unique_name;  ///< unique name in the .cubex file: Scalasca's where it means the same
  MetricId parent = no_id;
  Unit unit = Unit::seconds;
  std::string description;
  Fold fold = Fold::sum;
};

/// `interval`: a marked part of the program (trace/intervals/); it is a node of the call tree like a user region.
/// `sampled`: a function that samples found in the call path above it, which has the time of all of them; its own cells
/// are parts of that one's, in metrics of their own.
enum class CallPathKind : std::uint8_t { program, user, mpi, compute, interval, sampled };

/// "program", "user", "mpi", "compute", "interval", "sampled".
const char* to_string(CallPathKind kind);

/// CallPath::replication of a sequential section: all processes that execute it compute the same.
inline constexpr std::uint32_t all_processes = 0xFFFFFFFF;

/// A node of the call tree: (parent, region, call site). Kind `compute` is the stretch of computation of
/// its parent between two calls: name "compute MPI_Send@a.c:12 -> MPI_Recv@a.c:20".
struct CallPath {
  CallPathId parent = no_id;
  std::string name;
  CallPathKind kind = CallPathKind::user;
  std::string file;        ///< call site (mpi), definition (user, sampled), call site of the *preceding* call (compute)
  std::uint32_t line = 0;  ///< 0 = unknown
  std::uint32_t id = 0;    ///< interval: the number that the program gave it (of an iteration)
  /// interval: so many processes do the same computation; 1 = it is distributed, all_processes = a sequential section.
  std::uint32_t replication = 1;
  std::uint32_t last_line = 0;  ///< of the definition (user, sampled); 0 = unknown
  SourcePlace called_at = {};   ///< sampled: where the function around it calls it; no file = unknown
};

struct Location {
  std::string name;
  std::uint32_t rank = 0;
  std::uint32_t thread = 0;  ///< within the rank, 0 its first
  std::string node;          ///< the machine's name; empty: not known
};

class Cube {
 public:
  SharedList<Metric> metrics;        ///< parents before children
  std::vector<CallPath> call_paths;  ///< parents before children
  std::vector<Location> locations;
  std::vector<CartesianGrid> grids;               ///< CUBE's topologies
  std::map<std::string, std::string> attributes;  ///< free text: creator, program, source archive …

  /// In the unit of the metric, to this cell alone; of minima and maxima the cell keeps the least or the greatest.
  void add(MetricId metric, CallPathId call_path, LocationId location, std::int64_t amount);
  /// The cell alone; 0 where nothing was added.
  std::int64_t get(MetricId metric, CallPathId call_path, LocationId location) const;
  /// Row of a metric and call path over all locations; empty if all zero.
  const std::vector<std::int64_t>& row(MetricId metric, CallPathId call_path) const;
  /// The rows of a metric that are not empty.
  const std::map<CallPathId, std::vector<std::int64_t>>& rows(MetricId metric) const;

  // Sums; of a metric whose Fold is another, the least or the largest value.
  /// Over all call paths and locations (metric-inclusive).
  std::int64_t total(MetricId metric) const;
  /// total minus the totals of the metric's children that are sums, as it is.
  std::int64_t exclusive_total(MetricId metric) const;
  /// Over all call paths of each location; threads are not folded.
  std::vector<std::int64_t> by_location(MetricId metric) const;
  /// Over locations for the call path alone.
  std::int64_t call_path_total(MetricId metric, CallPathId call_path) const;

  MetricId find_metric(const std::string& id) const;  ///< no_id if absent
  /// Ascending; O(metrics).
  std::vector<MetricId> children_of(MetricId metric) const;

 private:
  // rows_[metric] : call path -> dense row over locations, allocated on first use
  std::vector<std::map<CallPathId, std::vector<std::int64_t>>> rows_;
};

}  // namespace mora::cube
