#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wstringop-overflow" /* MPI_UNWEIGHTED */
#pragma GCC diagnostic ignored "-Wstringop-overread"
/* Asks everything about groups, communicators and topologies and prints the answers, a line each: the same in a real
 * run and in a dry run. With EVERYTHING_DIR the answers of each rank go to a file there (a real run); else to standard
 * output. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

static const char* relation(int result) {
  return result == MPI_IDENT       ? "ident"
         : result == MPI_CONGRUENT ? "congruent"
         : result == MPI_SIMILAR   ? "similar"
                                   : "unequal";
}

static void print_group(const char* name, MPI_Group group) {
  MPI_Group world;
  int n, mine;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_size(group, &n);
  MPI_Group_rank(group, &mine);
  int* in = malloc((n + 1) * sizeof(int));
  int* out = malloc((n + 1) * sizeof(int));
  for (int i = 0; i < n; i++) in[i] = i;
  MPI_Group_translate_ranks(group, n, in, world, out);
  printf("%s: size %d rank %d members", name, n, mine == MPI_UNDEFINED ? -1 : mine);
  for (int i = 0; i < n; i++) printf(" %d", out[i]);
  printf("\n");
  MPI_Group_free(&world);
  free(in);
  free(out);
}

static void print_comm(const char* name, MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) {
    printf("%s: none\n", name);
    return;
  }
  int r, n, inter, topology, self, world;
  MPI_Comm_rank(comm, &r);
  MPI_Comm_size(comm, &n);
  MPI_Comm_test_inter(comm, &inter);
  printf("%s: rank %d of %d inter %d", name, r, n, inter);
  if (!inter) {
    MPI_Topo_test(comm, &topology);
    MPI_Comm_compare(comm, MPI_COMM_WORLD, &world);
    MPI_Comm_compare(comm, MPI_COMM_SELF, &self);
    printf(" world %s self %s topology %s\n", relation(world), relation(self),
           topology == MPI_CART         ? "cart"
           : topology == MPI_GRAPH      ? "graph"
           : topology == MPI_DIST_GRAPH ? "dist"
                                        : "none");
  } else {
    printf("\n");
  }
  MPI_Group group;
  MPI_Comm_group(comm, &group);
  print_group(name, group);
  MPI_Group_free(&group);
  if (inter) {
    int remote;
    MPI_Comm_remote_size(comm, &remote);
    printf("%s: remote size %d\n", name, remote);
    MPI_Comm_remote_group(comm, &group);
    print_group(name, group);
    MPI_Group_free(&group);
  }
}

static void drop(MPI_Comm* comm) {
  if (*comm != MPI_COMM_NULL) MPI_Comm_free(comm);
}

static void groups(void) {
  MPI_Group world, even, odd, front, made;
  int result;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  int evens[1][3] = {{0, size - 1, 2}}, backwards[1][3] = {{size - 1, 0, -1}};
  MPI_Group_range_incl(world, 1, evens, &even);
  MPI_Group_range_excl(world, 1, evens, &odd);
  print_group("even", even);
  print_group("odd", odd);
  MPI_Group_range_incl(world, 1, backwards, &made);
  print_group("backwards", made);
  MPI_Group_compare(world, made, &result);
  printf("backwards is %s\n", relation(result));
  MPI_Group_free(&made);
  int* half = malloc(size * sizeof(int));
  for (int i = 0; i < (size + 1) / 2; i++) half[i] = (size + 1) / 2 - 1 - i;
  MPI_Group_incl(world, (size + 1) / 2, half, &front);
  print_group("front", front);
  MPI_Group_excl(world, (size + 1) / 2, half, &made);
  print_group("back", made);
  MPI_Group_compare(made, odd, &result);
  printf("back and odd %s\n", relation(result));
  MPI_Group_free(&made);
  MPI_Group_union(odd, front, &made);
  print_group("union", made);
  MPI_Group_free(&made);
  MPI_Group_intersection(front, even, &made);
  print_group("intersection", made);
  MPI_Group_free(&made);
  MPI_Group_difference(front, even, &made);
  print_group("difference", made);
  MPI_Group_free(&made);
  int in[2] = {0, MPI_PROC_NULL}, out[2];
  MPI_Group_translate_ranks(even, 2, in, odd, out);
  printf("translated %s %s\n", out[0] == MPI_UNDEFINED ? "undefined" : "a rank",
         out[1] == MPI_PROC_NULL ? "none" : "a rank");
  print_group("empty", MPI_GROUP_EMPTY);
  MPI_Comm comm;
  MPI_Comm_create(MPI_COMM_WORLD, rank % 2 ? odd : even, &comm);
  print_comm("create by parity", comm);
  drop(&comm);
  MPI_Comm_create(MPI_COMM_WORLD, front, &comm);
  print_comm("create front", comm);
  drop(&comm);
  if (rank % 2 == 0) {
    MPI_Comm_create_group(MPI_COMM_WORLD, even, 7, &comm);
    print_comm("create_group even", comm);
    drop(&comm);
  }
  MPI_Group_free(&world);
  MPI_Group_free(&even);
  MPI_Group_free(&odd);
  MPI_Group_free(&front);
  free(half);
}

static void splits(void) {
  MPI_Comm duplicate, by_three, nested, last, node, some;
  MPI_Comm_dup(MPI_COMM_WORLD, &duplicate);
  print_comm("dup", duplicate);
  MPI_Request request;
  MPI_Comm_idup(duplicate, &some, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  print_comm("idup", some);
  printf("idup: request %s\n", request == MPI_REQUEST_NULL ? "null" : "there");
  drop(&some);
  MPI_Comm_split(duplicate, rank % 3, -rank, &by_three);
  print_comm("split by three", by_three);
  int r, n;
  MPI_Comm_rank(by_three, &r);
  MPI_Comm_size(by_three, &n);
  MPI_Comm_split(by_three, r < n / 2, (r * 7) % 5, &nested);
  print_comm("nested", nested);
  MPI_Comm_rank(nested, &r);
  MPI_Comm_split(nested, r == 0 ? MPI_UNDEFINED : 3, 0, &last);
  print_comm("without the first", last);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, -rank, MPI_INFO_NULL, &node);
  print_comm("node", node);
  MPI_Comm_split(MPI_COMM_WORLD, rank == size - 1 ? 0 : MPI_UNDEFINED, 0, &some);
  print_comm("only the last", some);
  drop(&some);
  drop(&node);
  drop(&last);
  drop(&nested);
  drop(&by_three);
  drop(&duplicate);
}

static void inters(void) {
  if (size < 2) return;
  MPI_Comm half, inter, merged, again, split;
  const int lower = rank < (size + 1) / 2;
  MPI_Comm_split(MPI_COMM_WORLD, lower, size - rank, &half);
  int n_lower = (size + 1) / 2;
  /* the leader of a half is its first process: the one with the highest world rank */
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, lower ? size - 1 : n_lower - 1, 5, &inter);
  print_comm("inter", inter);
  MPI_Intercomm_merge(inter, lower, &merged);
  print_comm("merged, lower is high", merged);
  drop(&merged);
  MPI_Intercomm_merge(inter, !lower, &merged);
  print_comm("merged, upper is high", merged);
  drop(&merged);
  MPI_Comm_dup(inter, &again);
  print_comm("inter dup", again);
  int result;
  MPI_Comm_compare(inter, again, &result);
  printf("inter and dup %s\n", relation(result));
  drop(&again);
  if (size >= 4) {
    int r;
    MPI_Comm_rank(inter, &r);
    MPI_Comm_split(inter, r % 2, 0, &split);
    print_comm("inter split", split);
    drop(&split);
  }
  drop(&inter);
  drop(&half);
}

