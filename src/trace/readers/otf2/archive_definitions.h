/// The global definitions of an OTF2 archive, translated into trace::Definitions, and the tables that translate
/// the references in its events.
#pragma once

#include <otf2/otf2.h>

#include <string>
#include <unordered_map>
#include <vector>

#include "base/data_quality.h"
#include "base/error.h"
#include "trace/definitions.h"

namespace mora::trace::otf2 {

/// References of one kind to indices. Archives of others may use any numbers; most are small and dense.
class RefTable {
 public:
  void set(std::uint64_t ref, std::uint32_t index);
  std::uint32_t operator[](std::uint64_t ref) const {
    if (ref < dense_.size()) return dense_[ref];
    if (sparse_.empty()) return no_id;
    const auto found = sparse_.find(ref);
    return found == sparse_.end() ? no_id : found->second;
  }

 private:
  std::vector<std::uint32_t> dense_;
  std::unordered_map<std::uint64_t, std::uint32_t> sparse_;
};

struct ArchiveDefinitions {
  Definitions trace;
  RefTable regions, communicators, windows, groups;
  RegionId unknown_region = no_id;          ///< stands for undefined references
  std::vector<std::uint64_t> event_counts;  ///< per location, as declared
  std::unordered_map<OTF2_StringRef, std::string> strings;
  OTF2_AttributeRef rma_end = OTF2_UNDEFINED_ATTRIBUTE;
  OTF2_AttributeRef assertion = OTF2_UNDEFINED_ATTRIBUTE;
  OTF2_AttributeRef received = OTF2_UNDEFINED_ATTRIBUTE;
  OTF2_AttributeRef vector = OTF2_UNDEFINED_ATTRIBUTE;
  std::uint64_t resolution = 1000000000;
  std::uint64_t origin = 0;  ///< stamp that becomes time 0
  std::uint64_t length = 0;  ///< ticks
  bool has_clock = false;
  DataQuality quality;
};

/// Reads the definitions of an opened archive. Errors: unreadable.
Result<ArchiveDefinitions> read_definitions(OTF2_Reader* reader, const std::string& path);

}  // namespace mora::trace::otf2
