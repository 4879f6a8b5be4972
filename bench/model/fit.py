#!/usr/bin/env python3
"""Fits the cost model's figures for a GPU to measured times (docs/kernels/cost-model.md).

Reads files of `libsgemm bench --random N --seed S --regret --json FILE`, and asks fit_model_cuda or fit_model_hip: the
library's model with variable parameters. Prints the loss of the choice before and after, and writes
backends/cuda/figures/smNN.h or backends/hip/figures/gfxNNN.h to --output. Needs python3-scipy.
"""
import argparse
import json
import math
import os
import re
import subprocess
import sys

import numpy
from scipy.optimize import minimize

# Clock in Hz and bandwidth in bytes/s, for old files, which lack them.
DEVICES = {'H100': (1.98e9, 3352e9), 'H200': (1.98e9, 4890e9)}
ROUTINES = ['sgemm', 'shgemm', 'sbgemm']
ALIKE = 0.03  # closer price logarithms are about equally likely
LARGE = 4.0  # weight of the squared loss: large losses matter more
# Strength, in units of loss, that holds logarithms of parameters near the earlier ones.
HOLD = 0.001
NEAR = 0.5  # logarithm of a kernel's time over the best, beyond which its price is not fitted
ACCURATE = 3.0  # weight of the price error, relative to the loss
SWEEPS = 3  # over all kernels: the best value for one depends on the others
LEAST, MOST = 0.02, 50.0  # ratio of a parameter to its earlier value


class Bad(Exception):
    pass


def read(path):
    """Measured shapes of a file with the kernels' times, and the GPU."""
    try:
        with open(path, encoding='utf-8') as file:
            data = json.load(file)
        gpu = data['gpu']
        shapes = [x for x in data['results']
                  if x.get('state') == 'measured' and x.get('routine') in ROUTINES and
                  x.get('batch', 1) == 1 and x.get('forced')]
        for x in shapes:
            if not all(math.isfinite(t) and t > 0 for t in x['forced'].values()):
                raise ValueError('a time that is not positive')
            for key in ('m', 'n', 'k', 'pad', 'transposes'):
                x[key]  # pylint: disable=pointless-statement
        gpu['name'], gpu['arch'], gpu['multiprocessors']  # pylint: disable=pointless-statement
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as e:
        raise Bad(f'{path}: not a file of bench --regret --json on a GPU: {type(e).__name__} {e}') from e
    if not shapes:
        raise Bad(f'{path}: no measured gemm with "forced" times: run the bench with --regret')
    return gpu, shapes


def device(gpu, path, known):
    """The command that describes the GPU to the model."""
    match = re.fullmatch(r'sm_(\d+)|(gfx[0-9a-f]+)', gpu['arch'])
    if not match:
        raise Bad(f'{path}: arch {gpu["arch"]}: neither sm_NN nor gfxNNN')
    arch = match[1] or match[2]
    if 'clock_hz' in gpu and 'bandwidth' in gpu:
        clock, bandwidth = gpu['clock_hz'], gpu['bandwidth']
    elif known:
        clock, bandwidth = DEVICES[known]
        if known not in gpu['name']:
            raise Bad(f'--device {known}: {path} is of {gpu["name"]}')
    else:
        raise Bad(f'{path}: no clock_hz and bandwidth of the GPU, as older files: say --device {"|".join(DEVICES)}')
    name = gpu['name'].replace(' ', '_')
    return f'device {name} {arch} {gpu["multiprocessors"]} {clock:.9g} {bandwidth:.9g}', arch


class Model:
    """A running fit_model with the shapes of files."""

    def __init__(self, program, describe, shapes):
        try:
            self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        except OSError as e:
            raise Bad(f'--model {program}: {e.strerror}; build the target fit_model_cuda or fit_model_hip') from e
        self.tell(describe)
        for x in shapes:
            self.tell(f'shape {x["routine"]} {x["m"]} {x["n"]} {x["k"]} {x["pad"]} {x["transposes"]}')

    def tell(self, line):
        self.process.stdin.write(line + '\n')

    def ask(self, line):
        self.tell(line)
        self.process.stdin.flush()
        lines = []
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise Bad('fit_model ended: its message is above')
            if line == 'end\n':
                return lines
            lines.append(line.split())

    def figures(self):
        return {words[1]: [words[0], *map(float, words[2:])] for words in self.ask('list')}

    def set(self, row, figures):
        self.tell(f'{figures[0]} {row} ' + ' '.join(f'{x:.9g}' for x in figures[1:]))

    def prices(self, row=''):
        return [{a: float(b) for a, b in (word.split('=') for word in words)} for words in self.ask(f'price {row}')]


