/* Graph topologies: MPI_Graph_create, whose argument is the whole graph, and the distributed ones. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "measure/standin/communicators/tables.h"
#include "measure/standin/core/registry.h"

int standin_Graph_create(struct standin_comm* comm, int nnodes, const int index[], const int edges[], int reorder,
                         MPI_Comm* made) {
  if (comm->remote_size > 0) return standin_error(comm, MPI_ERR_COMM);
  if (nnodes < 0 || nnodes > comm->size) return standin_error(comm, MPI_ERR_ARG);
  const int n_edges = nnodes > 0 ? index[nnodes - 1] : 0;
  for (int i = 0; i < n_edges; i++)
    if (edges[i] < 0 || edges[i] >= nnodes) return standin_error(comm, MPI_ERR_ARG);
  const uint64_t key = standin_creation_key(comm);
  *made = MPI_COMM_NULL;
  if (comm->rank >= nnodes) return MPI_SUCCESS;
  struct standin_comm* graph =
      standin_comm_make(comm, standin_hash(key, 8), standin_comm_members(comm), nnodes, NULL, 0);
  graph->topology = STANDIN_GRAPH;
  graph->nnodes = nnodes;
  graph->index = standin_copy(index, (size_t)nnodes * sizeof *index);
  graph->edges = standin_copy(edges, (size_t)n_edges * sizeof *edges);
  *made = graph->handle;
  return MPI_SUCCESS;
}

int standin_Graph_map(struct standin_comm* comm, int nnodes, const int index[], const int edges[], int* rank) {
  if (nnodes < 0 || nnodes > comm->size) return standin_error(comm, MPI_ERR_ARG);
#ifdef OPEN_MPI
  *rank = comm->rank;
#else
  *rank = comm->rank < nnodes ? comm->rank : MPI_UNDEFINED;
#endif
  return MPI_SUCCESS;
}

int standin_Graphdims_get(struct standin_comm* graph, int* nnodes, int* nedges) {
  if (graph->topology != STANDIN_GRAPH) return standin_error(graph, MPI_ERR_TOPOLOGY);
  *nnodes = graph->nnodes;
  *nedges = graph->index[graph->nnodes - 1];
  return MPI_SUCCESS;
}

int standin_Graph_get(struct standin_comm* graph, int maxindex, int maxedges, int index[], int edges[]) {
  if (graph->topology != STANDIN_GRAPH) return standin_error(graph, MPI_ERR_TOPOLOGY);
  const int n_edges = graph->index[graph->nnodes - 1];
  memcpy(index, graph->index, (size_t)(maxindex < graph->nnodes ? maxindex : graph->nnodes) * sizeof *index);
  memcpy(edges, graph->edges, (size_t)(maxedges < n_edges ? maxedges : n_edges) * sizeof *edges);
  return MPI_SUCCESS;
}

int standin_Graph_neighbors_count(struct standin_comm* graph, int rank, int* n) {
  if (graph->topology != STANDIN_GRAPH) return standin_error(graph, MPI_ERR_TOPOLOGY);
  if (rank < 0 || rank >= graph->nnodes) return standin_error(graph, MPI_ERR_RANK);
  *n = graph->index[rank] - (rank == 0 ? 0 : graph->index[rank - 1]);
  return MPI_SUCCESS;
}

int standin_Graph_neighbors(struct standin_comm* graph, int rank, int maximum, int neighbors[]) {
  if (graph->topology != STANDIN_GRAPH) return standin_error(graph, MPI_ERR_TOPOLOGY);
  if (rank < 0 || rank >= graph->nnodes) return standin_error(graph, MPI_ERR_RANK);
  const int first = rank == 0 ? 0 : graph->index[rank - 1];
  for (int i = first; i < graph->index[rank] && i - first < maximum; i++) neighbors[i - first] = graph->edges[i];
  return MPI_SUCCESS;
}

/* ---- distributed graphs ---- */

#ifdef OPEN_MPI
static int is_unweighted(const int* weights) { return weights == MPI_UNWEIGHTED; }
#else
/* Variables of the library, which this one is not linked against. */
static int is_unweighted(const int* weights) {
  static int* const* unweighted;
  if (!unweighted) unweighted = dlsym(RTLD_DEFAULT, "MPI_UNWEIGHTED");
  return unweighted && weights == *unweighted;
}
#endif

static struct standin_comm* make_dist_graph(struct standin_comm* comm, uint64_t key, int weighted) {
  int* members = comm->members || comm->size == 1 ? standin_comm_members(comm) : NULL;
  struct standin_comm* graph = standin_comm_make(comm, standin_hash(key, 9), members, comm->size, NULL, 0);
  graph->topology = STANDIN_DIST_GRAPH;
  graph->weighted = weighted;
  return graph;
}

