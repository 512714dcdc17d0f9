/// Which MPI library a program uses, without running it.
#pragma once

#include <string>

#include "base/error.h"
#include "launcher/launch.h"

namespace mora::launcher {

enum class MpiFlavour { unknown, openmpi, mpich };

const char* to_string(MpiFlavour flavour);  ///< "openmpi", "mpich", "unknown": also the library's suffix

/// How people, the loader, the shell and Debian call an MPI.
struct MpiNames {
  MpiFlavour flavour;
  const char* name;
  const char* library;
  const char* launcher;
  const char* package;
};
inline constexpr MpiNames known_mpis[] = {
    {MpiFlavour::openmpi, "Open MPI", "libmpi.so.40", "mpirun.openmpi", "openmpi-bin"},
    {MpiFlavour::mpich, "MPICH", "libmpich.so.12", "mpirun.mpich", "mpich"}};
/// Of openmpi or mpich.
inline const MpiNames& names_of(MpiFlavour flavour) { return known_mpis[flavour == MpiFlavour::mpich ? 1 : 0]; }

enum class ProgramKind {
  missing,       ///< no such file
  script,        ///< starts with #!, or an interpreter (python, sh, perl …)
  dynamic_mpi,   ///< needs an MPI library we know
  other_mpi,     ///< needs an MPI library we do not know
  static_mpi,    ///< holds MPI itself: preloading cannot work
  no_mpi,        ///< dynamically linked without MPI (it may still dlopen one)
  static_other,  ///< statically linked without MPI
};

struct ProgramFacts {
  ProgramKind kind = ProgramKind::missing;
  MpiFlavour flavour = MpiFlavour::unknown;
  std::string path;
  std::string reason;  ///< the words of evidence: "needs libmpi.so.40"
};

/// Looks at the program's file and, transitively, at what it links (ldd).
ProgramFacts inspect_program(const std::string& program);

/// One sentence if the program's file holds an accelerator's runtime library, whose calls cannot be recorded (by its
/// symbols: not of a stripped program); else empty.
std::string unseen_device_words(const Launch& launch);

/// Flavour of a Python interpreter's mpi4py module, found without importing it.
MpiFlavour mpi4py_flavour(const std::string& python);

struct FlavourChoice {
  MpiFlavour flavour = MpiFlavour::unknown;
  std::string how;      ///< "the program needs libmpi.so.40"
  std::string warning;  ///< one sentence, e.g. the launcher belongs to the other MPI; may be empty
};

/// Decides which of our libraries is preloaded. `override_name`: "", "openmpi", "mpich".
/// Errors (usage): program missing, statically linked MPI, no MPI found.
Result<FlavourChoice> choose_flavour(const Launch& launch, const std::string& override_name);

}  // namespace mora::launcher