# Entries that hold a share for these kernels and are not kernels themselves.
SHARED = {'stream_k': ['sm90_ffma_256x128x16_stream_k'], 'stream_k_in_slices': ['sm90_ffma_256x128x16_split_k'],
          'sliced_k': ['sm90_ffma_128x128x16_sliced_k', 'sm90_ffma_256x64x16_sliced_k', 'sm90_ffma_512x32x16_sliced_k']}

# Kernels that consist of passes and the best kernel for the rest, by the prefix of such a kernel.
MADE = {'sm90_wgmma_': ['sm75_mma_64x64x64_packed']}


def losses(prices, shapes):
    """Logarithmic loss of the choice against the best kernel, and the chosen kernels."""
    out, chosen = [], []
    for price, x in zip(prices, shapes):
        times = x['forced']
        common = [row for row in price if row in times]
        if not common:
            raise Bad(f'no kernel of the model was timed for {x["m"]} x {x["n"]} x {x["k"]}: the file is of another version')
        chosen.append(min(common, key=price.get))
        out.append(math.log(times[chosen[-1]] / min(times.values())))
    return numpy.array(out), chosen


def report(word, prices, shapes, worst):
    loss, chosen = losses(prices, shapes)
    print(f'{word}: lost by choice {100 * math.expm1(loss.mean()):.2f} % (geometric mean), '
          f'{100 * math.expm1(sorted(loss)[int(0.95 * len(loss))]):.1f} % (95th percentile), '
          f'{100 * math.expm1(loss.max()):.1f} % (worst), {len(loss)} shapes')
    for i in numpy.argsort(-loss)[:worst]:
        x, price = shapes[i], prices[i]
        best = min(x['forced'], key=x['forced'].get)
        print(f'  {100 * math.expm1(loss[i]):5.1f} %  {x["m"]} x {x["n"]} x {x["k"]} {x["transposes"]}  '
              + ', '.join(f'{r} {1e6 * price.get(r, math.nan):.1f} us predicted, {1e6 * x["forced"][r]:.1f} measured'
                          for r in (chosen[i], best)))


class Loss:
    """The loss as a smooth function of prices: kernels with close prices share the choice."""

    def __init__(self, prices, shapes):
        self.rows = sorted({row for price, x in zip(prices, shapes) for row in price if row in x['forced']})
        self.index = {row: i for i, row in enumerate(self.rows)}
        self.prices = numpy.full((len(shapes), len(self.rows)), math.inf)  # logarithms
        self.lost, self.times = numpy.zeros_like(self.prices), numpy.zeros_like(self.prices)
        for i, (price, x) in enumerate(zip(prices, shapes)):
            best = min(x['forced'].values())
            for row, time in x['forced'].items():
                if row in price:
                    j = self.index[row]
                    self.prices[i, j], self.times[i, j] = math.log(price[row]), math.log(time)
                    self.lost[i, j] = math.log(time / best)

    def set(self, row, prices):
        """New prices of a kernel."""
        j = self.index[row]
        for i, price in enumerate(prices):
            if math.isfinite(self.prices[i, j]):
                self.prices[i, j] = math.log(price[row])

    def error(self):
        """Mean squared logarithm of measured / predicted; kernels near the best count most."""
        near = numpy.isfinite(self.prices) & (self.lost < NEAR)
        weights = numpy.where(near, 1 / (0.05 + self.lost), 0)
        errors = numpy.where(near, self.times - self.prices, 0)
        return float((weights * numpy.minimum(errors ** 2, 0.25)).sum() / weights.sum())

    def value(self):
        least = self.prices.min(axis=1, keepdims=True)
        taken = numpy.exp(-(self.prices - least) / ALIKE)
        expected = (taken * self.lost).sum(axis=1) / taken.sum(axis=1)
        return float(numpy.mean(expected + LARGE * expected ** 2))


