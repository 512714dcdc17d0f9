/// Return addresses to file and line, or to a symbol, with elfutils' libdwfl: each module is opened once, offline, and
/// each (module, offset) looked up once. Cost: debug information of a module is read at its first call site.
#include "experiment/code/call_sites.h"
#include "base/numbers/read_number.h"
#include "experiment/code/symbol_names.h"
#include "experiment/code/unit_functions.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>

namespace mora::experiment {
namespace {

/// Takes the next blank-separated word off `line`.
std::string_view next_word(std::string_view& line) {
  const auto begin = line.find_first_not_of(' ');
  if (begin == std::string_view::npos) return line = {};
  line.remove_prefix(begin);
  const auto word = line.substr(0, line.find(' '));
  line.remove_prefix(word.size());
  return word;
}

/// Directories for debug information that is in no module itself, as elfutils wants them; nullptr: the usual ones.
char* debug_path() {
  static std::string path = [] {
    const char* more = std::getenv("MORA_DEBUG_PATH");
    return more == nullptr || *more == 0 ? std::string() : fmt::format(":.debug:/usr/lib/debug:{}", more);
  }();
  return path.empty() ? nullptr : path.data();
}

}  // namespace

ModuleMap ModuleMap::parse(std::string_view text) {
  ModuleMap map;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const auto range = next_word(line);
    const auto permissions = next_word(line);
    const auto offset = next_word(line);
    next_word(line);  // device
    next_word(line);  // inode
    const auto start = line.find_first_not_of(' ');
    if (start == std::string_view::npos || permissions.find('x') == std::string_view::npos) continue;
    auto path = line.substr(start);
    if (path.empty() || path[0] != '/') continue;
    if (const auto deleted = path.rfind(" (deleted)"); deleted != std::string_view::npos)
      path = path.substr(0, deleted);
    const auto dash = range.find('-');
    Range r{0, 0, 0, std::string(path)};
    if (dash == std::string_view::npos || !read_number(range.substr(0, dash), r.begin, 16) ||
        !read_number(range.substr(dash + 1), r.end, 16) || !read_number(offset, r.offset, 16))
      continue;
    map.ranges_.push_back(std::move(r));
  }
  return map;
}

ModuleMap::Place ModuleMap::find(std::uint64_t address) const {
  for (const auto& r : ranges_)
    if (address >= r.begin && address < r.end) return {r.path, address - r.begin + r.offset};
  return {};
}

struct CallSiteResolver::Module {
  std::map<std::pair<Dwarf_Off, Dwarf_Off>, std::uint32_t> last_lines;  ///< of functions, by units and entries
  std::map<Dwarf_Off, std::optional<UnitFunctions>> functions;          ///< of units
  std::string missing_shared;  ///< file of what the module has in common with others (dwz), if it cannot be read
  /// Texts live as long as the session.
  struct SourceLine {
    const char* file = nullptr;
    const char* directory = nullptr;  ///< where the compiler ran; nullptr: not known
    int number = 0;
  };

  Dwfl* session = nullptr;
  Dwfl_Module* module = nullptr;
  std::int64_t modified_ns = 0;

