/// Which functions of a compilation unit hold an address, those that were inlined there, too.
///
/// libdw looks through a unit's entries for each address, and for the scopes around what it found through all of them
/// (dwarf_getscopes_die). Here the entries of functions are listed once for each unit; only those of a function that is
/// asked for are looked into. Cost: the entries of the unit itself, of namespaces and modules once, O(log functions +
/// its scopes) for each address. Of a unit whose entries are in a file of their own (-gsplit-dwarf) they are taken from
/// there; libdw finds it where the compiler wrote it, packages of such files (.dwp) only from elfutils 0.193 on.
/// Entries stay valid as long as the unit's Dwarf does.
#pragma once

#include <elfutils/libdw.h>

#include <string>
#include <utility>
#include <vector>

namespace mora::experiment {

using AddressRange = std::pair<Dwarf_Addr, Dwarf_Addr>;

/// Of the code of an entry.
std::vector<AddressRange> ranges_of(Dwarf_Die* scope);
/// Of what was inlined into a function itself.
std::vector<AddressRange> inlined_into(Dwarf_Die* function);

class UnitFunctions {
 public:
  explicit UnitFunctions(Dwarf_Die* unit);
  /// The file that has the unit's entries, if it cannot be read; else empty.
  const std::string& missing_file() const { return missing_file_; }
  /// What was inlined at the address, innermost first, then the function with code of its own; empty if there is none.
  std::vector<Dwarf_Die> around(Dwarf_Addr address) const;

 private:
  void list(Dwarf_Die* parent, bool in_functions);
  struct Code {
    AddressRange range;
    Dwarf_Die function;
  };
  std::vector<Code> code_;  ///< by address
  std::string missing_file_;
};

}  // namespace mora::experiment
