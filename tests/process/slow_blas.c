/* Linked with the OpenBLAS of the machine, but slow to load, so that several threads arrive during its load. */
#include <unistd.h>

__attribute__((constructor)) static void wait(void) { usleep(300000); }
