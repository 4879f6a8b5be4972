/* The machine's OpenBLAS, with which this is linked, but slow to load: threads get into each other's way then. */
#include <unistd.h>

__attribute__((constructor)) static void wait(void) { usleep(300000); }
