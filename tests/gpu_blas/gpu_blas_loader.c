/* Opens the library of its first argument privately, as an interpreter does, and passes the others on. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int count, char **arguments) {
  int (*client)(int, char **);
  void *library = count > 1 ? dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  void *symbol = library != NULL ? dlsym(library, "client") : NULL;
  if (symbol == NULL) {
    fprintf(stderr, "gpu_blas_loader: %s\n", dlerror());
    return 9;
  }
  memcpy(&client, &symbol, sizeof client);
  return client(count - 2, arguments + 2);
}
