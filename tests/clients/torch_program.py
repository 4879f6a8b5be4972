"""A PyTorch program that does not know libsgemm: FP32 training steps on a GPU, TF32 off.

    torch_program.py mlp|block|vit [--width N] [--batch N] [--steps N] [--compile]

Prints a step's time and the errors of outputs and gradients against FP64, relative to the largest element of each. Run
it as it is and under `libsgemm run`, and compare.
"""

import argparse
import copy
import statistics

import torch
from torch import nn


def mlp(width, batch):
    layers = [layer for _ in range(4) for layer in (nn.Linear(width, width), nn.GELU())]
    return nn.Sequential(*layers[:-1]), torch.randn(batch, width)


def block(width, batch):
    model = nn.TransformerEncoderLayer(width, width // 64, 4 * width, dropout=0, activation="gelu", batch_first=True, norm_first=True)
    return model, torch.randn(max(1, batch // 256), 256, width)


def vit(width, batch):
    import torchvision
    model = torchvision.models.vit_b_16()
    nn.init.normal_(model.heads.head.weight, std=0.02)  # zeros until trained
    return model, torch.randn(max(1, batch // 128), 3, 224, 224)


def step(model, x):
    model.zero_grad(set_to_none=True)
    y = model(x)
    y.square().mean().backward()
    return [y] + [p.grad for p in model.parameters()]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model", choices=["mlp", "block", "vit"])
    parser.add_argument("--width", type=int, default=4096)
    parser.add_argument("--batch", type=int, default=4096)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--compile", action="store_true")
    options = parser.parse_args()
    torch.manual_seed(1)
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    model, x = {"mlp": mlp, "block": block, "vit": vit}[options.model](options.width, options.batch)
    model, x = model.cuda(), x.cuda()
    exact = step(copy.deepcopy(model).double(), x.double())
    run = torch.compile(model) if options.compile else model
    worst = 0
    for got, right in zip(step(run, x), exact):
        scale = right.abs().max().item()
        if scale > 0:
            worst = max(worst, (got.double() - right).abs().max().item() / scale)
    del exact
    times = []
    for _ in range(options.steps + 3):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        step(run, x)
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end))
    print(f"{options.model}{' compiled' * options.compile}: {statistics.median(times[3:]):.3f} ms a step, "
          f"worst error {worst:.2e} of the greatest element")


if __name__ == "__main__":
    main()
