/* Distributed products by ScaLAPACK, whose blocks each rank multiplies with its BLAS:
 *   mpirun -np 4 scalapack_products [M N K]
 * C = 2 op(A) op(B) - C by psgemm on a nearly square grid of ranks. Small integers make sums exact: each rank compares
 * its part of C bit by bit.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* ScaLAPACK and BLACS have no header. */
void Cblacs_pinfo(int *rank, int *ranks);
void Cblacs_get(int context, int what, int *value);
void Cblacs_gridinit(int *context, const char *order, int rows, int columns);
void Cblacs_gridinfo(int context, int *rows, int *columns, int *row, int *column);
void Cblacs_gridexit(int context);
int numroc_(const int *n, const int *block, const int *process, const int *source, const int *processes);
void descinit_(int *desc, const int *m, const int *n, const int *mb, const int *nb, const int *row_source,
               const int *column_source, const int *context, const int *lld, int *info);
void psgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const float *alpha,
             const float *a, const int *ia, const int *ja, const int *desca, const float *b, const int *ib,
             const int *jb, const int *descb, const float *beta, float *c, const int *ic, const int *jc,
             const int *descc);

enum { kBlock = 64 };
static const int kZero = 0, kOne = 1, kBlockSize = kBlock;

static int context, grid_rows, grid_columns, grid_row, grid_column;

/* A matrix in kBlock x kBlock blocks, dealt cyclically to the ranks. */
typedef struct {
  int desc[9];
  int rows, columns; /* this rank's part */
  float *data;
} Matrix;

/* A value from -4 to 4. */
static float element(uint32_t which, int i, int j) {
  uint32_t x = which * 2654435761u + (uint32_t)i * 2246822519u + (uint32_t)j * 3266489917u;
  x ^= x >> 15;
  x *= 2246822519u;
  x ^= x >> 13;
  return (float)(x % 9) - 4;
}

static int global_index(int local, int process, int processes) {
  return (local / kBlock * processes + process) * kBlock + local % kBlock;
}

static Matrix make_matrix(uint32_t which, int m, int n) {
  Matrix x;
  int info, i, j;
  x.rows = numroc_(&m, &kBlockSize, &grid_row, &kZero, &grid_rows);
  x.columns = numroc_(&n, &kBlockSize, &grid_column, &kZero, &grid_columns);
  const int lld = x.rows > 0 ? x.rows : 1;
  descinit_(x.desc, &m, &n, &kBlockSize, &kBlockSize, &kZero, &kZero, &context, &lld, &info);
  x.data = malloc(sizeof(float) * (size_t)lld * (size_t)(x.columns > 0 ? x.columns : 1));
  if (info != 0 || x.data == NULL) {
    fprintf(stderr, "scalapack_products: descinit: %d, or no memory\n", info);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  for (j = 0; j < x.columns; ++j) {
    for (i = 0; i < x.rows; ++i) {
      x.data[i + (size_t)j * (size_t)lld] =
          element(which, global_index(i, grid_row, grid_rows), global_index(j, grid_column, grid_columns));
    }
  }
  return x;
}

static long faults(const Matrix *c, int transa, int transb, int k) {
  long wrong = 0;
  int i, j, l;
  for (j = 0; j < c->columns; ++j) {
    for (i = 0; i < c->rows; ++i) {
      const int row = global_index(i, grid_row, grid_rows), column = global_index(j, grid_column, grid_columns);
      float sum = 0;
      for (l = 0; l < k; ++l) {
        sum += (transa ? element(1, l, row) : element(1, row, l)) *
               (transb ? element(2, column, l) : element(2, l, column));
      }
      wrong += c->data[i + (size_t)j * (size_t)c->rows] != 2 * sum - element(3, row, column);
    }
  }
  return wrong;
}

static long product(int transa, int transb, int m, int n, int k) {
  const float alpha = 2, beta = -1;
  Matrix a = transa ? make_matrix(1, k, m) : make_matrix(1, m, k);
  Matrix b = transb ? make_matrix(2, n, k) : make_matrix(2, k, n);
  Matrix c = make_matrix(3, m, n);
  long wrong;
  psgemm_(transa ? "T" : "N", transb ? "T" : "N", &m, &n, &k, &alpha, a.data, &kOne, &kOne, a.desc, b.data, &kOne,
          &kOne, b.desc, &beta, c.data, &kOne, &kOne, c.desc);
  wrong = faults(&c, transa, transb, k);
  free(a.data);
  free(b.data);
  free(c.data);
  return wrong;
}

int main(int argc, char **argv) {
  int rank, ranks, variant, m = 300, n = 260, k = 200;
  long wrong = 0, all = 0;
  MPI_Init(&argc, &argv);
  if (argc == 4) m = atoi(argv[1]), n = atoi(argv[2]), k = atoi(argv[3]);
  if ((argc != 1 && argc != 4) || m < 1 || n < 1 || k < 1 || k > 1 << 18) {
    fprintf(stderr, "usage: mpirun -np RANKS scalapack_products [M N K], K at most 262144\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  Cblacs_pinfo(&rank, &ranks);
  for (grid_rows = 1; (grid_rows + 1) * (grid_rows + 1) <= ranks; ++grid_rows) {
  }
  while (ranks % grid_rows != 0) --grid_rows;
  Cblacs_get(-1, 0, &context);
  Cblacs_gridinit(&context, "Row", grid_rows, ranks / grid_rows);
  Cblacs_gridinfo(context, &grid_rows, &grid_columns, &grid_row, &grid_column);
  for (variant = 0; variant < 4; ++variant) wrong += product(variant % 2, variant / 2, m, n, k);
  MPI_Reduce(&wrong, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%d ranks (%d x %d): %ld elements wrong\n", ranks, grid_rows, grid_columns, all);
  MPI_Bcast(&all, 1, MPI_LONG, 0, MPI_COMM_WORLD);
  Cblacs_gridexit(context);
  MPI_Finalize();
  return all != 0;
}
