/// Finds the MPI library of a program: by its ELF file (MPI_Init defined inside?), by the libraries that ldd lists, for
/// scripts by mpi4py's module, else by the launcher. Nothing of the program is run.
#include "launcher/mpi_flavour.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>
#include <libelf.h>
#include <unistd.h>

#include <filesystem>

#include "base/file.h"
#include "launcher/process.h"

namespace mora::launcher {
namespace {

namespace fs = std::filesystem;

bool is_interpreter(const std::string& path) {
  const auto name = fs::path(path).filename().string();
  for (const char* start : {"python", "perl", "ruby", "julia", "bash", "dash", "Rscript", "tclsh", "pypy", "octave"})
    if (name.rfind(start, 0) == 0) return true;
  return name == "sh" || name == "R" || name == "zsh" || name == "ksh";
}

struct ElfFacts {
  bool elf = false;
  bool has_loader = false;   ///< PT_INTERP or shared object
  bool defines_mpi = false;  ///< MPI_Init is defined in the file itself
  std::string device;        ///< whose runtime is defined in it: CUDA, HIP; empty: none
};

ElfFacts read_elf(const std::string& path) {
  ElfFacts facts;
  elf_version(EV_CURRENT);
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return facts;
  Elf* elf = elf_begin(fd, ELF_C_READ_MMAP, nullptr);
  if (elf != nullptr && elf_kind(elf) == ELF_K_ELF) {
    facts.elf = true;
    std::size_t headers = 0;
    elf_getphdrnum(elf, &headers);
    for (std::size_t i = 0; i < headers; ++i) {
      GElf_Phdr header;
      if (gelf_getphdr(elf, static_cast<int>(i), &header) != nullptr &&
          (header.p_type == PT_INTERP || header.p_type == PT_DYNAMIC))
        facts.has_loader = true;
    }
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
      GElf_Shdr header;
      if (gelf_getshdr(section, &header) == nullptr || (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM))
        continue;
      Elf_Data* data = elf_getdata(section, nullptr);
      if (data == nullptr || header.sh_entsize == 0) continue;
      const auto count = header.sh_size / header.sh_entsize;
      for (std::size_t i = 0; i < count; ++i) {
        GElf_Sym symbol;
        if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr || symbol.st_shndx == SHN_UNDEF) continue;
        const char* name = elf_strptr(elf, header.sh_link, symbol.st_name);
        if (name != nullptr && (std::string_view(name) == "MPI_Init" || std::string_view(name) == "PMPI_Init"))
          facts.defines_mpi = true;
        if (name != nullptr && std::string_view(name) == "cudaMalloc") facts.device = "CUDA";
        if (name != nullptr && std::string_view(name) == "hipMalloc") facts.device = "HIP";
      }
    }
  }
  if (elf != nullptr) elf_end(elf);
  close(fd);
  return facts;
}

/// Flavour by the names of all libraries ldd lists.
std::pair<MpiFlavour, std::string> flavour_by_libraries(const std::string& path) {
  const auto listed = capture({"ldd", path}, {{"LD_PRELOAD", ""}});
  if (!listed) return {MpiFlavour::unknown, ""};
  const auto& text = listed->first;
  auto has = [&](const char* name) { return text.find(name) != std::string::npos; };
  for (const char* name : {"libmpi.so.40", "libmpi_mpifh.so.40", "libmpi_usempif08.so.40"})
    if (has(name)) return {MpiFlavour::openmpi, name};
  for (const char* name : {"libmpich.so.12", "libmpichfort.so.12", "libmpi.so.12", "libmpifort.so.12"})
    if (has(name)) return {MpiFlavour::mpich, name};
  for (const char* name : {"libmpi.so.", "libmpich.so.", "libmpi_cxx.so."})
    if (has(name)) return {MpiFlavour::unknown, std::string(name) + "…"};
  return {MpiFlavour::unknown, ""};
}

