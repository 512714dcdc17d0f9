#include "python/events/event_attributes.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <vector>

namespace mora::python {
namespace {

using A = Attribute;
using T = trace::EarlType;

constexpr AttributeName names[] = {
    {"num", A::num, false, "int: number of the event, 1 … len(trace), in time order"},
    {"node", A::node, false, "int: rank of the process it happened on (EARL's node number)"},
    {"time", A::time, false, "float: seconds since the start of the trace (mora.open(clock='trace'): its own clock)"},
    {"type", A::type, false, "str: 'ENTER', 'EXIT', 'SEND', 'RECV', …, or the name of a user-defined type"},
    {"enterptr", A::enterptr, false,
     "int or None: number of the ENTER of the region it lies in; of an EXIT, the ENTER it ends"},
    {"region", A::region, false, "str: name of the region entered or left (ENTER and exits)"},
    {"group", A::group, false, "str: group of that region; 'All' if the format has no groups"},
    {"src", A::src, false, "int: rank that sent it (RECV); that the data come from (PUT_1TE, GET_1TE, ATOMIC_1TE)"},
    {"dest", A::dest, false, "int: rank it goes to (SEND, PUT_1TS, GET_1TS, ATOMIC_1TS)"},
    {"tag", A::tag, false, "int: tag of the message (SEND, RECV)"},
    {"com", A::com, false, "int: index in trace.communicators, -1 if there is none"},
    {"len", A::len, false, "int: bytes. Right on RECV; on SEND it may be wrong in some formats"},
    {"sendptr", A::sendptr, false, "int or None: number of the SEND that this RECV takes"},
    {"data", A::data, false, "str: contents of a user-defined event"},
    {"pos", A::num, false, "int: num, in KOJAK's words"},
    {"loc", A::loc, false, "int: index of the location (process or thread) in trace.locations"},
    {"reg", A::region, false, "str: region, in KOJAK's words"},
    {"csite", A::csite, false, "str or None: call site of the region, 'file:line' (ENTER and exits)"},
    {"length", A::len, false, "int: len, in KOJAK's words"},
    {"root", A::root, false, "int or None: rank of the root of the collective operation"},
    {"sent", A::sent, false, "int: bytes this process sent"},
    {"recvd", A::recvd, false, "int: bytes this process received"},
    {"collective", A::collective, false, "str: 'barrier', 'bcast', 'allreduce', …"},
    {"win", A::win, false, "int or None: index in trace.windows"},
    {"members", A::members, false, "tuple of int: KOJAK's group of an MPIWEXIT, ranks in group order"},
    {"synex", A::synex, false, "bool: the call closes an epoch (MPIWEXIT)"},
    {"assertion", A::assertion, false, "str: assertions of the window call, 'noprecede+nosucceed'; '0' if none"},
    {"rmaid", A::rmaid, false, "int: number of the one-sided transfer, unique on its origin"},
    {"lloc", A::lloc, false, "int or None: rank whose window is locked or flushed; None: all of them (WFLUSH)"},
    {"target", A::lloc, false, "int or None: lloc, in MPI's words"},
    {"lock", A::lock, false, "str: 'exclusive' or 'shared' (WLOCK)"},
    {"lockid", A::lockid, false, "int: number of the lock (ALOCK, RLOCK)"},
    {"local", A::local, false, "bool: completes at the origin only (WFLUSH)"},
    {"request", A::request, false, "int: number of the request, unique on its location (NBC_*, IO_*)"},
    {"file", A::file, false, "str or None: name of the file (IO_*)"},
    {"metric", A::metric, false, "str: name of the counter (METRIC)"},
    {"value", A::value, false, "float: its value (METRIC)"},
    {"function", A::function, false, "str: name of the function in which the processor was (SAMPLE)"},
    {"startptr", A::startptr, false, "int or None: number of the start of what ends here"},
    {"originptr", A::originptr, false, "int or None: number of the GET_1TO that asked for this GET_1TS"},
    {"forkptr", A::forkptr, false, "int or None: number of the FORK that this JOIN ends"},
    {"lockptr", A::lockptr, false, "int or None: number of the previous event of the same lock"},
    {"prevptr", A::prevptr, false, "int or None: number of the previous exit of the same collective operation"},
    {"exitptr", A::exitptr, false, "int or None: number of the exit of the region entered here"},
    {"recvptr", A::recvptr, false,
     "int or None: number of the RECV that takes this SEND; an earlier one if the clocks disagree"},
    {"endptr", A::endptr, false, "int or None: number of the end of what starts here"},
    {"getptr", A::getptr, false, "int or None: number of the GET_1TS that this GET_1TO asks for"},
    {"joinptr", A::joinptr, false, "int or None: number of the JOIN that ends this FORK"},
    {"releaseptr", A::releaseptr, false, "int or None: number of the release of this lock by the same process"},
    {"nextptr", A::nextptr, false, "int or None: number of the next exit of the same collective operation"},
    {"latesendptr", A::latesendptr, false,
     "int or None: number of the SEND that this RECV takes where the clocks put the SEND behind it (sendptr is then "
     "None)"},
    {"rank", A::rank, false, "int: rank of the process in MPI_COMM_WORLD"},
    {"thread", A::thread, false, "int: thread of the process, 0 for the first"},
    {"time_ns", A::time_ns, false, "int: exact nanoseconds, same zero as `time`"},
    {"ordinal", A::ordinal, false, "int: number of the record in its location's stream, from 0"},
    {"is_enter", A::is_enter, false, "bool: it enters a region (ENTER)"},
    {"is_exit", A::is_exit, false,
     "bool: it leaves a region: EXIT, and MPICEXIT, MPIWCEXIT, MPIWEXIT, OMPCEXIT, which EARL called exit, too"},
    {"call_path", A::call_path, false,
     "tuple of str: regions from the outermost to the one it lies in (its own included), and the functions that its "
     "MPI call was made through, or in which a SAMPLE found the processor"},
    {"enter", A::enterptr, true, "Event or None: the event of enterptr"},
    {"exit", A::exitptr, true, "Event or None: the event of exitptr"},
    {"send", A::sendptr, true, "Event or None: the event of sendptr"},
    {"recv", A::recvptr, true, "Event or None: the event of recvptr"},
    {"start", A::startptr, true, "Event or None: the event of startptr"},
    {"end", A::endptr, true, "Event or None: the event of endptr"},
    {"origin", A::originptr, true, "Event or None: the event of originptr"},
    {"get_start", A::getptr, true, "Event or None: the event of getptr"},
    {"fork", A::forkptr, true, "Event or None: the event of forkptr"},
    {"join", A::joinptr, true, "Event or None: the event of joinptr"},
    {"previous_of_lock", A::lockptr, true, "Event or None: the event of lockptr"},
    {"release", A::releaseptr, true, "Event or None: the event of releaseptr"},
    {"previous", A::prevptr, true, "Event or None: the event of prevptr"},
    {"next", A::nextptr, true, "Event or None: the event of nextptr"},
    {"late_send", A::latesendptr, true, "Event or None: the event of latesendptr"},
};

/// What events of one type have beside what all have; the last of `own` is the backward pointer, if there is one.
struct TypeAttributes {
  T type;
  std::vector<A> own;
  A forward = A::none;
};

const TypeAttributes& of(T type) {
  static const std::vector<A> rma_end = {A::src, A::win, A::rmaid, A::len, A::startptr};
  static const std::vector<A> rma_start = {A::dest, A::win, A::rmaid, A::len};
  static const std::vector<A> nbc = {A::com, A::root, A::sent, A::recvd, A::collective, A::request};
  static const TypeAttributes all[] = {
      {T::enter, {A::region, A::group}, A::exitptr},
      {T::exit, {A::region, A::group}},
      {T::mpicexit, {A::region, A::group, A::com, A::root, A::sent, A::recvd, A::collective, A::prevptr}, A::nextptr},
      {T::mpiwcexit, {A::region, A::group, A::com, A::win, A::assertion, A::prevptr}, A::nextptr},
      {T::mpiwexit, {A::region, A::group, A::win, A::members, A::synex, A::assertion}},
      {T::send, {A::dest, A::tag, A::com, A::len}, A::recvptr},
      {T::recv, {A::src, A::tag, A::com, A::len, A::sendptr}, A::latesendptr},
      {T::put_1ts, rma_start, A::endptr},
      {T::put_1te, rma_end},
      {T::get_1to, {A::win, A::rmaid}, A::getptr},
      {T::get_1ts, {A::dest, A::win, A::rmaid, A::len, A::originptr}, A::endptr},
      {T::get_1te, rma_end},
      {T::wlock, {A::win, A::lloc, A::lock, A::assertion, A::lockptr}, A::releaseptr},
      {T::wunlock, {A::win, A::lloc, A::lockptr}},
      {T::ompcexit, {A::region, A::group, A::prevptr}, A::nextptr},
      {T::fork, {}, A::joinptr},
      {T::join, {A::forkptr}},
      {T::alock, {A::lockid, A::lockptr}, A::releaseptr},
      {T::rlock, {A::lockid, A::lockptr}},
      {T::nbc_start, nbc, A::endptr},
      {T::nbc_end, {A::com, A::root, A::sent, A::recvd, A::collective, A::request, A::startptr}},
      {T::atomic_1ts, rma_start, A::endptr},
      {T::atomic_1te, rma_end},
      {T::wflush, {A::win, A::lloc, A::local}},
      {T::io_start, {A::file, A::len, A::request}, A::endptr},
      {T::io_end, {A::file, A::len, A::request, A::startptr}},
      {T::metric, {A::metric, A::value}},
      {T::sample, {A::function}},
      {T::user, {A::data}},
  };
  static_assert(std::size(all) == trace::earl_type_count);
  const TypeAttributes& found = all[static_cast<std::size_t>(type)];
  assert(found.type == type);
  return found;
}

}  // namespace

std::span<const AttributeName> attribute_names() { return names; }

const char* name_of(Attribute attribute) {
  const auto* found = std::find_if(std::begin(names), std::end(names),
                                   [&](const AttributeName& n) { return n.attribute == attribute; });
  return found == std::end(names) ? "?" : found->name;
}

std::span<const Attribute> own_attributes(trace::EarlType type) { return of(type).own; }

Attribute forward_pointer(trace::EarlType type) { return of(type).forward; }

Attribute backward_pointer(trace::EarlType type) {
  const auto& own = of(type).own;
  if (own.empty() || own.back() < A::sendptr || own.back() > A::prevptr) return A::none;
  return own.back();
}

bool has_attribute(trace::EarlType type, Attribute attribute) {
  if (attribute <= A::call_path) return true;
  if (attribute == A::csite) return type == T::enter || trace::is_exit(type);
  if (attribute == A::sent && (type == T::put_1ts || type == T::get_1ts || type == T::atomic_1ts)) return true;
  if (attribute == A::recvd && (type == T::put_1te || type == T::get_1te || type == T::atomic_1te)) return true;
  if (attribute >= A::exitptr) return attribute == forward_pointer(type);
  const auto& own = of(type).own;
  return std::find(own.begin(), own.end(), attribute) != own.end();
}

}  // namespace mora::python
