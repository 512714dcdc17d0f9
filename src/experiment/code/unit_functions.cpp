/// Idea, cost and limits: unit_functions.h.
#include "experiment/code/unit_functions.h"

#include <dwarf.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace mora::experiment {

namespace {

void add_inlined(Dwarf_Die* scope, std::vector<AddressRange>& ranges) {
  Dwarf_Die child;
  if (dwarf_child(scope, &child) != 0) return;
  do {
    if (dwarf_tag(&child) == DW_TAG_inlined_subroutine) {
      const auto more = ranges_of(&child);
      ranges.insert(ranges.end(), more.begin(), more.end());
    } else if (dwarf_tag(&child) == DW_TAG_lexical_block) {
      add_inlined(&child, ranges);
    }
  } while (dwarf_siblingof(&child, &child) == 0);
}

/// Contained procedures are entries within those that contain them.
bool has_functions_in_functions(Dwarf_Die* unit) {
  switch (dwarf_srclang(unit)) {
    case DW_LANG_Fortran77:
    case DW_LANG_Fortran90:
    case DW_LANG_Fortran95:
    case DW_LANG_Fortran03:
    case DW_LANG_Fortran08:
    case DW_LANG_Ada83:
    case DW_LANG_Ada95:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::vector<AddressRange> ranges_of(Dwarf_Die* scope) {
  std::vector<AddressRange> ranges;
  Dwarf_Addr base = 0, begin = 0, end = 0;
  for (std::ptrdiff_t next = 0; (next = dwarf_ranges(scope, next, &base, &begin, &end)) > 0;)
    ranges.emplace_back(begin, end);
  return ranges;
}

std::vector<AddressRange> inlined_into(Dwarf_Die* function) {
  std::vector<AddressRange> ranges;
  add_inlined(function, ranges);
  return ranges;
}

UnitFunctions::UnitFunctions(Dwarf_Die* unit) {
  Dwarf_Die apart{};
  std::uint8_t type = 0;
  if (dwarf_cu_info(unit->cu, nullptr, &type, nullptr, &apart, nullptr, nullptr, nullptr) == 0 &&
      type == DW_UT_skeleton) {
    Dwarf_Attribute attribute;
    const char* name = dwarf_formstring(dwarf_attr(unit, DW_AT_dwo_name, &attribute));
    if (name == nullptr) name = dwarf_formstring(dwarf_attr(unit, DW_AT_GNU_dwo_name, &attribute));
    // libdw needs the table of files, which may be the skeleton's, before it is asked for one of them.
    Dwarf_Files* files = nullptr;
    std::size_t count = 0;
    if (apart.addr == nullptr || dwarf_getsrcfiles(&apart, &files, &count) != 0)
      missing_file_ = name == nullptr ? "its .dwo file" : name;
    else
      unit = &apart;
  }
  list(unit, has_functions_in_functions(unit));
  std::sort(code_.begin(), code_.end(), [](const Code& a, const Code& b) { return a.range < b.range; });
}

void UnitFunctions::list(Dwarf_Die* parent, bool in_functions) {
  Dwarf_Die child;
  if (dwarf_child(parent, &child) != 0) return;
  do {
    switch (dwarf_tag(&child)) {
      case DW_TAG_subprogram:
        for (const AddressRange& range : ranges_of(&child)) code_.push_back({range, child});
        if (in_functions) list(&child, in_functions);
        break;
      case DW_TAG_namespace:
      case DW_TAG_module:
        list(&child, in_functions);
        break;
      default:
        break;
    }
  } while (dwarf_siblingof(&child, &child) == 0);
}

std::vector<Dwarf_Die> UnitFunctions::around(Dwarf_Addr address) const {
  const auto holds = [&](const Code& code) { return code.range.first <= address && address < code.range.second; };
  auto found = std::upper_bound(code_.begin(), code_.end(), address,
                                [](Dwarf_Addr wanted, const Code& code) { return wanted < code.range.first; });
  if (found != code_.begin() && !holds(*--found)) found = std::find_if(code_.begin(), code_.end(), holds);
  if (found == code_.end() || !holds(*found)) return {};
  std::vector<Dwarf_Die> scopes{found->function};
  Dwarf_Die scope = found->function, child;
  for (bool is_inside = dwarf_child(&scope, &child) == 0; is_inside;) {
    const int tag = dwarf_tag(&child);
    const bool is_scope = tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block || tag == DW_TAG_try_block ||
                          tag == DW_TAG_catch_block;
    if (is_scope && dwarf_haspc(&child, address) == 1) {
      if (tag == DW_TAG_inlined_subroutine) scopes.push_back(child);
      scope = child;
      is_inside = dwarf_child(&scope, &child) == 0;
    } else {
      is_inside = dwarf_siblingof(&child, &child) == 0;
    }
  }
  std::reverse(scopes.begin(), scopes.end());
  return scopes;
}

}  // namespace mora::experiment
