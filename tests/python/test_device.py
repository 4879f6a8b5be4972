"""Arrays on the mock GPU of tests/plugins, whose memory the CPU cannot read and whose streams run late.
clients/python_package.py sets its location. The frameworks are stand-ins for CuPy and PyTorch."""

import contextlib
import ctypes
import importlib
import os
import subprocess
import sys
import threading
import types

import dlpack
import exchange
import numpy
import pytest
from conftest import integers, reference

import libsgemm
from libsgemm._core import Settings, _knows_torch, _torch_product

MOCK, SHIM = os.environ.get("LIBSGEMM_BACKEND_PATH", ""), os.environ.get("LIBSGEMM_TEST_MOCK_GPU", "")
if not MOCK or not SHIM:
    pytest.skip("no mock GPU (LIBSGEMM_BACKEND_PATH and LIBSGEMM_TEST_MOCK_GPU)", allow_module_level=True)

gpu = ctypes.CDLL(SHIM)
gpu.gpu_open.restype = ctypes.c_bool
gpu.gpu_allocate.restype = gpu.gpu_stream.restype = ctypes.c_void_p
gpu.gpu_allocate.argtypes = [ctypes.c_int, ctypes.c_size_t]
gpu.gpu_release.argtypes = [ctypes.c_int, ctypes.c_void_p]
gpu.gpu_read.argtypes = gpu.gpu_write.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
gpu.gpu_pending.argtypes = [ctypes.c_void_p, ctypes.c_int]
gpu.gpu_destroy_stream.argtypes = [ctypes.c_void_p]
gpu.gpu_bytes.restype = ctypes.c_int64
NO_SETTINGS = Settings(), Settings()
assert gpu.gpu_open(os.path.join(MOCK, "libsgemm_cuda.so").encode())


class Memory:
    """Device memory, until its last array is gone."""

    def __init__(self, x, index):
        self.index, self.size = index, x.nbytes
        self.address = gpu.gpu_allocate(index, max(x.nbytes, 1))
        gpu.gpu_write(self.address, x.ctypes.data, x.nbytes)

    def __del__(self):
        gpu.gpu_release(self.index, self.address)


class Device:
    """Stand-in for cupy.cuda.Device."""

    used = 0
    streams = {}  # current streams by device; else the default one

    def __init__(self, index):
        self.index = index

    def __enter__(self):
        self.before, Device.used = Device.used, self.index

    def __exit__(self, *_):
        Device.used = self.before

    def synchronize(self):
        gpu.gpu_wake(self.index)


class GpuArray(dlpack.Array):
    __module__ = "cupy"

    @property
    def device(self):
        return Device(self.place[1])

    def numpy(self):
        """The elements after all work of the device."""
        gpu.gpu_wake(self.place[1])
        host = numpy.empty(self.owner.size, numpy.uint8)
        gpu.gpu_read(self.owner.address, host.ctypes.data, host.nbytes)
        host = host.view(self.dtype)
        return numpy.lib.stride_tricks.as_strided(host, self.shape, [host.itemsize * s for s in self.strides])


class OtherArray(GpuArray):
    __module__ = "elsewhere"


class Tensor(GpuArray):
    """Stand-in for torch.Tensor."""

    __module__ = "torch"
    __dlpack_c_exchange_api__, _table = exchange.table(lambda index: Device.streams[index])
    requires_grad, layout = False, "strided"

    def is_neg(self):
        return False

    def new_empty(self, shape, *, dtype):
        return on_gpu(numpy.full(shape, numpy.nan, dtype), self.place[1], Tensor)

    def copy_(self, c):
        host = numpy.broadcast_to(c.numpy(), self.shape).copy()
        gpu.gpu_write(self.address, host.ctypes.data, host.nbytes)


