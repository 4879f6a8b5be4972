/* Linked with OpenBLAS, but slow to load, so that several threads arrive meanwhile. */
#include <unistd.h>

__attribute__((constructor)) static void wait(void) { usleep(300000); }
