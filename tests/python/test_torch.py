"""PyTorch tensors, and PyTorch's own products by libsgemm, on the CPU and a GPU if present. Needs torch, and a C++
compiler for torch.compile."""

import shutil

import numpy
import pytest

import libsgemm

torch = pytest.importorskip("torch", minversion="2.10")
import libsgemm.torch  # noqa: E402

X = numpy.ones((2, 2), numpy.float32)


@pytest.fixture(autouse=True)
def off():
    libsgemm.torch.disable()
    torch.manual_seed(1)
    yield
    libsgemm.torch.disable()


@pytest.fixture(params=["cpu", "cuda"])
def device(request):
    """Device of the test's tensors."""
    if request.param == "cuda" and not torch.cuda.is_available():
        pytest.skip("PyTorch has no GPU")
    with torch.device(request.param):
        yield request.param


def by_libsgemm(call):
    """A call's result, and the library entry that computed it, or ""."""
    libsgemm.syrk(X, backend="ref")
    result = call()
    entry = libsgemm.last_info().entry
    return result, "" if entry == "libsgemm_ssyrk_h" else entry


def close(x, y):
    return torch.allclose(x, y, rtol=1e-5, atol=1e-5)


def test_tensors(device):
    a, b = torch.randn(3, 4), torch.randn(5, 4)
    out = torch.empty(3, 5)
    assert libsgemm.gemm(a, b.T, out=out) is out and close(out, a @ b.T)
    result = libsgemm.gemm(a.bfloat16(), b.bfloat16(), trans="NT")
    assert type(result) is torch.Tensor and result.dtype is torch.float32
    assert close(result, a.bfloat16().float() @ b.bfloat16().float().T)
    frozen = torch.nn.Parameter(b, requires_grad=False)
    assert close(libsgemm.gemm(a, frozen, trans="NT"), a @ b.T)
    t = torch.tril(torch.randn(3, 3)) + 3 * torch.eye(3)
    assert close(t @ libsgemm.trsm(t, a), a)
    assert close(libsgemm.syrk(a), torch.tril(a @ a.T))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="PyTorch has no GPU")
def test_the_current_stream():
    # The stream makes operands late, and reads the result: it is right only if the product is in this stream, too.
    with torch.cuda.stream(torch.cuda.Stream()), torch.device("cuda"):
        for call in (libsgemm.gemm, torch.mm):
            with libsgemm.torch.enabled():
                torch.cuda._sleep(50_000_000)
                a = torch.full((512, 512), 2.0)
                result = call(a, a) + 1
            torch.cuda.current_stream().synchronize()
            assert (result == 2049).all()
    with pytest.raises(ValueError, match="all be in one place"):
        libsgemm.gemm(a, torch.ones(512, 512))


def test_tensors_refused():
    a, b = torch.randn(3, 4), torch.randn(4, 4)
    with pytest.raises(ValueError, match=r"b requires grad, .*pass b.detach\(\), or use libsgemm.torch"):
        libsgemm.gemm(a, b.requires_grad_())
    for call in libsgemm.trmm, libsgemm.trsm:
        with pytest.raises(ValueError, match=r"b requires grad, .*pass b.detach\(\), or use libsgemm.torch"):
            call(torch.eye(4), b)
    with pytest.raises(ValueError, match=r"pass a.contiguous\(\)"):
        libsgemm.gemm(torch.randn(6, 8)[::2, ::2], b.detach())
    with pytest.raises(TypeError, match="a has dtype torch.float64"):
        libsgemm.gemm(a.double(), b.detach())
    with pytest.raises(ValueError, match="b cannot be used as it is: "):
        libsgemm.gemm(a, b.detach().to_sparse())
    with pytest.raises(ValueError, match="meta"):
        libsgemm.gemm(a, b.detach().to("meta"))
    with pytest.raises(ValueError, match="b cannot be used as it is: .*negated view"):
        libsgemm.gemm(torch.randn(3, 4), torch.randn(4, 8, dtype=torch.complex64).conj().imag)