int standin_Dist_graph_create_adjacent(struct standin_comm* comm, int indegree, const int sources[],
                                       const int sourceweights[], int outdegree, const int destinations[],
                                       const int destweights[], MPI_Info info, int reorder, MPI_Comm* made) {
  if (comm->remote_size > 0) return standin_error(comm, MPI_ERR_COMM);
  const uint64_t key = standin_creation_key(comm);
  const int weighted = !is_unweighted(sourceweights);
  struct standin_comm* graph = make_dist_graph(comm, key, weighted);
  graph->indegree = indegree;
  graph->outdegree = outdegree;
  graph->sources = standin_copy(sources, (size_t)indegree * sizeof *sources);
  graph->destinations = standin_copy(destinations, (size_t)outdegree * sizeof *destinations);
  if (weighted) {
    graph->source_weights = standin_copy(sourceweights, (size_t)indegree * sizeof *sources);
    graph->destination_weights = standin_copy(destweights, (size_t)outdegree * sizeof *destinations);
  }
  *made = graph->handle;
  return MPI_SUCCESS;
}

/* What a rank gives: n, weighted, then per edge source, target, weight. */
static int* edges_given(int n, const int nodes[], const int degrees[], const int targets[], const int weights[],
                        int weighted, int* words) {
  int count = 0;
  for (int i = 0; i < n; i++) count += degrees[i];
  int* list = standin_alloc(((size_t)count * 3 + 1) * sizeof *list);
  *words = count * 3 + 1;
  list[0] = weighted;
  for (int i = 0, at = 0; i < n; i++)
    for (int k = 0; k < degrees[i]; k++, at++) {
      list[1 + 3 * at] = nodes[i];
      list[2 + 3 * at] = targets[at];
      list[3 + 3 * at] = weighted ? weights[at] : 0;
    }
  return list;
}

struct edge_list {
  int n;
  int *ends, *weights;
};

static void append(struct edge_list* list, int end, int weight) {
  if ((list->n & (list->n - 1)) == 0) { /* 0 and powers of two: it is full */
    const size_t bytes = (size_t)(list->n > 0 ? 2 * list->n : 1) * sizeof(int);
    list->ends = realloc(list->ends, bytes);
    list->weights = realloc(list->weights, bytes);
    if (!list->ends || !list->weights) standin_stop("no memory");
  }
  list->ends[list->n] = end;
  list->weights[list->n++] = weight;
}

/* Any rank may name any rank's edges: the contributions of all are needed. Edges stand in the order of the ranks that
 * named them. */
int standin_Dist_graph_create(struct standin_comm* comm, int n, const int nodes[], const int degrees[],
                              const int targets[], const int weights[], MPI_Info info, int reorder, MPI_Comm* made) {
  if (comm->remote_size > 0) return standin_error(comm, MPI_ERR_COMM);
  const uint64_t key = standin_creation_key(comm);
  const int weighted = !is_unweighted(weights);
  int words;
  int* mine = edges_given(n, nodes, degrees, targets, weights, weighted, &words);
  standin_publish(key, mine, words);
  free(mine);
  int* all = standin_comm_members(comm);
  standin_call_for(key, all, comm->size);
  struct edge_list in = {0}, out = {0};
  for (int i = 0; i < comm->size; i++) {
    const struct standin_contribution* theirs = standin_published(key, all[i]);
    for (uint32_t at = 1; at + 2 < theirs->n; at += 3) {
      const int source = theirs->words[at], target = theirs->words[at + 1], weight = theirs->words[at + 2];
      if (target == comm->rank) append(&in, source, weight);
      if (source == comm->rank) append(&out, target, weight);
    }
  }
  free(all);
  struct standin_comm* graph = make_dist_graph(comm, key, weighted);
  graph->indegree = in.n;
  graph->sources = in.ends;
  graph->source_weights = in.weights;
  graph->outdegree = out.n;
  graph->destinations = out.ends;
  graph->destination_weights = out.weights;
  *made = graph->handle;
  return MPI_SUCCESS;
}

int standin_Dist_graph_neighbors_count(struct standin_comm* graph, int* indegree, int* outdegree, int* weighted) {
  if (graph->topology != STANDIN_DIST_GRAPH) return standin_error(graph, MPI_ERR_TOPOLOGY);
  *indegree = graph->indegree;
  *outdegree = graph->outdegree;
  *weighted = graph->weighted;
  return MPI_SUCCESS;
}

static void give(int* to, int* to_weights, int maximum, const int* from, const int* from_weights, int n, int weighted) {
  if (n > maximum) n = maximum;
  if (n <= 0) return;
  memcpy(to, from, (size_t)n * sizeof *to);
  if (weighted && !is_unweighted(to_weights)) memcpy(to_weights, from_weights, (size_t)n * sizeof *to);
}

int standin_Dist_graph_neighbors(struct standin_comm* graph, int maxindegree, int sources[], int sourceweights[],
                                 int maxoutdegree, int destinations[], int destweights[]) {
  if (graph->topology != STANDIN_DIST_GRAPH) return standin_error(graph, MPI_ERR_TOPOLOGY);
  give(sources, sourceweights, maxindegree, graph->sources, graph->source_weights, graph->indegree, graph->weighted);
  give(destinations, destweights, maxoutdegree, graph->destinations, graph->destination_weights, graph->outdegree,
       graph->weighted);
  return MPI_SUCCESS;
}