/// What `mpirun` on this machine is.
MpiFlavour flavour_of_launcher(LauncherKind kind) {
  if (kind == LauncherKind::openmpi) return MpiFlavour::openmpi;
  if (kind == LauncherKind::mpich) return MpiFlavour::mpich;
  return MpiFlavour::unknown;
}

}  // namespace

const char* to_string(MpiFlavour flavour) {
  return flavour == MpiFlavour::openmpi ? "openmpi" : flavour == MpiFlavour::mpich ? "mpich" : "unknown";
}

ProgramFacts inspect_program(const std::string& program) {
  ProgramFacts facts;
  facts.path = find_program(program);
  if (facts.path.empty()) return facts;
  if (is_interpreter(facts.path)) {
    facts.kind = ProgramKind::script;
    facts.reason = "an interpreter";
    return facts;
  }
  const auto elf = read_elf(facts.path);
  if (!elf.elf) {
    facts.kind = ProgramKind::script;
    facts.reason = "a script";
    return facts;
  }
  if (elf.has_loader) {
    const auto [flavour, library] = flavour_by_libraries(facts.path);
    if (!library.empty()) {
      facts.kind = flavour == MpiFlavour::unknown ? ProgramKind::other_mpi : ProgramKind::dynamic_mpi;
      facts.flavour = flavour;
      facts.reason = "the program needs " + library;
      return facts;
    }
  }
  facts.kind = elf.defines_mpi  ? ProgramKind::static_mpi
               : elf.has_loader ? ProgramKind::no_mpi
                                : ProgramKind::static_other;
  return facts;
}

std::string unseen_device_words(const Launch& launch) {
  const std::string program = launch.program_name();
  const std::string path = program.empty() ? "" : find_program(launch.command[launch.program]);
  const std::string device = path.empty() ? "" : read_elf(path).device;
  if (device.empty()) return "";
  return fmt::format(
      "{} has the runtime library of {} linked into it: its calls, and waiting in them, are not seen; {}", program,
      device, device == "CUDA" ? "link it with nvcc -cudart shared" : "link it with libamdhip64.so");
}

MpiFlavour mpi4py_flavour(const std::string& python) {
  const auto found =
      capture({python, "-c", "import importlib.util as u; print(u.find_spec('mpi4py').origin)"}, {{"LD_PRELOAD", ""}});
  if (!found || found->second.exit_code != 0) return MpiFlavour::unknown;
  std::error_code ignored;
  const auto origin = fs::path(found->first.substr(0, found->first.find('\n'))).parent_path();
  for (const auto& entry : fs::directory_iterator(origin, ignored)) {
    const auto name = entry.path().filename().string();
    if (name.rfind("MPI.", 0) != 0 || entry.path().extension() != ".so") continue;
    if (const auto flavour = flavour_by_libraries(entry.path().string()).first; flavour != MpiFlavour::unknown)
      return flavour;
  }
  return MpiFlavour::unknown;
}

namespace {

/// The launcher starts the program in the directory of -wdir, and Open MPI's also finds it where no shell would: in
/// that directory.
std::string where_the_launcher_looks(const Launch& launch, const std::string& word) {
  std::string directory;
  for (std::size_t i = 0; i + 1 < launch.program; ++i)
    for (const char* option : {"-wdir", "--wdir", "-wd"})
      if (launch.command[i] == option) directory = launch.command[i + 1];
  if (word.empty() || word.front() == '/') return word;
  const auto there = (directory.empty() ? "." : directory) + "/" + word;
  const bool beside = word.find('/') != std::string::npos
                          ? !directory.empty()
                          : launch.kind == LauncherKind::openmpi && find_program(word).empty();
  return beside && ::access(there.c_str(), X_OK) == 0 ? there : word;
}

}  // namespace