  explicit Module(const std::string& path) {
    static char* directories = debug_path();
    static const Dwfl_Callbacks callbacks{dwfl_build_id_find_elf, dwfl_standard_find_debuginfo,
                                          dwfl_offline_section_address, &directories};
    struct stat s {};
    if (stat(path.c_str(), &s) != 0) return;
    // Also when a file took this name: then its own time is that of its contents.
    const auto ns = [](const timespec& t) { return static_cast<std::int64_t>(t.tv_sec) * 1'000'000'000 + t.tv_nsec; };
    modified_ns = std::max(ns(s.st_mtim), ns(s.st_ctim));
    session = dwfl_begin(&callbacks);
    if (session == nullptr) return;
    dwfl_report_begin(session);
    module = dwfl_report_offline(session, path.c_str(), path.c_str(), -1);
    dwfl_report_end(session, nullptr, nullptr);
  }
  ~Module() {
    if (session != nullptr) dwfl_end(session);
  }

  /// Address in the session's address space of a byte of the file; 0 = in no loaded segment.
  std::uint64_t address_of(std::uint64_t offset) const {
    GElf_Addr bias = 0;
    Elf* elf = dwfl_module_getelf(module, &bias);
    std::size_t headers = 0;
    if (elf == nullptr || elf_getphdrnum(elf, &headers) != 0) return 0;
    for (std::size_t i = 0; i < headers; ++i) {
      GElf_Phdr header;
      if (gelf_getphdr(elf, static_cast<int>(i), &header) == nullptr || header.p_type != PT_LOAD) continue;
      if (offset >= header.p_offset && offset < header.p_offset + header.p_filesz)
        return offset - header.p_offset + header.p_vaddr + bias;
    }
    return 0;
  }

  /// libdwfl finds the compilation unit of an address by .debug_aranges, which clang does not write: then the units
  /// are asked one after the other. An address of the session; no unit: without debug information.
  std::pair<Dwarf_Die*, Dwarf_Addr> unit_of(std::uint64_t address) const {
    Dwarf_Addr bias = 0;
    Dwarf_Die* unit = dwfl_module_addrdie(module, address, &bias);
    if (unit != nullptr) return {unit, bias};
    while ((unit = dwfl_module_nextcu(module, unit, &bias)) != nullptr)
      if (dwarf_haspc(unit, address - bias) == 1) return {unit, bias};
    return {};
  }

  /// An address of the session; nothing if there is no line.
  std::optional<SourceLine> line_of(std::uint64_t address) const {
    SourceLine found;
    if (Dwfl_Line* line = dwfl_module_getsrc(module, address); line != nullptr) {
      found.file = dwfl_lineinfo(line, nullptr, &found.number, nullptr, nullptr, nullptr);
      found.directory = dwfl_line_comp_dir(line);
    } else if (const auto [unit, bias] = unit_of(address); unit != nullptr) {
      if (Dwarf_Line* within = dwarf_getsrc_die(unit, address - bias); within != nullptr) {
        found.file = dwarf_linesrc(within, nullptr, nullptr);
        dwarf_lineno(within, &found.number);
        Dwarf_Attribute attribute;
        found.directory = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
      }
    }
    return found.file != nullptr && found.number > 0 ? std::optional(found) : std::nullopt;
  }

  /// Offset in the file of the function around `offset`, by the table of unwind entries (.eh_frame_hdr;
  /// LSB 5.0, 10.6.2), which stripped files have, too; `offset` itself where there is none.
  std::uint64_t function_begin(std::uint64_t offset) const {
    GElf_Addr bias = 0;
    Elf* elf = dwfl_module_getelf(module, &bias);
    std::size_t headers = 0;
    if (elf == nullptr || elf_getphdrnum(elf, &headers) != 0) return offset;
    GElf_Phdr code{}, table{};
    for (std::size_t i = 0; i < headers; ++i) {
      GElf_Phdr header;
      if (gelf_getphdr(elf, static_cast<int>(i), &header) == nullptr) continue;
      if (header.p_type == PT_GNU_EH_FRAME) table = header;
      if (header.p_type == PT_LOAD && offset >= header.p_offset && offset < header.p_offset + header.p_filesz)
        code = header;
    }
    if (table.p_filesz < 20 || code.p_type != PT_LOAD) return offset;
    const Elf_Data* data =
        elf_getdata_rawchunk(elf, static_cast<std::int64_t>(table.p_offset), table.p_filesz, ELF_T_BYTE);
    if (data == nullptr || data->d_size < 20) return offset;
    const auto* bytes = static_cast<const unsigned char*>(data->d_buf);
    const auto word = [&](std::size_t at) {
      std::int32_t value = 0;
      std::memcpy(&value, bytes + at, 4);
      return value;
    };
    // Encodings: count udata4, table sdata4 relative to the header.
    if (bytes[0] != 1 || bytes[2] != 0x03 || bytes[3] != 0x3b) return offset;
    const std::size_t count = std::min<std::size_t>(static_cast<std::uint32_t>(word(8)), (data->d_size - 12) / 8);
    const auto wanted = static_cast<std::int64_t>(offset - code.p_offset + code.p_vaddr - table.p_vaddr);
    std::size_t low = 0, high = count;  // the first entry behind
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (word(12 + 8 * middle) <= wanted)
        low = middle + 1;
      else
        high = middle;
    }
    if (low == 0) return offset;
    return offset - static_cast<std::uint64_t>(wanted - word(12 + 8 * (low - 1)));
  }

  /// "function() + 0x3a" by .symtab or .dynsym, its own or those of a separate debug file; empty if no function there
  /// holds the address.
  std::string symbol_of(std::uint64_t address) const {
    GElf_Off offset = 0;
    GElf_Sym symbol;
    const char* name = dwfl_module_addrinfo(module, address, &offset, &symbol, nullptr, nullptr, nullptr);
    if (name == nullptr || offset >= symbol.st_size) return "";  // the nearest one before it is another function
    return fmt::format("{} + {:#x}", demangled(name), offset);
  }
};