static void carts(void) {
  for (int ndims = 1; ndims <= 3; ndims++) {
    int dims[3] = {0}, periods[3] = {1, 0, 1}, got[3], got_periods[3], coords[3];
    MPI_Dims_create(size, ndims, dims);
    MPI_Comm cart, sub, duplicate;
    MPI_Cart_create(MPI_COMM_WORLD, ndims, dims, periods, 0, &cart);
    print_comm("cart", cart);
    int n, r;
    MPI_Cartdim_get(cart, &n);
    MPI_Cart_get(cart, 3, got, got_periods, coords);
    printf("cart of %d:", n);
    for (int d = 0; d < n; d++) printf(" %d/%d/%d", coords[d], got[d], got_periods[d]);
    printf("\n");
    for (int d = 0; d < ndims; d++)
      for (int disp = -2; disp <= 2; disp++) {
        int source, destination;
        MPI_Cart_shift(cart, d, disp, &source, &destination);
        printf("shift %d by %d: %d %d\n", d, disp, source == MPI_PROC_NULL ? -1 : source,
               destination == MPI_PROC_NULL ? -1 : destination);
      }
    for (int other = 0; other < size; other++) {
      MPI_Cart_coords(cart, other, 3, coords);
      coords[0] += dims[0]; /* periodic */
      MPI_Cart_rank(cart, coords, &r);
      if (r != other) printf("rank %d is at %d\n", other, r);
    }
    for (int kept = 0; kept < 1 << ndims; kept++) {
      int remain[3];
      for (int d = 0; d < ndims; d++) remain[d] = kept >> d & 1;
      MPI_Cart_sub(cart, remain, &sub);
      print_comm("cart sub", sub);
      if (sub == MPI_COMM_NULL) continue; /* MPICH, without any dimension */
      MPI_Cartdim_get(sub, &n);
      printf("sub of %d dimensions\n", n);
      if (n > 0) {
        MPI_Cart_get(sub, 3, got, got_periods, coords);
        for (int d = 0; d < n; d++) printf(" %d/%d/%d", coords[d], got[d], got_periods[d]);
        printf("\n");
      }
      drop(&sub);
    }
    MPI_Comm_dup(cart, &duplicate);
    print_comm("cart dup", duplicate);
    drop(&duplicate);
    drop(&cart);
  }
  int one[1] = {(size + 1) / 2}, period[1] = {0}, mapped;
  MPI_Comm part;
  MPI_Cart_create(MPI_COMM_WORLD, 1, one, period, 0, &part);
  print_comm("cart of half", part);
  drop(&part);
  MPI_Cart_map(MPI_COMM_WORLD, 1, one, period, &mapped);
  printf("mapped %d\n", mapped == MPI_UNDEFINED ? -1 : mapped);
}