Result<FlavourChoice> choose_flavour(const Launch& launch, const std::string& override_name) {
  const auto launcher = flavour_of_launcher(launch.kind);
  if (launch.program >= launch.command.size())
    return fail(ErrorKind::usage, "cannot find the program in the command line",
                launch.command.empty() ? "" : launch.command[0], "all words look like options of the launcher",
                "write: mora record mpirun -n 4 ./program arguments");
  const auto& word = launch.command[launch.program];
  const auto facts = inspect_program(where_the_launcher_looks(launch, word));
  if (facts.kind == ProgramKind::missing)
    return fail(ErrorKind::usage, "cannot find the program", word, "it is neither an executable file nor on PATH",
                spelling_help(word));
  const bool records = launch.program + 1 < launch.command.size() && launch.command[launch.program + 1] == "record";
  if (std::error_code ignored; records && fs::equivalent(facts.path, "/proc/self/exe", ignored))
    return fail(ErrorKind::usage, "Mora cannot record a recording", facts.path, "a job is recorded by one mora",
                "write mora once, before the launcher: mora record mpirun -n 4 ./program");
  FlavourChoice choice;
  if (!override_name.empty()) {
    if (override_name != "openmpi" && override_name != "mpich")
      return fail(ErrorKind::usage, "unknown MPI flavour", "--mpi " + override_name, "",
                  "use --mpi openmpi or --mpi mpich");
    choice.flavour = override_name == "openmpi" ? MpiFlavour::openmpi : MpiFlavour::mpich;
    choice.how = "--mpi";
    if (facts.flavour != MpiFlavour::unknown && facts.flavour != choice.flavour)
      choice.warning = fmt::format("--mpi {} was given, but {}: nothing will be recorded if that is right",
                                   override_name, facts.reason);
    return choice;
  }
  switch (facts.kind) {
    case ProgramKind::static_mpi:
      return fail(ErrorKind::usage, "cannot measure the program", facts.path,
                  "MPI is linked into it statically, so that nothing can be put in between",
                  "link it with the shared MPI library (mpicc's default)");
    case ProgramKind::static_other:
      return fail(ErrorKind::usage, "not an MPI program", facts.path, "it is statically linked and holds no MPI",
                  "give the MPI program itself: mora record mpirun -n 4 ./program");
    case ProgramKind::other_mpi:
      return fail(ErrorKind::usage, "the program's MPI library is not supported", facts.path, facts.reason,
                  "Mora measures Open MPI 4.x (libmpi.so.40) and MPICH 4.x (libmpich.so.12)");
    case ProgramKind::no_mpi:
      return fail(ErrorKind::usage, "not an MPI program", facts.path,
                  "neither it nor a library it needs is linked with MPI",
                  "if it loads MPI at run time, say which: --mpi openmpi or --mpi mpich");
    case ProgramKind::dynamic_mpi:
      choice.flavour = facts.flavour;
      choice.how = facts.reason;
      break;
    default: {
      const bool python = fs::path(facts.path).filename().string().rfind("python", 0) == 0;
      if (python) choice.flavour = mpi4py_flavour(facts.path), choice.how = "mpi4py";
      if (choice.flavour == MpiFlavour::unknown && launcher != MpiFlavour::unknown)
        choice.flavour = launcher, choice.how = "the launcher's";
      if (choice.flavour == MpiFlavour::unknown) {
        const auto usual = take_apart({"mpirun", "-n", "1", "true"});
        choice.flavour = flavour_of_launcher(usual.kind);
        choice.how = "that of mpirun on PATH";
      }
      if (choice.flavour == MpiFlavour::unknown)
        return fail(ErrorKind::usage, "it is not known which MPI the program uses", facts.path, facts.reason,
                    "say it: --mpi openmpi or --mpi mpich");
      break;
    }
  }
  if (launcher != MpiFlavour::unknown && launcher != choice.flavour)
    choice.warning = fmt::format(
        "{} uses {} but {} starts {} programs: every process will run as a job of one process; use mpirun.{}",
        launch.program_name(), to_string(choice.flavour), launch.command[launch.launchers[0]], to_string(launcher),
        to_string(choice.flavour));
  return choice;
}

}  // namespace mora::launcher
