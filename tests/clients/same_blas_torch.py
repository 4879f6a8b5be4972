# Products by PyTorch, scikit-learn and SciPy in one process, possibly with three BLAS.
import contextlib

import numpy as np
import torch
from scipy import linalg
from sklearn.decomposition import PCA
from sklearn.linear_model import Ridge
from sklearn.metrics.pairwise import rbf_kernel

from same_blas_report import add, matrix, print_report


def of_torch():
    for m, n, k in [(1, 9, 5), (64, 48, 80), (33, 257, 100), (500, 300, 700), (300, 1, 300)]:
        a, b = (torch.from_numpy(matrix(*shape)) for shape in ((m, k), (k, n)))
        add(*(x.numpy() for x in (a @ b, b.T @ a.T, torch.addmm(torch.ones(n), a, b, beta=0.5, alpha=2), a @ a.T)))
    a, b = torch.from_numpy(matrix(7, 40, 60)), torch.from_numpy(matrix(7, 60, 50))
    add(torch.bmm(a, b).numpy(), torch.einsum('bij,bjk->bki', a, b).contiguous().numpy())
    layer = torch.nn.Sequential(torch.nn.Linear(60, 80), torch.nn.Tanh(), torch.nn.Linear(80, 30))
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.copy_(torch.from_numpy(matrix(*parameter.shape)))
    layer(a).square().sum().backward()
    add(*(parameter.grad.numpy() for parameter in layer.parameters()))
    spd = torch.from_numpy(matrix(200, 200)) + 20 * torch.eye(200)
    add(torch.linalg.cholesky(spd @ spd.T).numpy(), torch.linalg.solve(spd, spd.T).numpy())


def of_others():
    x, y = matrix(400, 90), matrix(400, 3)
    add(PCA(12, svd_solver='full').fit_transform(x), Ridge(0.5, solver='cholesky').fit(x, y).coef_, rbf_kernel(x[:50], x))
    spd = x.T @ x + np.eye(90, dtype=np.float32)
    add(linalg.cholesky(spd), linalg.solve_triangular(linalg.cholesky(spd), x.T), linalg.blas.sgemm(1, x, spd))


def products():
    of_torch()
    of_others()


def limit():
    torch.set_num_threads(1)
    return contextlib.nullcontext()


def load():
    a = torch.from_numpy(matrix(1200, 1200))
    for _ in range(4):
        a @ a


print_report(products, limit, load)