static int by_value(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }

static void print_sorted(const char* name, int* list, int n) {
  qsort(list, n, sizeof(int), by_value);
  printf("%s:", name);
  for (int i = 0; i < n; i++) printf(" %d", list[i]);
  printf("\n");
}

static void dist_graph(const char* name, MPI_Comm graph, int sorted) {
  print_comm(name, graph);
  int in, out, weighted;
  MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
  printf("%s: %d in %d out weighted %d\n", name, in, out, weighted != 0);
  int* lists = calloc(2 * (in + out) + 4, sizeof(int));
  int *sources = lists, *source_weights = sources + in, *destinations = source_weights + in,
      *weights = destinations + out;
  if (weighted)
    MPI_Dist_graph_neighbors(graph, in, sources, source_weights, out, destinations, weights);
  else
    MPI_Dist_graph_neighbors(graph, in, sources, MPI_UNWEIGHTED, out, destinations, MPI_UNWEIGHTED);
  if (sorted) { /* MPI leaves the order open */
    if (weighted) {
      for (int i = 0; i < in; i++) sources[i] = sources[i] * 1000 + source_weights[i];
      for (int i = 0; i < out; i++) destinations[i] = destinations[i] * 1000 + weights[i];
    }
    print_sorted("sources", sources, in);
    print_sorted("destinations", destinations, out);
  } else {
    for (int i = 0; i < in; i++) printf("%s: source %d weight %d\n", name, sources[i], source_weights[i]);
    for (int i = 0; i < out; i++) printf("%s: destination %d weight %d\n", name, destinations[i], weights[i]);
  }
  free(lists);
}

