"""CuPy, JAX and PyTorch arrays on a GPU stay there, on the framework's stream; mixed devices are refused. Needs a GPU,
backend cuda, and one of the three."""

import importlib

import numpy
import pytest
from conftest import integers, reference
from test_conv import forward

import libsgemm

if not any(b.available and b.is_gpu for b in libsgemm.info()):
    pytest.skip("no backend has a GPU", allow_module_level=True)


def have(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        pytest.skip(f"needs {name}")


class CuPy:
    def __init__(self):
        self.to, self.back = have("cupy").asarray, have("cupy").asnumpy
        self.kind = have("cupy").ndarray


class Torch:
    def __init__(self):
        torch = have("torch")
        self.to, self.back = lambda x: torch.from_numpy(numpy.ascontiguousarray(x)).cuda(), lambda x: x.cpu().numpy()
        self.kind = torch.Tensor


class Jax:
    def __init__(self):
        jax = have("jax")
        try:
            gpu = jax.devices("gpu")[0]
        except RuntimeError:
            pytest.skip("JAX has no GPU")
        self.to, self.back, self.kind = lambda x: jax.device_put(x, gpu), numpy.asarray, jax.Array


@pytest.fixture(params=[CuPy, Torch, Jax], ids=["cupy", "torch", "jax"])
def framework(request):
    return request.param()


def on_gpu():
    return libsgemm.last_info().backend in ("cuda", "hip")


def test_products(rng, framework):
    a, b, c = integers(rng, 30, 40), integers(rng, 40, 50), integers(rng, 30, 50)
    result = libsgemm.gemm(framework.to(a), framework.to(b))
    assert isinstance(result, framework.kind) and on_gpu()
    numpy.testing.assert_array_equal(framework.back(result), reference(a, b))
    if framework.kind.__module__.startswith("jax"):
        return  # JAX's arrays are read-only
    out = framework.to(c)
    assert libsgemm.gemm(framework.to(a), framework.to(b), alpha=2, beta=3, out=out) is out and on_gpu()
    numpy.testing.assert_array_equal(framework.back(out), reference(a, b, alpha=2, beta=3, c=c))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_16_bit_inputs(rng, framework, dtype):
    a, b = integers(rng, 24, 32), integers(rng, 32, 16)
    to = framework.to
    if framework.kind.__module__.startswith("torch"):
        x, y = (getattr(to(z), "half" if dtype == "float16" else "bfloat16")() for z in (a, b))
    elif framework.kind.__module__.startswith("cupy") and dtype == "bfloat16":
        pytest.skip("CuPy has no bfloat16")
    else:
        x, y = to(a).astype(dtype), to(b).astype(dtype)
    numpy.testing.assert_array_equal(framework.back(libsgemm.gemm(x, y)), reference(a, b))
    assert on_gpu()


def test_batches_and_level3(rng, framework):
    a, b = integers(rng, 3, 20, 20), integers(rng, 3, 20, 20)
    numpy.testing.assert_array_equal(framework.back(libsgemm.gemm(framework.to(a), framework.to(b))), reference(a, b))
    lower = numpy.tril(integers(rng, 20, 20))
    to, back = framework.to, framework.back
    numpy.testing.assert_array_equal(back(libsgemm.syrk(to(lower))), numpy.tril(reference(lower, lower, "NT")))
    numpy.testing.assert_array_equal(back(libsgemm.trmm(to(lower), to(b[0]))), reference(lower, b[0]))
    numpy.fill_diagonal(lower, 1)
    product = reference(lower, b[0]).astype(numpy.float32)
    numpy.testing.assert_array_equal(back(libsgemm.trsm(to(lower), to(product))), b[0])
    assert on_gpu()


def test_modes_and_verification(rng, framework):
    a, b = (rng.standard_normal((300, 300)).astype(numpy.float32) for _ in range(2))
    for mode in ("fp32", "fp32_fast", "fp64", "bf16x6"):
        with libsgemm.using(mode=mode, verify="full"):
            result = framework.back(libsgemm.gemm(framework.to(a), framework.to(b)))
            assert on_gpu() and libsgemm.last_info().verify_ratio <= 1
        bound = 300 * 2.0**-24 * reference(abs(a), abs(b))
        assert (abs(result - reference(a, b)) <= bound).all()


def test_host_and_device_do_not_mix(rng, framework):
    a = integers(rng, 8, 8)
    with pytest.raises(ValueError, match="b is in host memory and a in cuda:0"):
        libsgemm.gemm(framework.to(a), a)


def test_plan(rng, framework):
    a, b = (rng.standard_normal((512, 512)).astype(numpy.float32) for _ in range(2))
    x = framework.to(a)
    plan = libsgemm.Plan(x, side="left", mode="fp16x3")
    result = framework.back(libsgemm.gemm(plan, framework.to(b)))
    assert abs(result - reference(a, b)).max() < 1e-3


def test_conv2d(rng, framework):
    x, f = integers(rng, 2, 16, 9, 9), integers(rng, 24, 16, 3, 3)
    result = libsgemm.conv2d(framework.to(x), framework.to(f), stride=2, padding=1)
    assert isinstance(result, framework.kind) and libsgemm.last_info().backend == "cuda"
    numpy.testing.assert_array_equal(framework.back(result), forward(x, f, stride=2, padding=1))


def test_cupy_streams(rng):
    cupy = have("cupy")
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        a = cupy.full((512, 512), 2, cupy.float32)
        for _ in range(50):
            a = cupy.sqrt(a * a)
        result = libsgemm.gemm(a, a) + 1
        total = float(result.sum())
    assert total == 2049.0 * 512 * 512


def test_two_frameworks(rng):
    torch, cupy = have("torch"), have("cupy")
    a, b = integers(rng, 16, 16), integers(rng, 16, 16)
    out = torch.zeros(16, 16, device="cuda")
    libsgemm.gemm(cupy.asarray(a), torch.from_numpy(b).cuda(), out=out)
    numpy.testing.assert_array_equal(out.cpu().numpy(), reference(a, b))
