/// Late Sender in wrong order: texts only. The rule is in engine/wrong_order.cpp, since it looks at all receives of a
/// location.
#include "analysis/patterns/pattern.h"

namespace mora::analysis {

const MetricInfo wrong_order_info{
    "late-sender-wrong-order",
    "Late Sender, Wrong Order",
    "mpi_latesender_wo",
    "late-sender",
    cube::Unit::seconds,
    true,
    "A receive waits for a late message although another one was sent earlier and is taken later.",
    "The amount of each late-sender wait j for which a later call of the same location completes a receive i with "
    "E(enclosing(send(i))) < E(enclosing(send(j))). Every later receive counts, however much later; receives that the "
    "same call completes do not. The first such call decides the kind, within it the message sent earliest (then the "
    "smallest source).",
    "Scalasca 2.6, MPI Late Sender, Wrong Order Time; Mora's rule late-sender-wrong-order",
    "The receiver takes messages in an order that does not fit the order in which they are sent.",
    "Receive with MPI_ANY_SOURCE or MPI_ANY_TAG, or post all receives and use MPI_Waitany."};

const MetricInfo late_sender_avoidable_info{
    "late-sender-avoidable",
    "Late Sender, Avoidable",
    "mora_latesender_avoidable",
    "",
    cube::Unit::seconds,
    false,
    "Waiting for a late message in which the receiver could have worked on others that were there.",
    "Of each late-sender wait j until s(j) = E(enclosing(send(j))): the messages i with s(i) < s(j) that the location "
    "takes in later calls, before it starts a send or takes part in a collective, are taken in the order of s(i), from "
    "the enter of j or s(i) on, each for as long as the location computes after the call that takes i; the sum until "
    "s(j). After the last call before the send or collective at most the mean of the calls before it counts. No "
    "message "
    "counts twice. 0 if causes are not asked for.",
    "Mora's rule avoidable-order",
    "The receiver takes messages in a fixed order, and works on each before it takes the next.",
    "Receive with MPI_ANY_SOURCE or MPI_ANY_TAG, or post all receives and use MPI_Waitany."};

const MetricInfo wrong_order_different_source_info{
    "late-sender-wrong-order-different-source",
    "Late Sender, Wrong Order, Different Sources",
    "mpi_lswo_different",
    "late-sender-wrong-order",
    cube::Unit::seconds,
    true,
    "A receive waits for a late message although another rank's message was sent earlier and is taken later.",
    "The part of late-sender-wrong-order with source(i) != source(j).",
    "Scalasca 2.6, MPI Late Sender, Wrong Order Time / Different Sources; Mora's rule late-sender-wrong-order",
    "The receiver serves the senders in a fixed order, and one early in that order is slow.",
    "Receive with MPI_ANY_SOURCE, or post all receives and use MPI_Waitany."};

const MetricInfo wrong_order_same_source_info{
    "late-sender-wrong-order-same-source",
    "Late Sender, Wrong Order, Same Source",
    "mpi_lswo_same",
    "late-sender-wrong-order",
    cube::Unit::seconds,
    true,
    "A receive waits for a late message although another one of the same rank was sent earlier and is taken later.",
    "The part of late-sender-wrong-order with source(i) = source(j): tags or communicators are taken in another order "
    "than they are sent in.",
    "Scalasca 2.6, MPI Late Sender, Wrong Order Time / Same Source; Mora's rule late-sender-wrong-order",
    "Sender and receiver use different orders for their messages.",
    "Receive in the order of sending, or send in the order of receiving."};

}  // namespace mora::analysis