static void graphs(void) {
  int* index = malloc(size * sizeof(int));
  int* edges = malloc(3 * size * sizeof(int));
  int n = 0, nodes, n_edges;
  const int part = size > 1 ? size - 1 : 1; /* the last process takes no part */
  for (int i = 0; i < part; i++) {
    edges[n++] = (i + 1) % part;
    if (i % 2) edges[n++] = (i + part - 1) % part;
    index[i] = n;
  }
  MPI_Comm graph;
  MPI_Graph_create(MPI_COMM_WORLD, part, index, edges, 0, &graph);
  print_comm("graph", graph);
  if (graph != MPI_COMM_NULL) {
    MPI_Graphdims_get(graph, &nodes, &n_edges);
    printf("graph of %d nodes, %d edges\n", nodes, n_edges);
    int* got_index = malloc(nodes * sizeof(int));
    int* got_edges = malloc((n_edges + 1) * sizeof(int));
    MPI_Graph_get(graph, nodes, n_edges, got_index, got_edges);
    printf("graph: same index %d edges %d\n", memcmp(index, got_index, nodes * sizeof(int)) == 0,
           memcmp(edges, got_edges, n_edges * sizeof(int)) == 0);
    for (int i = 0; i < nodes; i++) {
      int count, neighbors[2] = {-1, -1};
      MPI_Graph_neighbors_count(graph, i, &count);
      MPI_Graph_neighbors(graph, i, 2, neighbors);
      printf("graph: node %d has %d: %d %d\n", i, count, neighbors[0], neighbors[1]);
    }
    free(got_index);
    free(got_edges);
    MPI_Comm_free(&graph);
  }
  free(index);
  free(edges);
  int sources[2] = {(rank + size - 1) % size, rank}, destinations[2] = {(rank + 1) % size, rank},
      weights[2] = {rank, 100 + rank};
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, sources, MPI_UNWEIGHTED, 2, destinations, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &graph);
  dist_graph("adjacent", graph, 0);
  MPI_Comm_free(&graph);
  int source_weights[2] = {(rank + size - 1) % size, 100 + rank};
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, sources, source_weights, 2, destinations, weights, MPI_INFO_NULL, 0,
                                 &graph);
  dist_graph("adjacent weighted", graph, 0);
  MPI_Comm_free(&graph);
  /* each names the edges of the one after it */
  int node[1] = {(rank + 1) % size}, degree[1] = {2}, targets[2] = {(rank + 2) % size, (rank + 4) % size};
  MPI_Dist_graph_create(MPI_COMM_WORLD, 1, node, degree, targets, weights, MPI_INFO_NULL, 0, &graph);
  dist_graph("dist", graph, 1);
  MPI_Comm_free(&graph);
  MPI_Dist_graph_create(MPI_COMM_WORLD, rank == 0, node, degree, targets, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
  dist_graph("dist of rank 0", graph, 1);
  MPI_Comm_free(&graph);
}

static int deleted(MPI_Comm comm, int keyval, void* value, void* extra) {
  (void)comm;
  (void)keyval;
  (void)extra;
  printf("attribute %d deleted\n", *(int*)value);
  return MPI_SUCCESS;
}

static void attributes(void) {
  static int value = 17, at_end = 18, *got;
  int key, flag;
  MPI_Comm comm, copy;
  MPI_Comm_create_keyval(MPI_COMM_DUP_FN, deleted, &key, NULL);
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &comm);
  MPI_Comm_set_attr(comm, key, &value);
  MPI_Comm_dup(comm, &copy);
  MPI_Comm_get_attr(copy, key, &got, &flag);
  printf("copied %d %d\n", flag, flag ? *got : 0);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&comm);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, &at_end);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int error, class;
  error = MPI_Comm_split(MPI_COMM_WORLD, -5, 0, &comm);
  MPI_Error_class(error, &class);
  printf("a negative colour: class %d\n", class);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* directory = getenv("EVERYTHING_DIR");
  if (directory) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%d.txt", directory, rank);
    if (!freopen(path, "w", stdout)) return 1;
  }
  print_comm("world", MPI_COMM_WORLD);
  print_comm("self", MPI_COMM_SELF);
  groups();
  splits();
  inters();
  carts();
  graphs();
  attributes();
  int flag;
  MPI_Initialized(&flag);
  printf("initialized %d", flag);
  MPI_Finalized(&flag);
  printf(" finalized %d\n", flag);
  MPI_Finalize();
  MPI_Finalized(&flag);
  printf("at the end finalized %d\n", flag);
  return 0;
}
