/* A CPU BLAS other than OpenBLAS that reports its threads, THREADS(), and, as BLIS, VERSION(). Routines do nothing. */
#define EXPORT __attribute__((visibility("default")))

EXPORT void sgemm_(void);
EXPORT void ssymm_(void);
EXPORT void ssyrk_(void);
EXPORT void ssyr2k_(void);
EXPORT void strmm_(void);
EXPORT void strsm_(void);
void sgemm_(void) {}
void ssymm_(void) {}
void ssyrk_(void) {}
void ssyr2k_(void) {}
void strmm_(void) {}
void strsm_(void) {}

EXPORT int THREADS(void);
int THREADS(void) { return THREAD_COUNT; }

#ifdef VERSION
EXPORT const char *VERSION(void);
const char *VERSION(void) { return "0.9.9"; }
#endif
