/// Partners: from whom a member really receives bytes, in the collectives whose pattern only their arguments tell
/// (MPI_Alltoallv, Alltoallw, neighbourhood collectives; Mora's rule true-partners).
#pragma once

#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "analysis/storage/buffer.h"
#include "cube/cube.h"
#include "trace/source.h"

namespace mora::analysis {

/// Members that `rank` receives more than 0 bytes from, as indices into the communicator's members (local group, then
/// remote group), itself left out; nullopt = the trace does not tell. Members that the communicator does not have are
/// left out.
std::optional<std::vector<std::uint32_t>> partners_of(const std::vector<std::uint64_t>& counts,
                                                      trace::Collective operation,
                                                      const trace::Communicator& communicator, std::uint32_t rank);

/// The different lists of a block of halves, each once: programs repeat their patterns. One thread.
class PartnerTable {
 public:
  /// Place of the list of the vector `index` at `location`; no_id (0xFFFFFFFF) if the trace does not tell.
  std::uint32_t place_of(const trace::Source& source, cube::LocationId location, std::uint32_t index,
                         trace::Collective operation, const trace::Communicator& communicator, std::uint32_t rank);
  void write(BufferWriter& out) const;
  std::size_t bytes() const;
  static std::vector<std::vector<std::uint32_t>> read(BufferReader& in);

 private:
  std::map<std::tuple<cube::LocationId, std::uint32_t, trace::Collective>, std::uint32_t> places_;
  std::vector<std::vector<std::uint32_t>> lists_;
};

}  // namespace mora::analysis