def fit_row(model, loss, name, first, now):
    """Sets and returns the fitted parameters; `now` where no time determines them."""
    of_it = SHARED.get(name, [name]) + [row for start in MADE if name.startswith(start) for row in MADE[start]]
    rows = [row for row in of_it if row in loss.index]
    if not rows:
        return now
    hold = numpy.log(first[1:])

    def target(x):
        model.set(name, [first[0], *numpy.exp(x)])
        for row in rows:
            loss.set(row, model.prices(row))
        return loss.value() + ACCURATE * loss.error() + HOLD * float(numpy.sum((x - hold) ** 2))

    start = numpy.log(now[1:])
    bounds = [(a + math.log(LEAST), a + math.log(MOST)) for a in hold]
    step = numpy.vstack([start] + [start + 0.2 * axis for axis in numpy.eye(len(start))])
    found = minimize(target, start, method='Nelder-Mead', bounds=bounds,
                     options={'initial_simplex': step, 'xatol': 1e-3, 'fatol': 1e-7, 'maxfev': 150})
    target(found.x)
    return [first[0], *numpy.exp(found.x)]


def header(figures, arch, what):
    name = arch.upper() if arch.startswith('gfx') else f'SM{arch}'

    def table(macro, kind):
        rows = ' \\\n'.join(f'  X({row}, ' + ', '.join(f'{x:.4g}' for x in f[1:]) + ')'
                            for row, f in figures.items() if f[0] == kind)
        return f'#define LIBSGEMM_{macro}_{name}(X) \\\n{rows}\n' if rows else ''
    shares = table('SHARES', 'share')
    return (f'// Written by bench/model/fit.py, of {what}.\n#pragma once\n// clang-format off\n\n'
            '// X(kernel, peak_fraction, stall, steps, latency), of Figures in gpu/cost.h.\n' + table('FIGURES', 'figures') +
            ('\n// X(kernel, measured / predicted).\n' + shares if shares else ''))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('fit', nargs='+', help='files to fit to')
    parser.add_argument('--judge', required=True, help='file of another seed, not fitted to')
    parser.add_argument('--model', required=True, help='fit_model_cuda or fit_model_hip of a build')
    parser.add_argument('--device', choices=DEVICES, help='for files that do not say clock and bandwidth')
    parser.add_argument('--output', help='the file to write; must not exist')
    parser.add_argument('--worst', type=int, default=0, help='number of the shapes to print that lose most')
    asked = parser.parse_args()
    if asked.output and os.path.exists(asked.output):
        raise Bad(f'--output {asked.output}: exists')

    files = [(path, *read(path)) for path in asked.fit + [asked.judge]]
    describe, arch = device(files[0][1], files[0][0], asked.device)
    for path, gpu, _ in files[1:]:
        if device(gpu, path, asked.device)[0] != describe:
            raise Bad(f'{path}: of another GPU than {files[0][0]}')
    shapes = [x for _, _, some in files[:-1] for x in some]
    judged = files[-1][2]
    if {x['what'] for x in shapes if 'what' in x} & {x['what'] for x in judged if 'what' in x}:
        raise Bad(f'--judge {asked.judge}: has the seed that is fitted to')
    model, judge = Model(asked.model, describe, shapes), Model(asked.model, describe, judged)
    report('before, fitted', model.prices(), shapes, 0)
    report('before, judged', judge.prices(), judged, asked.worst)
    before = model.figures()
    figures = dict(before)
    loss = Loss(model.prices(), shapes)
    for _ in range(SWEEPS):
        for name, first in before.items():
            figures[name] = fit_row(model, loss, name, first, figures[name])
    for name, found in figures.items():
        judge.set(name, found)
    report('after, fitted', model.prices(), shapes, 0)
    report('after, judged', judge.prices(), judged, asked.worst)
    if asked.output:
        seeds = ', '.join(sorted({x.get('what', '') for x in shapes}))
        text = header(figures, arch, f'{len(shapes)} products ({seeds}) on {files[0][1]["name"]}')
        with open(asked.output, 'x', encoding='utf-8') as file:
            file.write(text)


if __name__ == '__main__':
    try:
        main()
    except (Bad, OSError) as problem:
        sys.exit(f'fit.py: {problem}')
