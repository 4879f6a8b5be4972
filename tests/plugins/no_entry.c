/* A shared library that is no backend. */
int mock_nothing(void);
int mock_nothing(void) { return 0; }
