/// The global definitions of an OTF2 archive as they come: references are not followed yet, because a definition may
/// refer to a later one.
///
/// register_callbacks() lets libotf2 fill it; tests and the fuzz driver fill it directly. Of several definitions with
/// one reference the first is kept (EZTrace writes some twice; groups: all are kept, archive_definitions.h chooses).
#pragma once

#include <otf2/otf2.h>

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace mora::trace::otf2 {

/// Definitions of one kind in order of appearance, found by reference.
template <class Ref, class Record>
class RecordTable {
 public:
  /// False if the reference is taken.
  bool add(Ref ref, Record record) {
    if (!places_.emplace(ref, list_.size()).second) return false;
    list_.emplace_back(ref, std::move(record));
    return true;
  }
  const Record* find(Ref ref) const {
    const auto found = places_.find(ref);
    return found == places_.end() ? nullptr : &list_[found->second].second;
  }
  auto begin() const { return list_.begin(); }
  auto end() const { return list_.end(); }
  std::size_t size() const { return list_.size(); }

 private:
  std::vector<std::pair<Ref, Record>> list_;
  std::unordered_map<Ref, std::size_t> places_;
};

struct LocationRecord {
  OTF2_StringRef name = OTF2_UNDEFINED_STRING;
  OTF2_LocationType type = OTF2_LOCATION_TYPE_UNKNOWN;
  std::uint64_t events = 0;
  OTF2_LocationGroupRef group = OTF2_UNDEFINED_LOCATION_GROUP;
};
struct ProcessRecord {
  OTF2_LocationGroupType type = OTF2_LOCATION_GROUP_TYPE_UNKNOWN;
  OTF2_SystemTreeNodeRef node = OTF2_UNDEFINED_SYSTEM_TREE_NODE;
  OTF2_LocationGroupRef creator = OTF2_UNDEFINED_LOCATION_GROUP;
};
struct TreeNodeRecord {
  OTF2_StringRef name = OTF2_UNDEFINED_STRING, kind = OTF2_UNDEFINED_STRING;
  OTF2_SystemTreeNodeRef parent = OTF2_UNDEFINED_SYSTEM_TREE_NODE;
};
struct RegionRecord {
  OTF2_StringRef name = OTF2_UNDEFINED_STRING, canonical = OTF2_UNDEFINED_STRING, description = OTF2_UNDEFINED_STRING;
  OTF2_StringRef file = OTF2_UNDEFINED_STRING;
  std::uint32_t line = 0;
  OTF2_RegionRole role = OTF2_REGION_ROLE_UNKNOWN;
  OTF2_Paradigm paradigm = OTF2_PARADIGM_UNKNOWN;
  std::uint32_t last_line = 0;
};
struct GroupRecord {
  OTF2_GroupRef ref = OTF2_UNDEFINED_GROUP;
  OTF2_StringRef name = OTF2_UNDEFINED_STRING;
  OTF2_GroupType type = OTF2_GROUP_TYPE_UNKNOWN;
  OTF2_Paradigm paradigm = OTF2_PARADIGM_UNKNOWN;
  std::vector<std::uint64_t> members;
};
struct CommRecord {
  OTF2_StringRef name = OTF2_UNDEFINED_STRING;
  OTF2_GroupRef group = OTF2_UNDEFINED_GROUP, remote = OTF2_UNDEFINED_GROUP;
  OTF2_CommRef parent = OTF2_UNDEFINED_COMM;
};
struct GridDimensionRecord {
  OTF2_StringRef name = OTF2_UNDEFINED_STRING;
  std::uint32_t extent = 0;
  bool is_periodic = false;
};
/// A Cartesian topology.
struct GridRecord {
  OTF2_StringRef name = OTF2_UNDEFINED_STRING;
  OTF2_CommRef comm = OTF2_UNDEFINED_COMM;
  std::vector<OTF2_CartDimensionRef> dimensions;
};
struct GridPlaceRecord {
  OTF2_CartTopologyRef topology = OTF2_UNDEFINED_CART_TOPOLOGY;
  std::uint32_t rank = 0;  ///< in the communicator
  std::vector<std::uint32_t> coordinates;
};
struct WindowRecord {
  OTF2_StringRef name = OTF2_UNDEFINED_STRING;
  OTF2_CommRef comm = OTF2_UNDEFINED_COMM;
};
struct LocationPropertyRecord {
  OTF2_LocationRef location = OTF2_UNDEFINED_LOCATION;
  OTF2_StringRef name = OTF2_UNDEFINED_STRING, value = OTF2_UNDEFINED_STRING;
};
struct MetricMemberRecord {
  OTF2_StringRef name = OTF2_UNDEFINED_STRING, unit = OTF2_UNDEFINED_STRING;
  OTF2_MetricMode mode = OTF2_METRIC_ABSOLUTE_POINT;
};
struct ParameterRecord {
  OTF2_StringRef name = OTF2_UNDEFINED_STRING;
  OTF2_ParameterType type = OTF2_PARAMETER_TYPE_STRING;
};
struct IoHandleRecord {
  OTF2_StringRef name = OTF2_UNDEFINED_STRING;
  OTF2_IoFileRef file = OTF2_UNDEFINED_IO_FILE;
  OTF2_CommRef comm = OTF2_UNDEFINED_COMM;
};

struct ContextRecord {
  OTF2_RegionRef region = OTF2_UNDEFINED_REGION;  ///< the innermost
  OTF2_CallingContextRef parent = OTF2_UNDEFINED_CALLING_CONTEXT;
  OTF2_SourceCodeLocationRef place = OTF2_UNDEFINED_SOURCE_CODE_LOCATION;
};
struct PlaceRecord {
  OTF2_StringRef file = OTF2_UNDEFINED_STRING;
  std::uint32_t line = 0;
};

struct DefinitionRecords {
  RecordTable<OTF2_StringRef, std::string> strings;
  RecordTable<OTF2_LocationRef, LocationRecord> locations;
  RecordTable<OTF2_LocationGroupRef, ProcessRecord> processes;
  RecordTable<OTF2_SystemTreeNodeRef, TreeNodeRecord> nodes;
  RecordTable<OTF2_RegionRef, RegionRecord> regions;
  std::vector<GroupRecord> groups;
  RecordTable<OTF2_CommRef, CommRecord> comms;
  RecordTable<OTF2_CartDimensionRef, GridDimensionRecord> grid_dimensions;
  RecordTable<OTF2_CartTopologyRef, GridRecord> grids;
  std::vector<GridPlaceRecord> grid_places;
  RecordTable<OTF2_RmaWinRef, WindowRecord> windows;
  std::vector<LocationPropertyRecord> location_properties;    ///< whose values are strings
  RecordTable<OTF2_AttributeRef, OTF2_StringRef> attributes;  ///< names
  RecordTable<OTF2_MetricMemberRef, MetricMemberRecord> metric_members;
  RecordTable<OTF2_MetricRef, std::vector<OTF2_MetricMemberRef>> metric_classes;
  RecordTable<OTF2_MetricRef, OTF2_MetricRef> metric_instances;  ///< their classes
  RecordTable<OTF2_ParameterRef, ParameterRecord> parameters;
  RecordTable<OTF2_IoFileRef, OTF2_StringRef> files;  ///< names
  RecordTable<OTF2_IoHandleRef, IoHandleRecord> handles;
  RecordTable<OTF2_SourceCodeLocationRef, PlaceRecord> places;
  RecordTable<OTF2_CallingContextRef, ContextRecord> contexts;
  RecordTable<OTF2_CallingContextRef, OTF2_StringRef> context_properties;  ///< name of the first
  std::uint64_t resolution = 0, origin = 0, length = 0;
  bool has_clock = false;
  std::uint64_t duplicates = 0;  ///< definitions whose reference was taken, groups not counted

  static void register_callbacks(OTF2_GlobalDefReaderCallbacks* callbacks);  ///< user data: a DefinitionRecords
};

}  // namespace mora::trace::otf2
