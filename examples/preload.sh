#!/bin/sh
# An unchanged Python program on libsgemm, which reports the calls at its end. PYTHON=...: another Python.
exec libsgemm run "${PYTHON:-python3}" -c '
import numpy as np

a = np.ones((500, 300), np.float32)
print("sum of the product:", (a @ a.T).sum())
'