namespace {

/// Name and place of a function or of what was inlined.
CodeFunction function_of(Dwarf_Die* scope) {
  CodeFunction function;
  Dwarf_Attribute attribute;
  const char* symbol = dwarf_formstring(dwarf_attr_integrate(scope, DW_AT_linkage_name, &attribute));
  const char* name = dwarf_formstring(dwarf_attr_integrate(scope, DW_AT_name, &attribute));
  function.name = written_name(symbol == nullptr ? "" : symbol, name == nullptr ? "" : name);
  if (const char* file = dwarf_decl_file(scope); file != nullptr) function.file = file;
  if (int line = 0; dwarf_decl_line(scope, &line) == 0 && line > 0) function.line = static_cast<std::uint32_t>(line);
  return function;
}

/// The file to which dwz has moved what several modules have in common, if there is one and it cannot be read.
std::string missing_shared_file(Dwarf_Die* unit) {
  Dwarf* information = dwarf_cu_getdwarf(unit->cu);
  const char* name = nullptr;
  const void* identity = nullptr;
  if (dwelf_dwarf_gnu_debugaltlink(information, &name, &identity) <= 0 || dwarf_getalt(information) != nullptr)
    return "";
  return name;
}

/// File and line of the call that was replaced by the function's code.
std::pair<std::string, std::uint32_t> call_of_inlined(Dwarf_Die* scope) {
  const auto number = [&](unsigned name) -> std::optional<Dwarf_Word> {
    Dwarf_Attribute attribute;
    Dwarf_Word value = 0;
    if (dwarf_formudata(dwarf_attr(scope, name, &attribute), &value) != 0) return std::nullopt;
    return value;
  };
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  const auto file = number(DW_AT_call_file), line = number(DW_AT_call_line);
  Dwarf_Die unit;  // of the entry's own file
  if (!file || !line || dwarf_diecu(scope, &unit, nullptr, nullptr) == nullptr ||
      dwarf_getsrcfiles(&unit, &files, &count) != 0 || *file >= count)
    return {};
  const char* name = dwarf_filesrc(files, *file, nullptr, nullptr);
  return {name == nullptr ? "" : name, static_cast<std::uint32_t>(*line)};
}

/// The largest line of the function's own code, which is all that debug information tells of its end; 0 if nothing is.
/// Rows of the line table without code, which say where statements begin, are not counted: optimised code has them in
/// the middle of other functions' code.
std::uint32_t last_line_of(Dwarf_Die* unit, Dwarf_Die* scope) {
  const char* file = dwarf_decl_file(scope);
  Dwarf_Lines* lines = nullptr;
  std::size_t count = 0;
  if (file == nullptr || dwarf_getsrclines(unit, &lines, &count) != 0) return 0;
  const std::vector<AddressRange> inlined = inlined_into(scope);
  const auto address_of = [&](std::size_t i) {
    Dwarf_Addr address = 0;
    dwarf_lineaddr(dwarf_onesrcline(lines, i), &address);
    return address;
  };
  const auto is_inlined = [&](Dwarf_Addr address) {
    return std::any_of(inlined.begin(), inlined.end(),
                       [&](const AddressRange& range) { return address >= range.first && address < range.second; });
  };
  int last = 0;
  for (const auto& [begin, end] : ranges_of(scope)) {
    std::size_t low = 0, high = count;  // lines are sorted by address
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (address_of(middle) < begin)
        low = middle + 1;
      else
        high = middle;
    }
    for (; low < count && address_of(low) < end; ++low) {
      if (low + 1 < count && address_of(low + 1) == address_of(low)) continue;
      Dwarf_Line* line = dwarf_onesrcline(lines, low);
      int number = 0;
      const char* source = dwarf_linesrc(line, nullptr, nullptr);
      if (source == nullptr || dwarf_lineno(line, &number) != 0 || number <= last) continue;
      if (std::strcmp(source, file) == 0 && !is_inlined(address_of(low))) last = number;
    }
  }
  return static_cast<std::uint32_t>(last);
}

}  // namespace

CallSiteResolver::CallSiteResolver() = default;
CallSiteResolver::~CallSiteResolver() = default;

CallSite CallSiteResolver::resolve(const ModuleMap& modules, std::uint64_t return_address) {
  if (return_address == 0) return {};
  const auto place = modules.find(return_address - 1);
  if (place.module.empty()) return {};
  std::lock_guard lock(mutex_);
  const auto key = std::pair{place.module, place.offset};
  if (const auto it = known_.find(key); it != known_.end()) return it->second;
  return known_[key] = look_up(place.module, place.offset);
}

