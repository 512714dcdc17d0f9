# The one table of what Mora uses. tools/install-dependencies reads the rows; CMake checks them.
# Nothing is downloaded at build time. A new row needs a reason in docs/adr/ or in its last column.
#
# row: name | Debian 12 package | minimum version | need (build, test, runtime, fuzz, gate) | who uses it | why
set(MORA_DEPENDENCIES
  "g++            | g++                 | 12     | build   | all              | the compiler (C++20)"
  "CMake          | cmake               | 3.25   | build   | all              | the build"
  "Ninja          | ninja-build         | 1.11   | build   | all              | parallel builds with a fixed job pool"
  "pkg-config     | pkg-config          | 1.8    | build   | cmake            | finds libraries that ship no CMake package"
  "Open MPI       | libopenmpi-dev      | 4.1    | build   | measure          | one of the two MPI libraries that can be measured; OpenSHMEM (liboshmem) and its headers"
  "Open MPI run   | openmpi-bin         | 4.1    | build   | measure, demo    | mpirun.openmpi, mpicc.openmpi; oshrun, oshcc (tests/mpi/shmem)"
  "MPICH          | libmpich-dev        | 4.0    | build   | measure          | the other one"
  "MPICH run      | mpich               | 4.0    | build   | measure          | mpirun.mpich, mpicc.mpich"
  "OTF2           | libotf2-trace-dev   | 3.0    | build   | archive, trace   | the public trace format"
  "elfutils       | libdw-dev           | 0.188  | build   | experiment       | return address to file and line"
  "fmt            | libfmt-dev          | 9.1    | build   | all but measure  | formatting; g++ 12 has no std::format"
  "expected       | libexpected-dev     | 1.0    | build   | base             | tl::expected; g++ 12 has no std::expected"
  "CLI11          | libcli11-dev        | 2.1    | build   | cli              | argument parsing, one unit"
  "nlohmann-json  | nlohmann-json3-dev  | 3.11   | build   | experiment, report | reading JSON"
  "xxHash         | libxxhash-dev       | 0.8    | build   | cube, trace, experiment, predict | checksums of files"
  "zlib           | zlib1g-dev          | 1.2    | build   | cube, report     | compressed blocks of .cubex, the HTML report's data"
  "pugixml        | libpugixml-dev      | 1.13   | build   | cube             | reading anchor.xml of .cubex files"
  "zstd           | libzstd-dev         | 1.5    | build   | predict          | blocks of compact pattern traces"
  "cairo          | libcairo2-dev       | 1.16   | build   | predict          | heat maps as PNG; loaded when one is drawn, so only its headers are needed to build"
  "cpp-httplib    | libcpp-httplib-dev  | 0.11   | build   | serve            | HTTP on loopback for mora view, one unit"
  "hwloc          | libhwloc-dev        | 2.9    | build   | predict, cli     | topologies to place ranks on: XML files, synthetic descriptions"
  "Eigen          | libeigen3-dev       | 3.4    | build   | predict          | least squares of learned corrections; headers only, no system of equations of our own"
  "lstopo         | hwloc-nox           | 2.9    | test    | tests/map        | topologies for the real mpirun: oracle of placement"
  "GoogleTest     | libgtest-dev        | 1.12   | test    | tests            | unit tests"
  "Benchmark      | libbenchmark-dev    | 1.7    | test    | bench            | micro benchmarks"
  "mimalloc       | libmimalloc-dev     | 2.0    | test    | tests/exhaustive | hundreds of thousands of tiny analyses: a third less time"
  "otf2-print     | otf2-tools          | 3.0    | test    | tests            | independent reader: oracle"
  "python3-otf2   | python3-otf2        | 3.0    | test    | tests            | independent writer and reader: oracle"
  "Python         | python3             | 3.11   | build   | measure, tools   | generates the wrappers from the table of prototypes"
  "Python headers | python3-dev         | 3.11   | build   | python           | the module mora; without it everything else is built"
  "pybind11       | pybind11-dev        | 2.10   | build   | python           | bindings, all but events and their iterators"
  "NumPy          | python3-numpy       | 1.24   | runtime | python           | columns of events without a copy"
  "pandas         | python3-pandas      | 1.5    | test    | tests/python     | Columns.to_pandas()"
  "pytest         | python3-pytest      | 7.2    | test    | tests/python     | tests of the Python module"
  "six            | python3-six         | 1.16   | test    | tests            | python3-otf2 imports it without depending on it"
  "mpi4py         | python3-mpi4py      | 3.1    | test    | tests/mpi/record | a program that loads MPI at run time"
  "jsonschema     | python3-jsonschema  | 4.10   | test    | tests/schema     | every --json against its schema in docs/formats/schema/"
  "SimGrid        | simgrid             | 3.32   | test    | tests/simgrid    | independent simulator: oracle of predictions"
  "GNU time       | time                | 1.9    | test    | tests/mpi/record | what the kernel counted of a process: time without a core is compared with it"
  "pgrep          | procps              | 4.0    | test    | tests/fault      | finds the processes of a job"
  "pajeng         | pajeng              | 1.3    | test    | tests/export     | pj_dump: independent reader of Paje exports"
  "ViTE           | vite                | 1.2    | test    | tests/export     | likewise, draws them"
  "Chromium       | chromium            | 100    | test    | tests/cube, viewer | the HTML report and mora view in a real browser"
  "HPCC           | hpcc                | 1.5    | test    | tests/mpi        | a program nobody here wrote, recorded as it is"
  "LAMMPS         | lammps              | 20220106 | test  | tests/mpi        | likewise, in C++ with a shared library"
  "NetPIPE        | netpipe-openmpi     | 3.7    | test    | tests/mpi        | likewise, Open MPI's ping-pong"
  "NetPIPE MPICH  | netpipe-mpich2      | 3.7    | test    | tests/mpi        | likewise, MPICH's"
  "pj_dump        | pajeng              | 1.3    | test    | src/trace        | independent reader of Pajé: oracle"
  "gfortran       | gfortran            | 12     | test    | tests            | Fortran programs under measurement"
  "Clang          | clang               | 14     | test    | tests/mpi/record, tests/fuzz | programs with LLVM's OpenMP; libFuzzer drivers (cmake --preset fuzz)"
  "Clang OpenMP   | libomp-dev         | 14     | test    | tests/mpi/record | LLVM's OpenMP library: programs of the other runtime whose threads are recorded"
  "Clang runtime  | libclang-rt-14-dev  | 14     | fuzz    | tests/fuzz       | libFuzzer and the sanitizers of clang"
  "lld            | lld                 | 14     | fuzz    | tests/fuzz       | links the fifty programs of the sanitizers' builds in a quarter of the time"
  "clang-format   | clang-format        | 14     | gate    | tools/check      | the layout of every file; another version decides otherwise"
  "clang-tidy     | clang-tidy          | 14     | gate    | tools/gates      | names and common mistakes in changed files (.clang-tidy)"
  "ShellCheck     | shellcheck          | 0.9    | gate    | tools/check      | mistakes in shell scripts"
)

