#include "trace/readers/otf2/definitions/definition_records.h"

namespace mora::trace::otf2 {
namespace {

/// One callback: the record is noted; a taken reference is counted.
#define MORA_DEFINITION(statement, ...)                            \
  [](void* user __VA_OPT__(, ) __VA_ARGS__) -> OTF2_CallbackCode { \
    DefinitionRecords& r = *static_cast<DefinitionRecords*>(user); \
    if (!(statement)) ++r.duplicates;                              \
    return OTF2_CALLBACK_SUCCESS;                                  \
  }

bool set_clock(DefinitionRecords& r, std::uint64_t resolution, std::uint64_t offset, std::uint64_t length) {
  if (r.has_clock) return false;
  r.resolution = resolution;
  r.origin = offset;
  r.length = length;
  r.has_clock = resolution > 0;
  return true;
}

bool add_property(DefinitionRecords& r, OTF2_LocationRef location, OTF2_StringRef name, OTF2_Type type,
                  OTF2_AttributeValue value) {
  if (type == OTF2_TYPE_STRING) r.location_properties.push_back({location, name, value.stringRef});
  return true;
}

bool add_place(DefinitionRecords& r, OTF2_CartTopologyRef topology, std::uint32_t rank, std::uint8_t n,
               const std::uint32_t* at) {
  r.grid_places.push_back({topology, rank, {at, at + n}});
  return true;
}

bool add_group(DefinitionRecords& r, OTF2_GroupRef self, OTF2_StringRef name, OTF2_GroupType type,
               OTF2_Paradigm paradigm, std::uint32_t n, const std::uint64_t* members) {
  GroupRecord group{self, name, type, paradigm, {}};
  if (members != nullptr) group.members.assign(members, members + n);
  r.groups.push_back(std::move(group));
  return true;
}

}  // namespace

void DefinitionRecords::register_callbacks(OTF2_GlobalDefReaderCallbacks* c) {
  using Str = OTF2_StringRef;
  OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(
      c, MORA_DEFINITION(set_clock(r, resolution, offset, length), std::uint64_t resolution, std::uint64_t offset,
                         std::uint64_t length, std::uint64_t));
  OTF2_GlobalDefReaderCallbacks_SetStringCallback(
      c, MORA_DEFINITION(r.strings.add(self, text != nullptr ? text : ""), Str self, const char* text));
  OTF2_GlobalDefReaderCallbacks_SetAttributeCallback(
      c, MORA_DEFINITION(r.attributes.add(self, name), OTF2_AttributeRef self, Str name, Str, OTF2_Type));
  OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(
      c, MORA_DEFINITION(r.nodes.add(self, {name, kind, parent}), OTF2_SystemTreeNodeRef self, Str name, Str kind,
                         OTF2_SystemTreeNodeRef parent));
  OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(
      c, MORA_DEFINITION(r.processes.add(self, {type, parent, creator}), OTF2_LocationGroupRef self, Str,
                         OTF2_LocationGroupType type, OTF2_SystemTreeNodeRef parent, OTF2_LocationGroupRef creator));
  OTF2_GlobalDefReaderCallbacks_SetLocationCallback(
      c, MORA_DEFINITION(r.locations.add(self, {name, type, events, group}), OTF2_LocationRef self, Str name,
                         OTF2_LocationType type, std::uint64_t events, OTF2_LocationGroupRef group));
  OTF2_GlobalDefReaderCallbacks_SetRegionCallback(
      c, MORA_DEFINITION(r.regions.add(self, {name, canonical, description, file, begin, role, paradigm, end}),
                         OTF2_RegionRef self, Str name, Str canonical, Str description, OTF2_RegionRole role,
                         OTF2_Paradigm paradigm, OTF2_RegionFlag, Str file, std::uint32_t begin, std::uint32_t end));
  OTF2_GlobalDefReaderCallbacks_SetGroupCallback(
      c, MORA_DEFINITION(add_group(r, self, name, type, paradigm, n, members), OTF2_GroupRef self, Str name,
                         OTF2_GroupType type, OTF2_Paradigm paradigm, OTF2_GroupFlag, std::uint32_t n,
                         const std::uint64_t* members));
  OTF2_GlobalDefReaderCallbacks_SetCommCallback(
      c, MORA_DEFINITION(r.comms.add(self, {name, group, OTF2_UNDEFINED_GROUP, parent}), OTF2_CommRef self, Str name,
                         OTF2_GroupRef group, OTF2_CommRef parent, OTF2_CommFlag));
  OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(
      c, MORA_DEFINITION(r.comms.add(self, {name, a, b, parent}), OTF2_CommRef self, Str name, OTF2_GroupRef a,
                         OTF2_GroupRef b, OTF2_CommRef parent, OTF2_CommFlag));
  OTF2_GlobalDefReaderCallbacks_SetCartDimensionCallback(
      c, MORA_DEFINITION(r.grid_dimensions.add(self, {name, size, periodic == OTF2_CART_PERIODIC_TRUE}),
                         OTF2_CartDimensionRef self, Str name, std::uint32_t size, OTF2_CartPeriodicity periodic));
  OTF2_GlobalDefReaderCallbacks_SetCartTopologyCallback(
      c, MORA_DEFINITION(r.grids.add(self, {name, comm, {all, all + n}}), OTF2_CartTopologyRef self, Str name,
                         OTF2_CommRef comm, std::uint8_t n, const OTF2_CartDimensionRef* all));
  OTF2_GlobalDefReaderCallbacks_SetCartCoordinateCallback(
      c, MORA_DEFINITION(add_place(r, topology, rank, n, at), OTF2_CartTopologyRef topology, std::uint32_t rank,
                         std::uint8_t n, const std::uint32_t* at));
  OTF2_GlobalDefReaderCallbacks_SetRmaWinCallback(
      c, MORA_DEFINITION(r.windows.add(self, {name, comm}), OTF2_RmaWinRef self, Str name, OTF2_CommRef comm,
                         OTF2_RmaWinFlag));
  OTF2_GlobalDefReaderCallbacks_SetLocationPropertyCallback(
      c, MORA_DEFINITION(add_property(r, location, name, type, value), OTF2_LocationRef location, Str name,
                         OTF2_Type type, OTF2_AttributeValue value));
  OTF2_GlobalDefReaderCallbacks_SetMetricMemberCallback(
      c, MORA_DEFINITION(r.metric_members.add(self, {name, unit, mode}), OTF2_MetricMemberRef self, Str name, Str,
                         OTF2_MetricType, OTF2_MetricMode mode, OTF2_Type, OTF2_Base, std::int64_t, Str unit));
  OTF2_GlobalDefReaderCallbacks_SetMetricClassCallback(
      c, MORA_DEFINITION(r.metric_classes.add(self, std::vector<OTF2_MetricMemberRef>(members, members + n)),
                         OTF2_MetricRef self, std::uint8_t n, const OTF2_MetricMemberRef* members,
                         OTF2_MetricOccurrence, OTF2_RecorderKind));
  OTF2_GlobalDefReaderCallbacks_SetMetricInstanceCallback(
      c, MORA_DEFINITION(r.metric_instances.add(self, of), OTF2_MetricRef self, OTF2_MetricRef of, OTF2_LocationRef,
                         OTF2_MetricScope, std::uint64_t));
  OTF2_GlobalDefReaderCallbacks_SetParameterCallback(
      c,
      MORA_DEFINITION(r.parameters.add(self, {name, type}), OTF2_ParameterRef self, Str name, OTF2_ParameterType type));
  OTF2_GlobalDefReaderCallbacks_SetIoRegularFileCallback(
      c, MORA_DEFINITION(r.files.add(self, name), OTF2_IoFileRef self, Str name, OTF2_SystemTreeNodeRef));
  OTF2_GlobalDefReaderCallbacks_SetIoDirectoryCallback(
      c, MORA_DEFINITION(r.files.add(self, name), OTF2_IoFileRef self, Str name, OTF2_SystemTreeNodeRef));
  OTF2_GlobalDefReaderCallbacks_SetIoHandleCallback(
      c, MORA_DEFINITION(r.handles.add(self, {name, file, comm}), OTF2_IoHandleRef self, Str name, OTF2_IoFileRef file,
                         OTF2_IoParadigmRef, OTF2_IoHandleFlag, OTF2_CommRef comm, OTF2_IoHandleRef));
  OTF2_GlobalDefReaderCallbacks_SetSourceCodeLocationCallback(
      c,
      MORA_DEFINITION(r.places.add(self, {file, line}), OTF2_SourceCodeLocationRef self, Str file, std::uint32_t line));
  OTF2_GlobalDefReaderCallbacks_SetCallingContextCallback(
      c, MORA_DEFINITION(r.contexts.add(self, {region, parent, place}), OTF2_CallingContextRef self,
                         OTF2_RegionRef region, OTF2_SourceCodeLocationRef place, OTF2_CallingContextRef parent));
  OTF2_GlobalDefReaderCallbacks_SetCallingContextPropertyCallback(
      c, MORA_DEFINITION((r.context_properties.add(self, name), true), OTF2_CallingContextRef self, Str name, OTF2_Type,
                         OTF2_AttributeValue));
}

#undef MORA_DEFINITION

}  // namespace mora::trace::otf2