PRODUCTS = {
    "mm": lambda a, b, c: a @ b,
    "mm.out": lambda a, b, c: torch.mm(a, b, out=torch.empty(4, 6)),
    "mm, transposed": lambda a, b, c: torch.mm(b.T, a.T),
    "addmm": lambda a, b, c: torch.addmm(c, a, b, beta=2, alpha=3),
    "addmm, expanded": lambda a, b, c: torch.addmm(c[0], a, b),
    "addmm, beta 0": lambda a, b, c: torch.addmm(c * float("nan"), a, b, beta=0),
    "addmm.out": lambda a, b, c: torch.addmm(c, a, b, beta=2, out=torch.empty(4, 6)),
    "addmm.out, in place": lambda a, b, c: (lambda d: torch.addmm(d, a, b, beta=2, out=d))(c.clone()),
    "bmm": lambda a, b, c: torch.bmm(a.expand(3, 4, 5), torch.stack([b, 2 * b, b])),
    "bmm.out": lambda a, b, c: torch.bmm(a[None], b[None], out=torch.empty(1, 4, 6)),
    "baddbmm": lambda a, b, c: torch.baddbmm(c, a[None], b[None], alpha=2),
    "linear": lambda a, b, c: torch.nn.functional.linear(a, b.T, c[0]),
    "linear, 3 dimensions": lambda a, b, c: torch.nn.functional.linear(a.reshape(2, 2, 5), b.T.contiguous()),
    "einsum": lambda a, b, c: torch.einsum("ij,jk->ik", a, b),
    "empty": lambda a, b, c: a[:0] @ b,
    "no terms": lambda a, b, c: a[:, :0] @ b[:0],
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_products(device, name):
    operands = torch.randn(4, 5), torch.randn(5, 6), torch.randn(4, 6)
    expected, before = by_libsgemm(lambda: PRODUCTS[name](*operands))
    libsgemm.torch.enable()
    result, during = by_libsgemm(lambda: PRODUCTS[name](*operands))
    libsgemm.torch.disable()
    _, after = by_libsgemm(lambda: PRODUCTS[name](*operands))
    assert before == after == "" and during.startswith("libsgemm_sgemm")
    assert result.shape == expected.shape and close(result, expected)


NOT_OURS = {
    "float64": lambda a, b: a.double() @ b.double(),
    "bfloat16": lambda a, b: a.bfloat16() @ b.bfloat16(),
    "sparse": lambda a, b: a.to_sparse() @ b,
    "strides": lambda a, b: torch.randn(8, 10)[::2, ::2] @ b,
    "conjugated": lambda a, b: (a + 1j * a).conj() @ (b + 0j),
}


@pytest.mark.parametrize("name", NOT_OURS)
def test_the_rest_stays_with_pytorch(device, name):
    with libsgemm.torch.enabled():
        result, entry = by_libsgemm(lambda: NOT_OURS[name](torch.randn(4, 5), torch.randn(5, 6)))
    assert entry == "" and result.shape == (4, 6)


def test_errors_are_pytorchs():
    with libsgemm.torch.enabled():
        with pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
            torch.randn(4, 5) @ torch.randn(4, 5)
        with pytest.raises(RuntimeError):
            torch.addmm(torch.randn(3, 3), torch.randn(4, 5), torch.randn(5, 6))
        with pytest.raises(RuntimeError, match="dtype"):
            torch.mm(torch.randn(4, 5), torch.randn(5, 6).double())


def test_an_output_that_is_an_operand_is_pytorchs_affair():
    a, b = torch.randn(4, 4), torch.randn(4, 4)
    with libsgemm.torch.enabled():
        _, entry = by_libsgemm(lambda: torch.mm(a, b, out=a))
        assert entry == ""
        _, entry = by_libsgemm(lambda: torch.addmm(b, a, b, out=b))
        assert entry == ""


def gradients(model, x):
    model.zero_grad()
    model(x).square().sum().backward()
    return [p.grad.clone() for p in model.parameters()]


def model():
    return torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 3))


def test_autograd(device):
    net, x = model(), torch.randn(5, 8)
    expected = gradients(net, x)
    with libsgemm.torch.enabled():
        found, entry = by_libsgemm(lambda: gradients(net, x))
        assert entry == "libsgemm_sgemm_h"
    assert all(close(x, y) for x, y in zip(found, expected))


def test_settings_reach_the_threads_of_autograd(device):
    a, b = torch.randn(4, 5, requires_grad=True), torch.randn(5, 6)
    seen = []
    a.register_hook(lambda _: seen.append(libsgemm.last_info()))  # called in the thread that computes the gradient
    with libsgemm.using(verify="full"):
        libsgemm.torch.enable(mode="bf16")
    (a @ b).square().sum().backward()  # square(): without it the gradient has strides of 0, and PyTorch computes it
    assert seen[0].math_mode == "bf16" and seen[0].verify_ratio >= 0


def test_vmap_and_functional_transforms():
    a, b = torch.randn(3, 4, 5), torch.randn(5, 6)
    with libsgemm.torch.enabled():
        assert close(torch.vmap(torch.mm, in_dims=(0, None))(a, b), a @ b)
        jacobian = torch.func.jacrev(lambda x: x @ b)(a[0])
    assert jacobian.shape == (4, 6, 4, 5)


def test_mode(device):
    a, b = torch.randn(64, 64), torch.randn(64, 64)
    exact = a.double() @ b.double()
    with libsgemm.torch.enabled(mode="bf16"):
        rounded = a @ b
        assert libsgemm.last_info().math_mode == "bf16"
        with libsgemm.torch.enabled():
            a @ b
            assert libsgemm.last_info().math_mode in ("fp32", "fp64")  # the fastest kernel for FP32
        a @ b
        assert libsgemm.last_info().math_mode == "bf16"
    assert (rounded - exact).abs().max() > 1e-2
    with pytest.raises(ValueError, match="mode='fast' is not valid"):
        libsgemm.torch.enable(mode="fast")
    assert by_libsgemm(lambda: a @ b)[1] == ""


@pytest.mark.skipif(shutil.which("g++") is None, reason="torch.compile needs a C++ compiler")
def test_compile(device):
    net, x = model(), torch.randn(5, 8)
    expected, eager = gradients(net, x), net(x)
    compiled = torch.compile(net)
    with libsgemm.torch.enabled():
        result, entry = by_libsgemm(lambda: compiled(x))
        assert entry == "libsgemm_sgemm_h" and close(result, eager)
        found, entry = by_libsgemm(lambda: gradients(compiled, x))
        assert entry == "libsgemm_sgemm_h"
    assert all(close(x, y) for x, y in zip(found, expected))
    assert by_libsgemm(lambda: compiled(x))[1] == ""