def on_gpu(x, index=0, kind=GpuArray):
    """A copy of a contiguous array in device memory."""
    memory = Memory(x, index)
    strides = [s // x.itemsize for s in x.strides]
    return kind(memory.address, x.shape, strides, dtype=x.dtype.name, device=(dlpack.CUDA, index), owner=memory)


@contextlib.contextmanager
def held():
    """Devices do nothing meanwhile: a call that waits for them times out."""
    gpu.gpu_hold(True)
    yield
    gpu.gpu_hold(False)


@pytest.fixture(autouse=True)
def cupy(monkeypatch):
    current = types.SimpleNamespace
    monkeypatch.setitem(sys.modules, "cupy", types.SimpleNamespace(
        cuda=types.SimpleNamespace(Device=Device,
                                   get_current_stream=lambda: current(ptr=Device.streams.get(Device.used, 0))),
        float32="float32",
        empty=lambda shape, dtype: on_gpu(numpy.full(shape, numpy.nan, dtype), Device.used),
        zeros=lambda shape, dtype: on_gpu(numpy.zeros(shape, dtype), Device.used)))
    monkeypatch.setattr(Device, "streams", {index: gpu.gpu_stream(index) for index in range(2)})


@pytest.mark.parametrize("index", [0, 1])
@pytest.mark.parametrize("trans,order", [("NN", "C"), ("TN", "F"), ("NT", "C")])
def test_on_the_current_stream(rng, index, trans, order):
    a, b = integers(rng, 6, 6, order=order), integers(rng, 6, 6)
    x, y = on_gpu(a, index), on_gpu(b, index)
    with held():
        result = libsgemm.gemm(x, y, trans=trans)
        assert gpu.gpu_pending(Device.streams[index], index) > 0
    assert x.streams == y.streams == result.streams == [-1]
    assert libsgemm.last_info().backend == "cuda" and libsgemm.last_info().device == index
    assert type(result) is GpuArray and result.place == (dlpack.CUDA, index)
    numpy.testing.assert_array_equal(result.numpy(), reference(a, b, trans))


def test_default_stream_of_a_device_that_is_not_current(rng):
    Device.streams.clear()
    a, b = integers(rng, 6, 6), integers(rng, 6, 6)
    x, y, out = on_gpu(a, 1), on_gpu(b, 1), on_gpu(numpy.zeros((6, 6), numpy.float32), 1)
    gpu.gpu_use_device(0)
    libsgemm.gemm(x, y, out=out)
    assert libsgemm.last_info().device == 1
    numpy.testing.assert_array_equal(out.numpy(), reference(a, b))


def test_out_and_beta(rng):
    a, b, c = integers(rng, 3, 4), integers(rng, 4, 5), integers(rng, 3, 5, order="F")
    out = on_gpu(c)
    assert libsgemm.gemm(on_gpu(a), on_gpu(b), alpha=2, beta=3, out=out) is out
    numpy.testing.assert_array_equal(out.numpy(), reference(a, b, alpha=2, beta=3, c=c))


@pytest.mark.parametrize("dtype", [numpy.float16, numpy.float32])
def test_batches(rng, dtype):
    a, b = integers(rng, 3, 4, 4, dtype=dtype), integers(rng, 3, 4, 4, dtype=dtype)
    numpy.testing.assert_array_equal(libsgemm.gemm(on_gpu(a), on_gpu(b)).numpy(), reference(a, b))
    results = libsgemm.gemm_batch([on_gpu(x) for x in a], [on_gpu(x) for x in b])
    numpy.testing.assert_array_equal([x.numpy() for x in results], reference(a, b))


def test_arrays_of_others_wait_for_our_stream(rng):
    a, b = integers(rng, 3, 4), integers(rng, 4, 5)
    x, out = on_gpu(a, kind=OtherArray), on_gpu(numpy.zeros((3, 5), numpy.float32))
    libsgemm.gemm(x, on_gpu(b), out=out)
    assert x.streams == [Device.streams[0]] and out.streams == [-1]
    assert gpu.gpu_pending(Device.streams[0], 0) == 0  # x may be gone after the call
    numpy.testing.assert_array_equal(out.numpy(), reference(a, b))


def test_a_framework_without_streams(rng):
    a, b = integers(rng, 3, 4), integers(rng, 4, 5)
    out = on_gpu(numpy.zeros((3, 5), numpy.float32), kind=OtherArray)
    x, y = on_gpu(a, kind=OtherArray), on_gpu(b, kind=OtherArray)
    libsgemm.gemm(x, y, out=out)
    assert x.streams == y.streams == out.streams == [1]  # CUDA's default stream
    assert gpu.gpu_pending(None, 0) == 0
    numpy.testing.assert_array_equal(out.numpy(), reference(a, b))


def test_a_stream_for_each_call(rng):
    a = integers(rng, 4, 4)
    x = on_gpu(a)
    for _ in range(3):
        Device.streams[0] = gpu.gpu_stream(0)
        with held():
            result = libsgemm.gemm(x, x)
            assert gpu.gpu_pending(Device.streams[0], 0) > 0
        numpy.testing.assert_array_equal(result.numpy(), reference(a, a))


@pytest.mark.parametrize("words,call", [
    ("b is in cuda:1 and a in cuda:0", lambda x: libsgemm.gemm(on_gpu(x, 0), on_gpu(x, 1))),
    ("b is in host memory and a in cuda:0", lambda x: libsgemm.gemm(on_gpu(x), x)),
    ("a is in cuda:0 and out in host memory", lambda x: libsgemm.gemm(on_gpu(x), on_gpu(x), out=x)),
])
def test_mixtures(words, call):
    with pytest.raises(ValueError, match=words):
        call(numpy.ones((4, 4), numpy.float32))


def test_plan(rng):
    w, x = integers(rng, 8, 8), integers(rng, 5, 8)
    weights, inputs = on_gpu(w), on_gpu(x)
    with libsgemm.Plan(weights, mode="fp16x3") as plan:
        assert plan.keeps_something
        result = libsgemm.gemm(inputs, plan)
        assert libsgemm.last_info().plans == 1 and libsgemm.last_info().math_mode == "fp16x3"
        numpy.testing.assert_array_equal(result.numpy(), reference(x, w))
        with held():
            result = libsgemm.gemm(inputs, plan)
            assert gpu.gpu_pending(Device.streams[0], 0) > 0
        with libsgemm.Plan(on_gpu(x), side="left", mode="fp16x3") as left, held():
            Device.streams[0] = gpu.gpu_stream(0)
            result = libsgemm.gemm(left, plan)
            assert libsgemm.last_info().plans == 2
            assert gpu.gpu_pending(Device.streams[0], 0) > 0
            gpu.gpu_hold(False)
            numpy.testing.assert_array_equal(result.numpy(), reference(x, w))
    assert gpu.gpu_pending(Device.streams[0], 0) == 0  # close() waits for the plan's readers


def test_a_plan_outlives_its_stream(rng):
    w, x = integers(rng, 8, 8), integers(rng, 5, 8)
    current, gone = Device.streams[0], gpu.gpu_stream(0)
    Device.streams[0] = gone
    plan = libsgemm.Plan(on_gpu(w), mode="fp16x3")
    Device.streams[0] = current
    gpu.gpu_destroy_stream(gone)
    result = libsgemm.gemm(on_gpu(x), plan)
    plan.close()
    numpy.testing.assert_array_equal(result.numpy(), reference(x, w))


def test_a_plan_is_freed_though_the_wait_fails(rng, monkeypatch):
    weights = on_gpu(integers(rng, 8, 8))
    before = gpu.gpu_bytes()
    plan = libsgemm.Plan(weights, mode="fp16x3")
    assert gpu.gpu_bytes() > before

    def fail(_):
        raise RuntimeError("an earlier kernel has failed")

    monkeypatch.setattr(Device, "synchronize", fail)
    with pytest.raises(RuntimeError, match="an earlier kernel"):
        plan.close()
    assert gpu.gpu_bytes() == before
    plan.close()
    with pytest.raises(ValueError, match="the plan is closed"):
        libsgemm.gemm(weights, plan)


def test_a_plan_that_cannot_be_waited_for_is_not_made(rng):
    weights = on_gpu(integers(rng, 8, 8), kind=OtherArray)  # the call that makes the plan waits for it
    before = gpu.gpu_bytes()
    gpu.gpu_fail_wait(2)  # the first wait is the plan's
    with pytest.raises(libsgemm.ExecutionFailed):
        libsgemm.Plan(weights, mode="fp16x3")
    gpu.gpu_fail_wait(0)
    assert gpu.gpu_bytes() == before


def test_a_plan_of_another_framework_waits_for_our_stream(rng):
    w, x = integers(rng, 8, 8), integers(rng, 5, 8)
    with libsgemm.Plan(on_gpu(w, kind=OtherArray), mode="fp16x3") as plan:
        numpy.testing.assert_array_equal(libsgemm.gemm(on_gpu(x), plan).numpy(), reference(x, w))
        gpu.gpu_fail_wait(1)
        with pytest.raises(libsgemm.ExecutionFailed):
            libsgemm.gemm(on_gpu(x), plan)
        gpu.gpu_fail_wait(0)


VERIFYING = """
import ctypes, os, numpy, libsgemm
gpu = ctypes.CDLL(os.environ["LIBSGEMM_TEST_MOCK_GPU"])
gpu.gpu_open(os.path.join(os.environ["LIBSGEMM_BACKEND_PATH"], "libsgemm_cuda.so").encode())
x = numpy.ones((64, 64), numpy.float32)
for options in {}, {"action": "error"}, {"verify": "full"}, {"action": "warn"}, {"verify": "full", "action": "warn"}:
    gpu.gpu_flip(1)
    with libsgemm.using(backend="cuda", **options):
        try:
            libsgemm.gemm(x, x)
            print("a warning" if libsgemm.last_info().verify_ratio > 1 else "nothing", end="; ")
        except libsgemm.VerificationFailed:
            print("an error", end="; ")
"""


@pytest.mark.parametrize("environment,told", [
    ({}, "nothing; nothing; an error; nothing; a warning; "),
    ({"LIBSGEMM_VERIFY": "full"}, "a warning; an error; an error; a warning; a warning; "),
    ({"LIBSGEMM_VERIFY": "full", "LIBSGEMM_VERIFY_ACTION": "error"},
     "an error; an error; an error; a warning; a warning; "),
], ids=str)
def test_what_happens_to_a_wrong_result(environment, told):
    done = subprocess.run([sys.executable, "-c", VERIFYING], env={**os.environ, **environment}, capture_output=True,
                          text=True)
    assert done.stdout == told, done.stderr


@pytest.fixture
def torch(monkeypatch):
    if "torch" in sys.modules:
        pytest.skip("PyTorch itself is there")
    parts = types.SimpleNamespace
    cuda = parts(current_stream=lambda index: parts(cuda_stream=Device.streams[index]))
    module = parts(Tensor=Tensor, float32="float32", strided="strided", cuda=cuda, _C=parts())
    monkeypatch.setitem(sys.modules, "torch", module)


@pytest.mark.parametrize("index", [0, 1])
def test_tensors_by_their_c_functions(rng, torch, index):
    a, b = integers(rng, 3, 4), integers(rng, 4, 5)
    x, y = on_gpu(a, index, Tensor), on_gpu(b, index, Tensor)
    assert _knows_torch(x) and not _knows_torch(on_gpu(a))
    with held():
        result = libsgemm.gemm(x, y)
        assert gpu.gpu_pending(Device.streams[index], index) > 0
    assert type(result) is Tensor and result.place == (dlpack.CUDA, index)
    assert x.streams == y.streams == result.streams == []  # not by Python's side of DLPack
    numpy.testing.assert_array_equal(result.numpy(), reference(a, b))
    with pytest.raises(ValueError, match="b is in cuda:0 and out in cuda:1|b is in cuda:1 and out in cuda:0"):
        libsgemm.gemm(on_gpu(a, 1 - index, Tensor), y, out=on_gpu(a, 1 - index, Tensor))


def test_tensors_beside_others(rng, torch):
    a, b = integers(rng, 3, 4), integers(rng, 4, 5)
    x, out = on_gpu(a), on_gpu(numpy.zeros((3, 5), numpy.float32), kind=Tensor)
    libsgemm.gemm(x, on_gpu(b, kind=Tensor), out=out)
    assert x.streams == [Device.streams[0]]
    assert gpu.gpu_pending(Device.streams[0], 0) == 0  # x may be gone after the call
    numpy.testing.assert_array_equal(out.numpy(), reference(a, b))


def test_tensors_refused(rng, torch):
    x, y = (on_gpu(integers(rng, 4, 4), kind=Tensor) for _ in range(2))
    y.requires_grad = True
    with pytest.raises(ValueError, match=r"b requires grad, .*pass b.detach\(\)"):
        libsgemm.gemm(x, y)


@pytest.mark.parametrize("shape", [(3, 5), (5,)])
def test_products_as_libsgemm_torch_asks_for_them(rng, torch, shape):
    a, b, c = integers(rng, 3, 4), integers(rng, 4, 5), integers(rng, *shape)
    x, y, z = (on_gpu(each, kind=Tensor) for each in (a, b, c))
    z.requires_grad = True  # irrelevant below the dispatcher
    with held():
        result = _torch_product(x, y, None, None, 1.0, 0.0, *NO_SETTINGS)
        assert gpu.gpu_pending(Device.streams[0], 0) > 0
    numpy.testing.assert_array_equal(result.numpy(), reference(a, b))
    result = _torch_product(x, y, z, None, 2.0, 3.0, *NO_SETTINGS)
    numpy.testing.assert_array_equal(result.numpy(), reference(a, b, alpha=2, beta=3, c=c))
    assert _torch_product(x, y, z, result, 1.0, 1.0, *NO_SETTINGS) is result
    numpy.testing.assert_array_equal(result.numpy(), reference(a, b, beta=1, c=c))
    assert _torch_product(y, x, None, None, 1.0, 0.0, *NO_SETTINGS) is None  # 4 x 5 times 3 x 4
    assert _torch_product(x, y, None, x, 1.0, 0.0, *NO_SETTINGS) is None


@pytest.fixture
def products(torch):
    """libsgemm.torch over the stand-in, and its kernels for CUDA."""
    kernels = {}

    class Library:

        def __init__(self, *_):
            assert not kernels

        def impl(self, name, kernel, key, with_keyset):
            if key == "CUDA":
                kernels[name] = kernel

        def _destroy(self):
            kernels.clear()

    module = sys.modules["torch"]
    module.library = types.SimpleNamespace(Library=Library, get_kernel=lambda name, key: None)
    module.version = types.SimpleNamespace(hip=None)
    module.cuda.is_available = lambda: True
    module.empty = lambda size: on_gpu(numpy.zeros(size, numpy.float32), kind=Tensor)
    yield importlib.import_module("libsgemm.torch"), kernels
    del sys.modules["libsgemm.torch"]


def in_another_thread(call):
    results = []
    thread = threading.Thread(target=lambda: results.append(call()))
    thread.start()
    thread.join()
    return results[0]


def test_settings_of_products_reach_other_threads(rng, products):
    # Autograd's threads are outside any using().
    libsgemm_torch, kernels = products
    x = on_gpu(integers(rng, 8, 8), kind=Tensor)

    def settings():
        kernels["mm"](None, x, x)
        return libsgemm.last_info().math_mode, libsgemm.last_info().verify_ratio >= 0

    with libsgemm.using(mode="tf32"):
        libsgemm_torch.enable(verify="full")
        assert settings() == in_another_thread(settings) == ("tf32", True)
        with libsgemm.using(mode="fp32", verify="off"):
            assert settings() == ("fp32", True) and in_another_thread(settings) == ("tf32", True)
    assert settings() == in_another_thread(settings) == ("tf32", True)
    with libsgemm_torch.enabled(mode="fp32"):
        assert settings() == in_another_thread(settings) == ("fp32", False)
    assert settings() == ("tf32", True)
    libsgemm_torch.disable()
    assert not kernels


def test_blocks_of_products_in_two_threads(rng, products):
    libsgemm_torch, kernels = products
    x = on_gpu(integers(rng, 8, 8), kind=Tensor)

    def mode():
        kernels["mm"](None, x, x)
        return libsgemm.last_info().math_mode

    one, other = libsgemm_torch.enabled(mode="fp32"), libsgemm_torch.enabled(mode="tf32")
    one.__enter__()
    in_another_thread(other.__enter__)
    assert mode() == "tf32"
    one.__exit__(None, None, None)
    assert mode() == "tf32"
    in_another_thread(lambda: other.__exit__(None, None, None))
    assert not kernels
