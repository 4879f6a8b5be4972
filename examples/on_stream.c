/* A handle on a CUDA stream, with matrices that stay on the GPU: calls are ordered on the stream and do not wait.
 * Exit status 77: no GPU. */
#include <cuda_runtime_api.h>
#include <libsgemm.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 512 };

static void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s\n", cudaGetErrorString(error));
  exit(1);
}

static void check_call(libsgemm_status_t status) {
  if (status == LIBSGEMM_SUCCESS) return;
  libsgemm_info_t info;
  libsgemm_last_info(&info);
  fprintf(stderr, "%s\n", info.message);
  exit(1);
}

int main(void) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    printf("no GPU here\n");
    return 77;
  }
  static float host[N * N];
  for (int i = 0; i < N * N; ++i) host[i] = 1.0f;
  float *A, *C;
  cudaStream_t stream;
  check(cudaMalloc((void **)&A, sizeof host));
  check(cudaMalloc((void **)&C, sizeof host));
  check(cudaStreamCreate(&stream));

  libsgemm_handle_t h;
  check_call(libsgemm_create(&h));
  check_call(libsgemm_set_stream(h, stream));
  check(cudaMemcpyAsync(A, host, sizeof host, cudaMemcpyHostToDevice, stream));
  /* C = A A, then C = A A^T + C: the second call waits for the first, the program for neither. */
  check_call(libsgemm_sgemm_h(h, LIBSGEMM_COL_MAJOR, LIBSGEMM_NO_TRANS, LIBSGEMM_NO_TRANS, N, N, N, 1.0f, A, N, A, N,
                              0.0f, C, N));
  check_call(libsgemm_sgemm_h(h, LIBSGEMM_COL_MAJOR, LIBSGEMM_NO_TRANS, LIBSGEMM_TRANS, N, N, N, 1.0f, A, N, A, N, 1.0f,
                              C, N));
  libsgemm_info_t info;
  libsgemm_last_info(&info);
  check(cudaMemcpyAsync(host, C, sizeof host, cudaMemcpyDeviceToHost, stream));
  check(cudaStreamSynchronize(stream));
  printf("C[0] = %g, by %s of %s on device %d\n", host[0], info.kernel, info.backend, info.device); /* 2 N */

  check_call(libsgemm_destroy(h));
  check(cudaStreamDestroy(stream));
  check(cudaFree(A));
  check(cudaFree(C));
  return host[0] == 2.0f * N ? 0 : 1;
}
