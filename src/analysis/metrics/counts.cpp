/// Counts: visits, messages, bytes, instances of wait states.
#include "analysis/metrics/registry.h"

namespace mora::analysis {

namespace {

MetricInfo count(std::string_view id, std::string_view name, std::string_view unique_name, std::string_view parent,
                 cube::Unit unit, std::string_view summary, std::string_view formula, std::string_view source,
                 std::string_view diagnosis, std::string_view advice) {
  return MetricInfo{id, name, unique_name, parent, unit, false, summary, formula, source, diagnosis, advice};
}

}  // namespace

const std::vector<MetricInfo>& count_metrics() {
  using enum cube::Unit;
  static const std::vector<MetricInfo> metrics = {
      count("visits", "Visits", "visits", "", occurrences, "How often a call path was entered.",
            "number of enters; of computation: number of stretches; of polls recorded as one call: their number",
            "Scalasca 2.6, Visits", "Many visits with little time each: the call's own cost counts.", "Combine calls."),
      count("messages-sent", "Messages Sent", "mora_messages_sent", "", occurrences, "Point-to-point messages sent.",
            "number of sends, at the call that started them",
            "Scalasca 2.6, MPI Point-to-point Send Communication Operations; Scalasca 2.6, MPI Point-to-point Send "
            "Synchronization Operations",
            "Which ranks and calls send most often.", "Combine small messages."),
      count("messages-received", "Messages Received", "mora_messages_received", "", occurrences,
            "Point-to-point messages received.", "number of completed receives, at the call that completed them",
            "Scalasca 2.6, MPI Point-to-point Receive Communication Operations; Scalasca 2.6, MPI Point-to-point "
            "Receive Synchronization Operations",
            "Which ranks and calls receive most often.", "Combine small messages."),
      count("bytes-sent", "Bytes Sent", "mora_bytes_sent", "", bytes, "Bytes sent by messages and collectives.",
            "sum of message lengths at the sender, and of the bytes sent by each member of a collective",
            "Scalasca 2.6, MPI Bytes Transferred", "Which ranks and calls send most.",
            "Send less: only what changed, smaller types."),
      count("bytes-received", "Bytes Received", "mora_bytes_received", "", bytes,
            "Bytes received by messages and collectives.",
            "sum of message lengths at the receiver, and of the bytes received by each member of a collective",
            "Scalasca 2.6, MPI Bytes Transferred", "Which ranks and calls receive most.",
            "Send less: only what changed, smaller types."),
      count("late-sender-instances", "Late Sender Instances", "mora_late_sender_count", "", occurrences,
            "Calls that waited for a late sender.", "number of late-sender amounts > 0",
            "Scalasca 2.6, MPI Late Sender Instances (Communications); Scalasca 2.6, MPI Late Sender Instances "
            "(Synchronizations)",
            "A few long waits need another remedy than many short ones.", "See late-sender."),
      count("late-sender-communications", "Late Sender, Communications", "mpi_cls_count", "late-sender-instances",
            occurrences, "Calls that waited for a late sender of a message with content.",
            "instances whose message has bytes > 0", "Scalasca 2.6, MPI Late Sender Instances (Communications)",
            "See late-sender.", "See late-sender."),
      count("late-sender-wrong-order-communications", "Late Sender, Wrong Order, Communications", "mpi_clswo_count",
            "late-sender-communications", occurrences,
            "Calls that waited for a late sender in wrong order, of a message with content.",
            "instances of late-sender-wrong-order whose message has bytes > 0",
            "Scalasca 2.6, MPI Late Sender, Wrong Order Instances (Communications)", "See late-sender-wrong-order.",
            "See late-sender-wrong-order."),
      count("late-sender-synchronizations", "Late Sender, Synchronizations", "mpi_sls_count", "late-sender-instances",
            occurrences, "Calls that waited for a late sender of an empty message.",
            "instances whose message has 0 bytes", "Scalasca 2.6, MPI Late Sender Instances (Synchronizations)",
            "The program synchronises by empty messages.", "See late-sender."),
      count("late-sender-wrong-order-synchronizations", "Late Sender, Wrong Order, Synchronizations", "mpi_slswo_count",
            "late-sender-synchronizations", occurrences,
            "Calls that waited for a late sender in wrong order, of an empty message.",
            "instances of late-sender-wrong-order whose message has 0 bytes",
            "Scalasca 2.6, MPI Late Sender, Wrong Order Instances (Synchronizations)", "See late-sender-wrong-order.",
            "See late-sender-wrong-order."),
      count("late-receiver-instances", "Late Receiver Instances", "mora_late_receiver_count", "", occurrences,
            "Calls that waited for a late receiver.", "number of late-receiver amounts > 0",
            "Scalasca 2.6, MPI Late Receiver Instances (Communications); Scalasca 2.6, MPI Late Receiver Instances "
            "(Synchronizations)",
            "A few long waits need another remedy than many short ones.", "See late-receiver."),
      count("late-receiver-communications", "Late Receiver, Communications", "mpi_clr_count", "late-receiver-instances",
            occurrences, "Calls that waited for a late receiver, with a message with content.",
            "instances whose message has bytes > 0", "Scalasca 2.6, MPI Late Receiver Instances (Communications)",
            "See late-receiver.", "See late-receiver."),
      count("late-receiver-synchronizations", "Late Receiver, Synchronizations", "mpi_slr_count",
            "late-receiver-instances", occurrences, "Calls that waited for a late receiver, with an empty message.",
            "instances whose message has 0 bytes", "Scalasca 2.6, MPI Late Receiver Instances (Synchronizations)",
            "The program synchronises by empty messages.", "See late-receiver."),
      count("polling-calls", "Polling Calls", "mora_polling_count", "", occurrences,
            "Tests and probes that found nothing.", "number of calls whose time is in polling", "Mora's rule polling",
            "Many of them: the program polls in a tight loop.", "See polling."),
      count("recorded-polls", "Recorded Polls", "mora_recorded_polls", "", occurrences,
            "Tests and probes; those in a row that found nothing are one, as they are recorded as one.",
            "number of enters of tests and probes", "Mora's rule polling",
            "How many records tests and probes take in a trace: what mora estimate counts.", "See polling."),
      count("recorded-readings", "Recorded Readings of the Core", "mora_recorded_readings", "", occurrences,
            "How often the kernel's counters of a thread were read; of a run with --stats, how often they would be.",
            "number of readings of CPU_TIME on a location, at the program", "Mora's rule not-running",
            "How many records of readings a trace takes: what mora estimate counts.", "See not-running."),
  };
  return metrics;
}

}  // namespace mora::analysis
