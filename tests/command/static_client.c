/* Statically linked: no library can be preloaded. */
int main(void) { return 0; }