# What is missing is named at once, with the line that installs it, before any find_package stops at its own first miss.
if(MORA_TESTS)
  set(MORA_DEPENDENCY_SET all)
else()
  set(MORA_DEPENDENCY_SET build)
endif()
if(MORA_FUZZ)
  set(MORA_DEPENDENCY_SET fuzz)
endif()
execute_process(COMMAND "${CMAKE_SOURCE_DIR}/tools/install-dependencies" --missing ${MORA_DEPENDENCY_SET}
  OUTPUT_VARIABLE MORA_MISSING_PACKAGES OUTPUT_STRIP_TRAILING_WHITESPACE)
if(MORA_MISSING_PACKAGES)
  string(REPLACE "\n" " " MORA_MISSING_PACKAGES "${MORA_MISSING_PACKAGES}")
  message(WARNING "Missing packages; as root: apt-get install ${MORA_MISSING_PACKAGES}")
endif()

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(fmt 9.1 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(ZLIB REQUIRED)
set(Python3_EXECUTABLE /usr/bin/python3 CACHE FILEPATH "Debian's Python, not another on the PATH")
find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)
pkg_check_modules(LIBDW REQUIRED IMPORTED_TARGET libdw)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(HWLOC REQUIRED IMPORTED_TARGET hwloc)
pkg_check_modules(HTTPLIB REQUIRED IMPORTED_TARGET cpp-httplib)
pkg_check_modules(CAIRO REQUIRED IMPORTED_TARGET cairo)
find_package(pugixml REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(CLI11 2.1 REQUIRED)

find_path(OTF2_INCLUDE_DIR otf2/otf2.h REQUIRED)
find_library(OTF2_LIBRARY otf2 REQUIRED)
add_library(otf2_library INTERFACE)
add_library(otf2::otf2 ALIAS otf2_library)
target_include_directories(otf2_library SYSTEM INTERFACE "${OTF2_INCLUDE_DIR}")
target_link_libraries(otf2_library INTERFACE "${OTF2_LIBRARY}")

if(MORA_TESTS)
  find_package(GTest 1.12 REQUIRED)
  find_package(benchmark 1.7 REQUIRED)
endif()
