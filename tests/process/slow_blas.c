/* Linked with the OpenBLAS of the machine, but slow to load, so that several threads make their first call meanwhile.
 */
#include <unistd.h>

__attribute__((constructor)) static void wait(void) { usleep(300000); }
