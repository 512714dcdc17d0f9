/// Return addresses to file and line with elfutils' libdwfl: each module is opened once, offline, and each (module,
/// offset) looked up once. Cost: debug information of a module is read at its first call site.
#include "experiment/call_sites.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <charconv>
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

bool hexadecimal(std::string_view text, std::uint64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return error == std::errc() && end == text.data() + text.size();
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
    if (dash == std::string_view::npos || !hexadecimal(range.substr(0, dash), r.begin) ||
        !hexadecimal(range.substr(dash + 1), r.end) || !hexadecimal(offset, r.offset))
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
    static char* no_path = nullptr;
    static const Dwfl_Callbacks callbacks{dwfl_build_id_find_elf, dwfl_standard_find_debuginfo,
                                          dwfl_offline_section_address, &no_path};
    struct stat s {};
    if (stat(path.c_str(), &s) != 0) return;
    modified_ns = static_cast<std::int64_t>(s.st_mtim.tv_sec) * 1'000'000'000 + s.st_mtim.tv_nsec;
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
  /// are asked one after the other. An address of the session; nothing if there is no line.
  std::optional<SourceLine> line_of(std::uint64_t address) const {
    SourceLine found;
    if (Dwfl_Line* line = dwfl_module_getsrc(module, address); line != nullptr) {
      found.file = dwfl_lineinfo(line, nullptr, &found.number, nullptr, nullptr, nullptr);
      found.directory = dwfl_line_comp_dir(line);
    } else {
      Dwarf_Addr bias = 0;
      Dwarf_Die* unit = nullptr;
      while ((unit = dwfl_module_nextcu(module, unit, &bias)) != nullptr) {
        if (dwarf_haspc(unit, address - bias) != 1) continue;
        if (Dwarf_Line* within = dwarf_getsrc_die(unit, address - bias); within != nullptr) {
          found.file = dwarf_linesrc(within, nullptr, nullptr);
          dwarf_lineno(within, &found.number);
          Dwarf_Attribute attribute;
          found.directory = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
        }
        break;
      }
    }
    return found.file != nullptr && found.number > 0 ? std::optional(found) : std::nullopt;
  }
};

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
  }
  site.module_offset = fmt::format("{}+{:#x}", std::filesystem::path(path).filename().string(), offset);
  return site;
}

std::vector<std::string> CallSiteResolver::missing_modules() const {
  std::lock_guard lock(mutex_);
  std::vector<std::string> out;
  for (const auto& [path, module] : modules_)
    if (module->module == nullptr) out.push_back(path);
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
