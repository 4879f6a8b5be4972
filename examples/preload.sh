#!/bin/sh
# A Python program on libsgemm without a change to it; what arrived is told at its end. PYTHON=... names another Python.
exec libsgemm run "${PYTHON:-python3}" -c '
import numpy as np

a = np.ones((500, 300), np.float32)
print("sum of the product:", (a @ a.T).sum())
'