CallSite CallSiteResolver::look_up(const std::string& path, std::uint64_t offset) {
  auto& module = modules_[path];
  if (!module) module = std::make_unique<Module>(path);
  CallSite site;
  if (module->module != nullptr) {
    const auto address = module->address_of(offset);
    if (const auto line = address == 0 ? std::nullopt : module->line_of(address)) {
      site.file = line->file[0] == '/' || line->directory == nullptr
                      ? line->file
                      : (std::filesystem::path(line->directory) / line->file).lexically_normal().string();
      site.line = static_cast<std::uint32_t>(line->number);
      return site;
    }
    site.symbol = address == 0 ? "" : module->symbol_of(address);
  }
  if (site.symbol.empty())
    site.symbol = fmt::format("{}+{:#x}", std::filesystem::path(path).filename().string(), offset);
  return site;
}

std::vector<CodeFunction> CallSiteResolver::functions(const ModuleMap& modules, std::uint64_t return_address) {
  if (return_address == 0) return {};
  const auto place = modules.find(return_address - 1);
  if (place.module.empty()) return {};
  std::lock_guard lock(mutex_);
  const auto [known, is_new] = functions_.try_emplace({place.module, place.offset});
  std::vector<CodeFunction>& found = known->second;
  if (!is_new) return found;
  auto& module = modules_[place.module];
  if (!module) module = std::make_unique<Module>(place.module);
  const auto address = module->module == nullptr ? 0 : module->address_of(place.offset);
  if (const auto [unit, bias] = address == 0 ? std::pair<Dwarf_Die*, Dwarf_Addr>{} : module->unit_of(address);
      unit != nullptr) {
    if (module->functions.empty()) module->missing_shared = missing_shared_file(unit);
    auto& functions = module->functions[dwarf_dieoffset(unit)];
    if (!functions) functions.emplace(unit);
    const auto line = module->line_of(address);
    std::string at_file = line ? line->file : "";
    auto at_line = line ? static_cast<std::uint32_t>(line->number) : 0;
    for (Dwarf_Die& scope : functions->around(address - bias)) {
      if (auto function = function_of(&scope); !function.name.empty()) {
        if (function.file == at_file) function.at_line = at_line;
        const auto [last, is_unknown] =
            module->last_lines.try_emplace({dwarf_dieoffset(unit), dwarf_dieoffset(&scope)}, 0);
        if (is_unknown) last->second = last_line_of(unit, &scope);
        function.last_line = std::max(last->second, function.line);
        found.push_back(std::move(function));
      }
      if (dwarf_tag(&scope) == DW_TAG_inlined_subroutine) std::tie(at_file, at_line) = call_of_inlined(&scope);
    }
  }
  if (!found.empty()) return found;
  CodeFunction function;
  if (address != 0) function.name = module->symbol_of(address);
  if (const auto offset = function.name.rfind(" + 0x"); offset != std::string::npos) function.name.resize(offset);
  if (function.name.empty())
    function.name = fmt::format("{}+{:#x}", std::filesystem::path(place.module).filename().string(),
                                address == 0 ? place.offset : module->function_begin(place.offset));
  found.push_back(std::move(function));
  return found;
}

std::vector<std::string> CallSiteResolver::missing_modules() const {
  std::lock_guard lock(mutex_);
  std::vector<std::string> out;
  for (const auto& [path, module] : modules_)
    if (module->module == nullptr) out.push_back(path);
  return out;
}

std::map<std::string, std::set<std::string>> CallSiteResolver::missing_parts() const {
  std::lock_guard lock(mutex_);
  std::map<std::string, std::set<std::string>> out;
  for (const auto& [path, module] : modules_)
    for (const auto& [offset, functions] : module->functions)
      if (functions && !functions->missing_file().empty()) out[path].insert(functions->missing_file());
  return out;
}

std::map<std::string, std::string> CallSiteResolver::missing_shared_files() const {
  std::lock_guard lock(mutex_);
  std::map<std::string, std::string> out;
  for (const auto& [path, module] : modules_)
    if (!module->missing_shared.empty()) out[path] = module->missing_shared;
  return out;
}

std::vector<std::string> CallSiteResolver::changed_modules(std::uint64_t run_start_ns) const {
  std::lock_guard lock(mutex_);
  std::vector<std::string> out;
  for (const auto& [path, module] : modules_)
    if (module->modified_ns > static_cast<std::int64_t>(run_start_ns)) out.push_back(path);
  return out;
}

}  // namespace mora::experiment
