#include "support/otf2/foreign_archive.h"

#include <otf2/otf2.h>

#include <cstdlib>
#include <functional>
#include <map>
#include <stdexcept>
#include <vector>

// Score-P 8 no longer writes these, older ones did.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace mora::trace {
namespace {

constexpr auto none = OTF2_UNDEFINED_STRING;
constexpr std::uint64_t base = 5000000;  // first stamp
const auto& L = foreign_locations;

OTF2_FlushType before_flush(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) { return OTF2_FLUSH; }
OTF2_FlushCallbacks flush_callbacks{before_flush, nullptr};

class Writer {
 public:
  explicit Writer(const std::string& directory)
      : archive_(OTF2_Archive_Open(directory.c_str(), "traces", OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_MIN,
                                   OTF2_CHUNK_SIZE_MIN, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE)) {
    if (archive_ == nullptr) throw std::runtime_error("no archive in " + directory);
    OTF2_Archive_SetFlushCallbacks(archive_, &flush_callbacks, nullptr);
    OTF2_Archive_SetSerialCollectiveCallbacks(archive_);
    OTF2_Archive_SetCreator(archive_, "foreign");
    OTF2_Archive_OpenEvtFiles(archive_);
    OTF2_Archive_OpenDefFiles(archive_);
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer() { OTF2_Archive_Close(archive_); }

  /// Writes the events of a location, then its clock offset at both ends.
  std::uint64_t events(std::uint64_t location, const std::function<void(OTF2_EvtWriter*)>& write,
                       std::int64_t offset = 0) {
    OTF2_EvtWriter* const writer = OTF2_Archive_GetEvtWriter(archive_, location);
    write(writer);
    std::uint64_t count = 0;
    OTF2_EvtWriter_GetNumberOfEvents(writer, &count);
    OTF2_Archive_CloseEvtWriter(archive_, writer);
    OTF2_DefWriter* const local = OTF2_Archive_GetDefWriter(archive_, location);
    if (offset != 0) {
      OTF2_DefWriter_WriteClockOffset(local, base, offset, 0);
      OTF2_DefWriter_WriteClockOffset(local, base + 2000, offset, 0);
    }
    OTF2_Archive_CloseDefWriter(archive_, local);
    return count;
  }

  OTF2_GlobalDefWriter* begin_definitions() {
    OTF2_Archive_CloseEvtFiles(archive_);
    OTF2_Archive_CloseDefFiles(archive_);
    definitions_ = OTF2_Archive_GetGlobalDefWriter(archive_);
    return definitions_;
  }
  OTF2_StringRef operator()(const char* text) {
    const auto [at, is_new] = strings_.emplace(text, static_cast<OTF2_StringRef>(strings_.size()));
    if (is_new) OTF2_GlobalDefWriter_WriteString(definitions_, at->second, text);
    return at->second;
  }
  void region(OTF2_RegionRef ref, const char* name, OTF2_RegionRole role, OTF2_Paradigm paradigm) {
    const OTF2_StringRef n = (*this)(name);
    OTF2_GlobalDefWriter_WriteRegion(definitions_, ref, n, n, none, role, paradigm, OTF2_REGION_FLAG_NONE,
                                     paradigm == OTF2_PARADIGM_MPI ? (*this)("MPI") : (*this)("app.c"), 10 + ref, 99);
  }
  void group(OTF2_GroupRef ref, const char* name, OTF2_GroupType type, OTF2_Paradigm paradigm,
             const std::vector<std::uint64_t>& members) {
    OTF2_GlobalDefWriter_WriteGroup(definitions_, ref, (*this)(name), type, paradigm, OTF2_GROUP_FLAG_NONE,
                                    static_cast<std::uint32_t>(members.size()), members.data());
  }
  void comm(OTF2_CommRef ref, const char* name, OTF2_GroupRef group, OTF2_CommRef parent = OTF2_UNDEFINED_COMM) {
    OTF2_GlobalDefWriter_WriteComm(definitions_, ref, (*this)(name), group, parent, OTF2_COMM_FLAG_NONE);
  }
  void process(OTF2_LocationGroupRef ref, const char* name, OTF2_SystemTreeNodeRef node,
               OTF2_LocationGroupType type = OTF2_LOCATION_GROUP_TYPE_PROCESS,
               OTF2_LocationGroupRef creator = OTF2_UNDEFINED_LOCATION_GROUP) {
    OTF2_GlobalDefWriter_WriteLocationGroup(definitions_, ref, (*this)(name), type, node, creator);
  }
  void location(OTF2_LocationRef ref, const char* name, OTF2_LocationType type, std::uint64_t events,
                OTF2_LocationGroupRef process) {
    OTF2_GlobalDefWriter_WriteLocation(definitions_, ref, (*this)(name), type, events, process);
  }
  void node(OTF2_SystemTreeNodeRef ref, const char* name, const char* kind,
            OTF2_SystemTreeNodeRef parent = OTF2_UNDEFINED_SYSTEM_TREE_NODE) {
    OTF2_GlobalDefWriter_WriteSystemTreeNode(definitions_, ref, (*this)(name), (*this)(kind), parent);
  }

 private:
  OTF2_Archive* archive_;
  OTF2_GlobalDefWriter* definitions_ = nullptr;
  std::map<std::string, OTF2_StringRef> strings_;
};

/// Stamps 10 ticks apart.
struct Stamps {
  std::uint64_t at = base;
  std::uint64_t operator()() { return at += 10; }
};

constexpr OTF2_MetricValue integer_value(std::int64_t v) {
  OTF2_MetricValue value{};
  value.signed_int = v;
  return value;
}

void rank_0(OTF2_EvtWriter* w) {
  Stamps t;
  OTF2_EvtWriter_ProgramBegin(w, nullptr, base, 0, 0, nullptr);
  OTF2_EvtWriter_Enter(w, nullptr, t(), 0);  // main
  OTF2_EvtWriter_ParameterString(w, nullptr, t(), 0, 0);
  OTF2_EvtWriter_ParameterInt(w, nullptr, t(), 1, -7);
  OTF2_EvtWriter_ParameterUnsignedInt(w, nullptr, t(), 2, 7);
  const OTF2_Type types[] = {OTF2_TYPE_INT64, OTF2_TYPE_DOUBLE};
  OTF2_MetricValue values[] = {integer_value(-5), {}};
  values[1].floating_point = 2.5;
  OTF2_EvtWriter_Metric(w, nullptr, t(), 0, 2, types, values);
  OTF2_EvtWriter_Enter(w, nullptr, t(), 1);  // MPI_Ibarrier
  OTF2_EvtWriter_NonBlockingCollectiveRequest(w, nullptr, t(), 1);
  OTF2_EvtWriter_Leave(w, nullptr, t(), 1);
  OTF2_EvtWriter_Enter(w, nullptr, t(), 2);  // MPI_Wait
  OTF2_EvtWriter_MpiRequestTest(w, nullptr, t(), 1);
  OTF2_EvtWriter_NonBlockingCollectiveComplete(w, nullptr, t(), OTF2_COLLECTIVE_OP_BARRIER, 0,
                                               OTF2_COLLECTIVE_ROOT_NONE, 0, 0, 1);
  OTF2_EvtWriter_Leave(w, nullptr, t(), 2);
  OTF2_EvtWriter_Enter(w, nullptr, t(), 3);  // !$omp parallel
  OTF2_EvtWriter_ThreadFork(w, nullptr, t(), OTF2_PARADIGM_OPENMP, 2);
  OTF2_EvtWriter_ThreadTeamBegin(w, nullptr, t(), 1);
  OTF2_EvtWriter_Enter(w, nullptr, t(), 4);  // !$omp for
  OTF2_EvtWriter_ThreadAcquireLock(w, nullptr, t(), OTF2_PARADIGM_OPENMP, 3, 1);
  OTF2_EvtWriter_ThreadReleaseLock(w, nullptr, t(), OTF2_PARADIGM_OPENMP, 3, 1);
  OTF2_EvtWriter_ThreadTaskCreate(w, nullptr, t(), 1, 0, 1);
  OTF2_EvtWriter_ThreadTaskSwitch(w, nullptr, t(), 1, 0, 1);
  OTF2_EvtWriter_ThreadTaskComplete(w, nullptr, t(), 1, 0, 1);
  OTF2_EvtWriter_Leave(w, nullptr, t(), 4);
  OTF2_EvtWriter_ThreadTeamEnd(w, nullptr, t(), 1);
  OTF2_EvtWriter_ThreadJoin(w, nullptr, t(), OTF2_PARADIGM_OPENMP);
  OTF2_EvtWriter_Leave(w, nullptr, t(), 3);
  OTF2_EvtWriter_ThreadCreate(w, nullptr, t(), 1, 77);
  OTF2_EvtWriter_ThreadWait(w, nullptr, t(), 1, 77);
  OTF2_EvtWriter_OmpFork(w, nullptr, t(), 4);
  OTF2_EvtWriter_OmpAcquireLock(w, nullptr, t(), 8, 1);
  OTF2_EvtWriter_OmpReleaseLock(w, nullptr, t(), 8, 1);
  OTF2_EvtWriter_OmpTaskCreate(w, nullptr, t(), 5);
  OTF2_EvtWriter_OmpTaskSwitch(w, nullptr, t(), 5);
  OTF2_EvtWriter_OmpTaskComplete(w, nullptr, t(), 5);
  OTF2_EvtWriter_OmpJoin(w, nullptr, t());
  OTF2_EvtWriter_CommCreate(w, nullptr, t(), 2);
  OTF2_EvtWriter_CommDestroy(w, nullptr, t(), 2);
  // One-sided.
  OTF2_EvtWriter_RmaCollectiveBegin(w, nullptr, t());
  OTF2_EvtWriter_RmaWinCreate(w, nullptr, t(), 0);
  OTF2_EvtWriter_RmaCollectiveEnd(w, nullptr, t(), OTF2_COLLECTIVE_OP_CREATE_HANDLE, OTF2_RMA_SYNC_LEVEL_PROCESS, 0,
                                  OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
  OTF2_EvtWriter_RmaRequestLock(w, nullptr, t(), 0, OTF2_UNDEFINED_UINT32, 0, OTF2_LOCK_SHARED);
  OTF2_EvtWriter_Enter(w, nullptr, t(), 5);  // MPI_Fetch_and_op
  OTF2_EvtWriter_RmaAtomic(w, nullptr, t(), 0, 1, OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ADD, 8, 16, 1);
  OTF2_EvtWriter_Leave(w, nullptr, t(), 5);
  OTF2_EvtWriter_RmaAtomic(w, nullptr, t(), 0, 1, OTF2_RMA_ATOMIC_TYPE_ACCUMULATE, 24, 0, 2);
  OTF2_EvtWriter_RmaAtomic(w, nullptr, t(), 0, 1, OTF2_RMA_ATOMIC_TYPE_COMPARE_AND_SWAP, 8, 8, 3);
  OTF2_EvtWriter_RmaPut(w, nullptr, t(), 0, 1, 100, 4);
  OTF2_EvtWriter_RmaGet(w, nullptr, t(), 0, 1, 200, 5);
  OTF2_EvtWriter_RmaOpTest(w, nullptr, t(), 0, 5);
  OTF2_EvtWriter_RmaOpCompleteBlocking(w, nullptr, t(), 0, 1);
  OTF2_EvtWriter_RmaOpCompleteNonBlocking(w, nullptr, t(), 0, 4);
  OTF2_EvtWriter_RmaOpCompleteRemote(w, nullptr, t(), 0, 4);
  OTF2_EvtWriter_Enter(w, nullptr, t(), 6);  // MPI_Win_flush_local
  OTF2_EvtWriter_RmaSync(w, nullptr, t(), 0, 1, OTF2_RMA_SYNC_TYPE_MEMORY);
  OTF2_EvtWriter_Leave(w, nullptr, t(), 6);
  OTF2_EvtWriter_RmaSync(w, nullptr, t(), 0, 1, OTF2_RMA_SYNC_TYPE_NOTIFY_IN);
  OTF2_EvtWriter_RmaWaitChange(w, nullptr, t(), 0);
  OTF2_EvtWriter_RmaReleaseLock(w, nullptr, t(), 0, OTF2_UNDEFINED_UINT32, 0);
  OTF2_EvtWriter_RmaTryLock(w, nullptr, t(), 0, 1, 0, OTF2_LOCK_EXCLUSIVE);
  OTF2_EvtWriter_RmaAcquireLock(w, nullptr, t(), 0, 1, 0, OTF2_LOCK_EXCLUSIVE);
  OTF2_EvtWriter_RmaReleaseLock(w, nullptr, t(), 0, 1, 0);
  OTF2_EvtWriter_RmaGroupSync(w, nullptr, t(), OTF2_RMA_SYNC_LEVEL_PROCESS, 0, 1);
  OTF2_EvtWriter_RmaCollectiveBegin(w, nullptr, t());
  OTF2_EvtWriter_RmaWinDestroy(w, nullptr, t(), 0);
  OTF2_EvtWriter_RmaCollectiveEnd(w, nullptr, t(), OTF2_COLLECTIVE_OP_DESTROY_HANDLE, OTF2_RMA_SYNC_LEVEL_PROCESS, 0,
                                  OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
  // Input and output.
  OTF2_EvtWriter_IoCreateHandle(w, nullptr, t(), 0, OTF2_IO_ACCESS_MODE_READ_WRITE, OTF2_IO_CREATION_FLAG_NONE,
                                OTF2_IO_STATUS_FLAG_NONE);
  OTF2_EvtWriter_IoOperationBegin(w, nullptr, t(), 0, OTF2_IO_OPERATION_MODE_WRITE, OTF2_IO_OPERATION_FLAG_NON_BLOCKING,
                                  4096, 42);
  OTF2_EvtWriter_IoOperationIssued(w, nullptr, t(), 0, 42);
  OTF2_EvtWriter_IoOperationTest(w, nullptr, t(), 0, 42);
  OTF2_EvtWriter_IoOperationComplete(w, nullptr, t(), 0, 4000, 42);
  OTF2_EvtWriter_IoOperationBegin(w, nullptr, t(), 1, OTF2_IO_OPERATION_MODE_READ, OTF2_IO_OPERATION_FLAG_NONE,
                                  OTF2_UNDEFINED_UINT64, 43);
  OTF2_EvtWriter_IoOperationCancelled(w, nullptr, t(), 1, 43);
  OTF2_EvtWriter_IoSeek(w, nullptr, t(), 0, 0, OTF2_IO_SEEK_FROM_START, 512);
  OTF2_EvtWriter_IoAcquireLock(w, nullptr, t(), 0, OTF2_LOCK_EXCLUSIVE);
  OTF2_EvtWriter_IoTryLock(w, nullptr, t(), 0, OTF2_LOCK_EXCLUSIVE);
  OTF2_EvtWriter_IoReleaseLock(w, nullptr, t(), 0, OTF2_LOCK_EXCLUSIVE);
  OTF2_EvtWriter_IoChangeStatusFlags(w, nullptr, t(), 0, OTF2_IO_STATUS_FLAG_SYNC);
  OTF2_EvtWriter_IoDuplicateHandle(w, nullptr, t(), 0, 1, OTF2_IO_STATUS_FLAG_NONE);
  OTF2_EvtWriter_IoDestroyHandle(w, nullptr, t(), 0);
  OTF2_EvtWriter_IoDeleteFile(w, nullptr, t(), 0, 0);
  // Messages; a calling context inside main.
  OTF2_EvtWriter_CallingContextEnter(w, nullptr, t(), 1, 1);
  OTF2_EvtWriter_CallingContextSample(w, nullptr, t(), 1, 1, 0);
  OTF2_EvtWriter_CallingContextLeave(w, nullptr, t(), 1);
  OTF2_EvtWriter_MpiSend(w, nullptr, t(), 1, 0, 5, 64);
  OTF2_EvtWriter_MpiIsend(w, nullptr, t(), 1, 0, 6, 32, 9);
  OTF2_EvtWriter_MpiIsendComplete(w, nullptr, t(), 9);
  OTF2_EvtWriter_MpiIrecvRequest(w, nullptr, t(), 10);
  OTF2_EvtWriter_MpiRequestCancelled(w, nullptr, t(), 10);
  OTF2_EvtWriter_MeasurementOnOff(w, nullptr, t(), OTF2_MEASUREMENT_OFF);
  OTF2_EvtWriter_MeasurementOnOff(w, nullptr, t(), OTF2_MEASUREMENT_ON);
  const std::uint64_t flush = t();
  OTF2_EvtWriter_BufferFlush(w, nullptr, flush, flush + 5);
  OTF2_EvtWriter_MpiCollectiveBegin(w, nullptr, t());
  OTF2_EvtWriter_MpiCollectiveEnd(w, nullptr, t(), OTF2_COLLECTIVE_OP_BCAST, 0, 1, 0, 8);
  OTF2_EvtWriter_Leave(w, nullptr, t(), 0);
  OTF2_EvtWriter_ProgramEnd(w, nullptr, t(), 0);
}

void define_score_p(Writer& d, const std::vector<std::uint64_t>& counts) {
  OTF2_GlobalDefWriter* const g = d.begin_definitions();
  OTF2_GlobalDefWriter_WriteClockProperties(g, 1000000000, base, 2000, OTF2_UNDEFINED_TIMESTAMP);
  d("app");  // string 0: the program, and a parameter's value
  d.node(0, "cluster", "machine");
  d.node(1, "n1", "node", 0);
  d.process(0, "MPI Rank 0", 1);
  d.process(1, "MPI Rank 1", 1);
  d.process(2, "CUDA of rank 0", 1, OTF2_LOCATION_GROUP_TYPE_ACCELERATOR, 0);
  d.location(L[0], "Master thread", OTF2_LOCATION_TYPE_CPU_THREAD, counts[0], 0);
  d.location(L[1], "OMP thread 1", OTF2_LOCATION_TYPE_CPU_THREAD, counts[1], 0);
  d.location(L[2], "CUDA[0:7]", OTF2_LOCATION_TYPE_ACCELERATOR_STREAM, counts[2], 2);
  d.location(L[3], "Master thread", OTF2_LOCATION_TYPE_CPU_THREAD, counts[3], 1);
  d.location(L[4], "power", OTF2_LOCATION_TYPE_METRIC, counts[4], 1);
  d.region(0, "main", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_COMPILER);
  d.region(1, "MPI_Ibarrier", OTF2_REGION_ROLE_BARRIER, OTF2_PARADIGM_MPI);
  d.region(2, "MPI_Wait", OTF2_REGION_ROLE_UNKNOWN, OTF2_PARADIGM_MPI);
  d.region(3, "!$omp parallel @app.c:13", OTF2_REGION_ROLE_PARALLEL, OTF2_PARADIGM_OPENMP);
  d.region(4, "!$omp for @app.c:14", OTF2_REGION_ROLE_LOOP, OTF2_PARADIGM_OPENMP);
  d.region(5, "MPI_Fetch_and_op", OTF2_REGION_ROLE_ATOMIC, OTF2_PARADIGM_MPI);
  d.region(6, "MPI_Win_flush_local", OTF2_REGION_ROLE_RMA, OTF2_PARADIGM_MPI);
  d.region(7, "kernel", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_CUDA);
  d.region(8, "solve", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER);
  d.group(0, "", OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, {L[0], L[3]});
  d.group(1, "", OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, {0, 1});
  d.group(2, "", OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_OPENMP, {L[0], L[1]});
  d.group(3, "", OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_OPENMP, {0, 1});
  d.group(4, "PHYSICS", OTF2_GROUP_TYPE_REGIONS, OTF2_PARADIGM_UNKNOWN, {8});
  d.group(5, "", OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, {1});
  d.comm(0, "MPI_COMM_WORLD", 1);
  d.comm(1, "OpenMP team", 3);
  d.comm(2, "half", 5, 0);
  OTF2_GlobalDefWriter_WriteRmaWin(g, 0, d("window"), 0, OTF2_RMA_WIN_FLAG_CREATE_DESTROY_EVENTS);
  const OTF2_StringRef count = d("#");
  const auto member = [&](OTF2_MetricMemberRef ref, const char* name, OTF2_Type type, OTF2_StringRef unit) {
    OTF2_GlobalDefWriter_WriteMetricMember(g, ref, d(name), none, OTF2_METRIC_TYPE_OTHER, OTF2_METRIC_ACCUMULATED_START,
                                           type, OTF2_BASE_DECIMAL, 0, unit);
  };
  member(0, "PAPI_TOT_INS", OTF2_TYPE_INT64, count);
  member(1, "ratio", OTF2_TYPE_DOUBLE, none);
  member(2, "power", OTF2_TYPE_UINT64, d("W"));
  const OTF2_MetricMemberRef pair[] = {0, 1}, power[] = {2};
  OTF2_GlobalDefWriter_WriteMetricClass(g, 0, 2, pair, OTF2_METRIC_SYNCHRONOUS_STRICT, OTF2_RECORDER_KIND_CPU);
  OTF2_GlobalDefWriter_WriteMetricClass(g, 1, 1, power, OTF2_METRIC_ASYNCHRONOUS, OTF2_RECORDER_KIND_ABSTRACT);
  OTF2_GlobalDefWriter_WriteMetricInstance(g, 2, 1, L[4], OTF2_SCOPE_SYSTEM_TREE_NODE, 1);
  OTF2_GlobalDefWriter_WriteParameter(g, 0, d("input"), OTF2_PARAMETER_TYPE_STRING);
  OTF2_GlobalDefWriter_WriteParameter(g, 1, d("n"), OTF2_PARAMETER_TYPE_INT64);
  OTF2_GlobalDefWriter_WriteParameter(g, 2, d("m"), OTF2_PARAMETER_TYPE_UINT64);
  OTF2_GlobalDefWriter_WriteIoParadigm(g, 0, d("POSIX"), d("POSIX I/O"), OTF2_IO_PARADIGM_CLASS_SERIAL,
                                       OTF2_IO_PARADIGM_FLAG_OS, 0, nullptr, nullptr, nullptr);
  OTF2_GlobalDefWriter_WriteIoRegularFile(g, 0, d("/scratch/out.dat"), 1);
  OTF2_GlobalDefWriter_WriteIoHandle(g, 0, none, 0, 0, OTF2_IO_HANDLE_FLAG_NONE, OTF2_UNDEFINED_COMM,
                                     OTF2_UNDEFINED_IO_HANDLE);
  OTF2_GlobalDefWriter_WriteIoHandle(g, 1, d("stdin"), OTF2_UNDEFINED_IO_FILE, 0, OTF2_IO_HANDLE_FLAG_PRE_CREATED,
                                     OTF2_UNDEFINED_COMM, OTF2_UNDEFINED_IO_HANDLE);
  OTF2_GlobalDefWriter_WriteInterruptGenerator(g, 0, d("timer"), OTF2_INTERRUPT_GENERATOR_MODE_TIME, OTF2_BASE_DECIMAL,
                                               -9, 1000);
  OTF2_GlobalDefWriter_WriteCallingContext(g, 0, 0, OTF2_UNDEFINED_SOURCE_CODE_LOCATION,
                                           OTF2_UNDEFINED_CALLING_CONTEXT);
  OTF2_GlobalDefWriter_WriteCallingContext(g, 1, 8, OTF2_UNDEFINED_SOURCE_CODE_LOCATION, 0);
}

void write_score_p(const std::string& directory) {
  Writer w(directory);
  std::vector<std::uint64_t> counts;
  counts.push_back(w.events(L[0], rank_0));
  counts.push_back(w.events(L[1], [](OTF2_EvtWriter* e) {
    Stamps t;
    OTF2_EvtWriter_ThreadBegin(e, nullptr, t(), 1, 77);
    OTF2_EvtWriter_ThreadTeamBegin(e, nullptr, t(), 1);
    OTF2_EvtWriter_Enter(e, nullptr, t(), 4);
    OTF2_EvtWriter_Leave(e, nullptr, t(), 4);
    OTF2_EvtWriter_ThreadTeamEnd(e, nullptr, t(), 1);
    OTF2_EvtWriter_ThreadEnd(e, nullptr, t(), 1, 77);
  }));
  counts.push_back(w.events(L[2], [](OTF2_EvtWriter* e) {
    Stamps t;
    OTF2_EvtWriter_Enter(e, nullptr, t(), 7);
    OTF2_EvtWriter_Leave(e, nullptr, t(), 7);
  }));
  counts.push_back(w.events(
      L[3],
      [](OTF2_EvtWriter* e) {
        Stamps t;
        t.at += 100;
        OTF2_EvtWriter_Enter(e, nullptr, t(), 0);
        OTF2_EvtWriter_MpiRecv(e, nullptr, base + 1500, 0, 0, 5, 64);
        OTF2_EvtWriter_MpiIrecvRequest(e, nullptr, base + 1510, 3);
        OTF2_EvtWriter_MpiIrecv(e, nullptr, base + 1900, 0, 0, 6, 32, 3);
        OTF2_EvtWriter_Leave(e, nullptr, base + 2000, 0);
      },
      -100));
  counts.push_back(w.events(L[4], [](OTF2_EvtWriter* e) {
    const OTF2_Type type = OTF2_TYPE_UINT64;
    OTF2_MetricValue value;
    value.unsigned_int = 250;
    OTF2_EvtWriter_Metric(e, nullptr, base + 50, 2, 1, &type, &value);
  }));
  define_score_p(w, counts);
}

void write_openmp(const std::string& directory) {
  Writer w(directory);
  const std::uint64_t master = w.events(0, [](OTF2_EvtWriter* e) {
    Stamps t;
    OTF2_EvtWriter_Enter(e, nullptr, t(), 0);
    OTF2_EvtWriter_ThreadFork(e, nullptr, t(), OTF2_PARADIGM_OPENMP, 2);
    OTF2_EvtWriter_ThreadTeamBegin(e, nullptr, t(), 0);
    OTF2_EvtWriter_Enter(e, nullptr, t(), 1);
    OTF2_EvtWriter_Leave(e, nullptr, t(), 1);
    OTF2_EvtWriter_ThreadTeamEnd(e, nullptr, t(), 0);
    OTF2_EvtWriter_ThreadJoin(e, nullptr, t(), OTF2_PARADIGM_OPENMP);
    OTF2_EvtWriter_Leave(e, nullptr, t(), 0);
  });
  w.events(1, [](OTF2_EvtWriter*) {});
  OTF2_GlobalDefWriter* const g = w.begin_definitions();
  OTF2_GlobalDefWriter_WriteClockProperties(g, 1000000, base, 200, OTF2_UNDEFINED_TIMESTAMP);  // microseconds
  w.node(0, "host", "node");
  w.process(0, "Process", 0);
  w.location(0, "Master thread", OTF2_LOCATION_TYPE_CPU_THREAD, master, 0);
  w.location(1, "OMP thread 1", OTF2_LOCATION_TYPE_CPU_THREAD, 0, 0);
  w.region(0, "main", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER);
  w.region(1, "!$omp implicit barrier", OTF2_REGION_ROLE_IMPLICIT_BARRIER, OTF2_PARADIGM_OPENMP);
  w.group(0, "", OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_OPENMP, {0, 1});
  w.group(1, "", OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_OPENMP, {0, 1});
  w.comm(0, "team", 1);
  w.comm(1, "team in the team", 1, 0);
}

void write_eztrace(const std::string& directory) {
  Writer w(directory);
  const auto process = [&](std::uint64_t location, std::uint32_t partner, bool sends, OTF2_RegionRef region) {
    w.events(location, [&](OTF2_EvtWriter* e) {
      Stamps t;
      OTF2_EvtWriter_ThreadBegin(e, nullptr, t(), OTF2_UNDEFINED_COMM, 0);
      OTF2_EvtWriter_Enter(e, nullptr, t(), region);
      if (sends)
        OTF2_EvtWriter_MpiSend(e, nullptr, t(), partner, 0, 0, 4);
      else
        OTF2_EvtWriter_MpiRecv(e, nullptr, t() + 10, partner, 0, 0, 4);
      OTF2_EvtWriter_Leave(e, nullptr, t() + 20, region);
    });
  };
  process(0, 1, true, 0);
  process(1073741823, 0, false, 1073741823);
  OTF2_GlobalDefWriter* const g = w.begin_definitions();
  w.node(0, "program", "program");
  w.process(0, "P#0", 0);
  w.location(0, "P#0T#0", OTF2_LOCATION_TYPE_CPU_THREAD, 2, 0);  // wrong counts, as EZTrace's
  w.process(1, "P#1", 0);
  w.location(1073741823, "P#1T#0", OTF2_LOCATION_TYPE_CPU_THREAD, 2, 1);
  w.group(0, "MPI_COMM_WORLD", OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, {0, 1073741823});
  w.group(0, "MPI_COMM_WORLD", OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, {0, 1});
  w.comm(0, "MPI_COMM_WORLD", 0);
  w.region(0, "Working", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER);
  w.region(0, "Working", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER);
  const OTF2_StringRef working = w("Working");
  OTF2_GlobalDefWriter_WriteRegion(g, 1073741823, working, working, none, OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER,
                                   OTF2_REGION_FLAG_NONE, w("app.c"), 10, 99);
  OTF2_GlobalDefWriter_WriteClockProperties(g, 1000000000, 0, 0, OTF2_UNDEFINED_TIMESTAMP);
}

void write_damaged(const std::string& directory) {
  Writer w(directory);
  const std::uint64_t count = w.events(3, [](OTF2_EvtWriter* e) {
    Stamps t;
    OTF2_EvtWriter_Enter(e, nullptr, t(), 99);
    OTF2_EvtWriter_MpiSend(e, nullptr, t(), 5, 0, 1, 8);
    OTF2_EvtWriter_MpiSend(e, nullptr, t(), 0, 77, 1, 8);
    OTF2_EvtWriter_MpiCollectiveEnd(e, nullptr, t(), 200, 77, 0, 1, 1);
    OTF2_EvtWriter_RmaPut(e, nullptr, t(), 9, 0, 1, 1);
    OTF2_EvtWriter_RmaGroupSync(e, nullptr, t(), OTF2_RMA_SYNC_LEVEL_PROCESS, 0, 55);
    const OTF2_Type type = OTF2_TYPE_INT64;
    const OTF2_MetricValue value = integer_value(1);
    OTF2_EvtWriter_Metric(e, nullptr, t(), 9, 1, &type, &value);
    OTF2_EvtWriter_Metric(e, nullptr, t(), 1, 1, &type, &value);
    OTF2_EvtWriter_ParameterString(e, nullptr, t(), 4, 4);
    OTF2_EvtWriter_ParameterInt(e, nullptr, t(), 4, 4);
    OTF2_EvtWriter_IoOperationBegin(e, nullptr, t(), 8, OTF2_IO_OPERATION_MODE_READ, OTF2_IO_OPERATION_FLAG_NONE, 1, 1);
    OTF2_EvtWriter_CallingContextEnter(e, nullptr, t(), 12, 1);
    OTF2_EvtWriter_Leave(e, nullptr, t(), 98);
  });
  OTF2_GlobalDefWriter* const g = w.begin_definitions();
  OTF2_GlobalDefWriter_WriteSystemTreeNode(g, 0, 500, 501, 0);  // its own parent, without a name
  w.process(0, "", 0);
  w.process(7, "", OTF2_UNDEFINED_SYSTEM_TREE_NODE);
  w.location(3, "", OTF2_LOCATION_TYPE_CPU_THREAD, count, 0);
  w.location(3, "", OTF2_LOCATION_TYPE_CPU_THREAD, count, 7);
  w.location(4, "", OTF2_LOCATION_TYPE_CPU_THREAD, 0, 12);  // of no process
  w.location(5, "", OTF2_LOCATION_TYPE_CPU_THREAD, 0, 0);   // without an event file
  w.group(0, "", OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, {3, 999});
  w.group(1, "", OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, {0, 1, 2});
  w.group(2, "", OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_SHMEM, {0});
  w.comm(0, "first", 1, 1);
  w.comm(1, "second", 2, 0);
  w.comm(2, "third", 88, 2);
  OTF2_GlobalDefWriter_WriteRmaWin(g, 0, none, 44, OTF2_RMA_WIN_FLAG_NONE);
  const OTF2_MetricMemberRef missing[] = {6};
  OTF2_GlobalDefWriter_WriteMetricClass(g, 1, 1, missing, OTF2_METRIC_SYNCHRONOUS_STRICT, OTF2_RECORDER_KIND_CPU);
  OTF2_GlobalDefWriter_WriteMetricInstance(g, 9, 8, 3, OTF2_SCOPE_LOCATION, 3);
  OTF2_GlobalDefWriter_WriteCallingContext(g, 12, 99, OTF2_UNDEFINED_SOURCE_CODE_LOCATION, 12);
}

// What leaves a thread unfinished is finished on another one.
void write_tasks(const std::string& directory) {
  Writer w(directory);
  const auto lost_tasks = [](OTF2_EvtWriter* e, Stamps& t) {
    for (int i = 0; i < 3; ++i) {
      OTF2_EvtWriter_Enter(e, nullptr, t(), 1);
      OTF2_EvtWriter_Enter(e, nullptr, t(), 2);
      OTF2_EvtWriter_Leave(e, nullptr, t(), 2);
    }
  };
  const std::uint64_t first = w.events(0, [&](OTF2_EvtWriter* e) {
    Stamps t;
    OTF2_EvtWriter_Enter(e, nullptr, t(), 0);
    lost_tasks(e, t);
    OTF2_EvtWriter_Enter(e, nullptr, t(), 1);
    OTF2_EvtWriter_Enter(e, nullptr, t(), 2);
    OTF2_EvtWriter_Leave(e, nullptr, t(), 1);
    OTF2_EvtWriter_Leave(e, nullptr, t(), 2);
    OTF2_EvtWriter_Leave(e, nullptr, t(), 0);
  });
  const std::uint64_t second = w.events(1, [&](OTF2_EvtWriter* e) {
    Stamps t;
    OTF2_EvtWriter_Leave(e, nullptr, t(), 1);
    OTF2_EvtWriter_Enter(e, nullptr, t(), 3);
    lost_tasks(e, t);
    OTF2_EvtWriter_Enter(e, nullptr, t(), 3);
    OTF2_EvtWriter_Leave(e, nullptr, t(), 3);
  });
  OTF2_GlobalDefWriter* const g = w.begin_definitions();
  OTF2_GlobalDefWriter_WriteClockProperties(g, 1000000000, base, 200, OTF2_UNDEFINED_TIMESTAMP);
  w.node(0, "host", "node");
  w.process(0, "Process", 0);
  w.location(0, "thread 0", OTF2_LOCATION_TYPE_CPU_THREAD, first, 0);
  w.location(1, "thread 1", OTF2_LOCATION_TYPE_CPU_THREAD, second, 0);
  w.region(0, "main", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER);
  w.region(1, "task", OTF2_REGION_ROLE_TASK, OTF2_PARADIGM_USER);
  w.region(2, "work", OTF2_REGION_ROLE_TASK, OTF2_PARADIGM_USER);
  w.region(3, "scheduler", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER);
}

void write_no_place(const std::string& directory) {
  Writer w(directory);
  OTF2_GlobalDefWriter* const g = w.begin_definitions();
  OTF2_GlobalDefWriter_WriteClockProperties(g, 1000000000, 0, 0, OTF2_UNDEFINED_TIMESTAMP);
  w.node(0, "host", "node");
}

}  // namespace

void ForeignArchive::write(Foreign kind, const std::string& directory) {
  switch (kind) {
    case Foreign::score_p:
      return write_score_p(directory);
    case Foreign::openmp:
      return write_openmp(directory);
    case Foreign::eztrace:
      return write_eztrace(directory);
    case Foreign::damaged:
      return write_damaged(directory);
    case Foreign::tasks:
      return write_tasks(directory);
    case Foreign::no_place:
      return write_no_place(directory);
  }
}

ForeignArchive::ForeignArchive(Foreign kind) { write(kind, directory_); }

}  // namespace mora::trace
