/// The attributes and marks Mora adds to OTF2 records and definitions (docs/formats/otf2.md). References are fixed in
/// our archives; readers of other archives look the names up.
#pragma once

#include <otf2/otf2.h>

#include <cstdint>

namespace mora::archive {

inline constexpr std::uint32_t attribute_rma_end = 0;   ///< "mora:rma_end" UINT64: stamp at which the transfer ended
inline constexpr std::uint32_t attribute_assert = 1;    ///< "mora:assert" UINT32: assertion argument of the call
inline constexpr std::uint32_t attribute_received = 2;  ///< "mora:recvd" UINT64: bytes at the destination
inline constexpr std::uint32_t attribute_vector = 3;    ///< "mora:vector" UINT32: index into vectors.<rank>
inline constexpr std::uint32_t attribute_neighborhood = 4;   ///< "mora:neighborhood" UINT32: 1, the collective is one
inline constexpr std::uint32_t attribute_target_offset = 5;  ///< "mora:target_offset" UINT64: Event::target_offset
inline constexpr std::uint32_t attribute_target_extent = 6;  ///< "mora:target_extent" UINT64: Event::target_extent

inline constexpr std::uint32_t attribute_argument = 7;  ///< "mora:argument" INT32: Event::tag of an enter

/// "mora:transfer" UINT32: TransferRole. Defined where transfers are shown as messages
/// (Definitions::has_transfer_roles).
inline constexpr std::uint32_t attribute_transfer = 9;
/// Property of locations: "WINDOW@ADDRESS WINDOW@ADDRESS ...": windows of the rank that share memory with each other
inline constexpr char window_bases_property[] = "mora:window_bases";

/// "mora:reduction" UINT32: mpi::Reduction of an accumulate
inline constexpr std::uint32_t attribute_reduction = 8;

/// Description of the region that stands for the program as a whole; no event refers to it.
inline constexpr const char* program_description = "mora:program";

/// Description of a region that is a state in which a thread does nothing for the program.
inline constexpr const char* without_work_description = "mora:without_work";

/// Half of a transfer shown as a message on the window's reserved communicator.
enum class TransferRole : std::uint32_t { none = 0, put = 1, get = 2, request = 3 };

/// Name, description and type of an attribute, for its definition.
struct AttributeDefinition {
  std::uint32_t reference;
  const char* name;
  const char* description;
  OTF2_Type type;
};
inline constexpr AttributeDefinition attribute_definitions[] = {
    {attribute_rma_end, "mora:rma_end", "stamp at which the transfer ended", OTF2_TYPE_UINT64},
    {attribute_assert, "mora:assert", "assertion argument of the call", OTF2_TYPE_UINT32},
    {attribute_received, "mora:recvd", "bytes at the destination of the transfer", OTF2_TYPE_UINT64},
    {attribute_vector, "mora:vector", "index of the per-destination counts in vectors.<rank>", OTF2_TYPE_UINT32},
    {attribute_neighborhood, "mora:neighborhood", "the collective is among neighbours of the topology only",
     OTF2_TYPE_UINT32},
    {attribute_target_offset, "mora:target_offset", "first byte accessed, from the start of the target's window",
     OTF2_TYPE_UINT64},
    {attribute_target_extent, "mora:target_extent", "bytes from there to the last one accessed", OTF2_TYPE_UINT64},
    {attribute_argument, "mora:argument",
     "number of the interval or team, level of MPI_Pcontrol, number of polls in a row", OTF2_TYPE_INT32},
    {attribute_reduction, "mora:reduction", "predefined operation of an accumulate: 1 MPI_MAX, 2 MIN, 3 SUM ...",
     OTF2_TYPE_UINT32}};
inline constexpr AttributeDefinition transfer_attribute = {
    attribute_transfer, "mora:transfer", "this message shows a one-sided transfer: 1 put, 2 get, 3 request",
    OTF2_TYPE_UINT32};

}  // namespace mora::archive
