#!/usr/bin/env python3
"""test_fit.py FIT_PY [MODEL]: finds the figures that times come from; refuses bad files by name.

MODEL: fit_model_cuda or fit_model_hip; by default a small model of two rows with the protocol of
bench/model/fit_model.cpp.
"""
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile

MODEL = '''#!/usr/bin/env python3
import sys
rows = {'small': [0.5, 0.05, 16, 1.5e-6], 'large': [0.9, 0.05, 16, 1.5e-6]}
shares, shapes = {'stream_k': [1.0]}, []
def seconds(row, m, n, k):
    f, tile = rows[row], 32 if row == 'small' else 128
    tiles = -(-m // tile) * -(-n // tile)
    waves = -(-tiles // 132)
    return 3e-6 + f[3] + waves * tile * tile * (k + f[2]) / (256e9 * f[0] / (1 + f[1]))
for line in sys.stdin:
    w = line.split()
    if w[0] == 'shape': shapes.append([int(x) for x in w[2:5]])
    elif w[0] == 'figures': rows[w[1]] = [float(x) for x in w[2:]]
    elif w[0] == 'share': shares[w[1]] = [float(w[2])]
    elif w[0] == 'list':
        for kind, some in (('figures', rows), ('share', shares)):
            for row, f in some.items(): print(kind, row, *f)
    elif w[0] == 'price':
        for s in shapes:
            print(*('%s=%.9g' % (r, seconds(r, *s)) for r in rows if len(w) < 2 or w[1] == r))
    if w[0] in ('list', 'price'): print('end', flush=True)
'''
TRUE = {'small': [0.25, 0.05, 40, 1e-6], 'large': [0.8, 0.05, 8, 4e-6]}


NVIDIA = {'name': 'NVIDIA H200', 'arch': 'sm_90', 'multiprocessors': 132, 'clock_hz': 1.98e9, 'bandwidth': 4890e9}
AMD = {'name': 'AMD Instinct MI210', 'arch': 'gfx90a', 'multiprocessors': 104, 'clock_hz': 1.7e9, 'bandwidth': 1638e9}


def main(fit, real):
    gpu = AMD if real and real.endswith('hip') else NVIDIA
    arch = gpu['arch'].replace('sm_', '')
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        model = real or './model'
        if not real:
            with open('model', 'w', encoding='utf-8') as file:
                file.write(MODEL.replace('/usr/bin/env python3', sys.executable))
            os.chmod('model', 0o755)

        def ask(lines):
            done = subprocess.run([model], input='\n'.join(lines) + '\n', capture_output=True, text=True, check=True)
            return [line for line in done.stdout.split('\n') if line and line != 'end']

        true = [f'figures {r} ' + ' '.join(map(str, f)) for r, f in TRUE.items()]
        if real:  # every kernel is slower or faster than stated
            true, draw = [], random.Random(3)
            for line in ask(['list']):
                kind, row, first, *others = line.split()
                true.append(' '.join([kind, row, str(float(first) * math.exp(draw.uniform(-0.5, 0.5))), *others]))

        def times(name, seed):
            draw, results = random.Random(seed), []
            for _ in range(150):
                m, n, k = (int(2 ** draw.uniform(4, 13)) for _ in range(3))
                results.append({'state': 'measured', 'routine': 'sgemm', 'transposes': draw.choice(['NN', 'NT', 'TN', 'TT']),
                                'm': m, 'n': n, 'k': k, 'pad': 0, 'what': f'random, seed {seed}'})
            lines = [f'device {gpu["name"].replace(" ", "_")} {arch} {gpu["multiprocessors"]} {gpu["clock_hz"]} '
                     f'{gpu["bandwidth"]}'] + true
            lines += [f'shape {x["routine"]} {x["m"]} {x["n"]} {x["k"]} 0 {x["transposes"]}' for x in results]
            for x, line in zip(results, ask(lines + ['price'])):
                x['forced'] = {a: float(b) for a, b in (w.split('=') for w in line.split())}
            with open(name, 'w', encoding='utf-8') as file:
                json.dump({'gpu': gpu, 'results': results}, file)

        def run(*arguments):
            return subprocess.run([sys.executable, fit, '--model', model, *arguments], capture_output=True, text=True)

        times('1.json', 1)
        times('2.json', 2)
        done = run('1.json', '--judge', '2.json', '--output', 'figures.h')
        assert done.returncode == 0, done.stderr
        lost = {m[1]: float(m[2]) for m in re.finditer(r'(\w+, judged): lost by choice ([\d.]+) %', done.stdout)}
        print(lost)
        assert lost['before, judged'] > 2, done.stdout
        assert lost['after, judged'] < 0.5, done.stdout
        with open('figures.h', encoding='utf-8') as file:
            text = file.read()
        assert f'#define LIBSGEMM_FIGURES_{gpu["arch"].replace("_", "").upper()}(X)' in text, text
        assert ('#define LIBSGEMM_SHARES_SM90(X)' in text) == (gpu is NVIDIA), text

        def refused(words, *arguments):
            done = run(*arguments)
            assert done.returncode == 1 and words in done.stderr and 'Traceback' not in done.stderr, (words, done.stderr)

        refused('--output figures.h: exists', '1.json', '--judge', '2.json', '--output', 'figures.h')
        refused('2.json: has the seed that is fitted to', '2.json', '--judge', '2.json')
        refused('none.json: not a file of bench', 'none.json', '--judge', '2.json')
        with open('1.json', encoding='utf-8') as file:
            good = file.read()
        for words, old, new in (('not a file of bench', good, good[:1000]), ('"forced"', 'forced', 'unforced'),
                                ('arch xe_90', gpu['arch'], 'xe_90'), ('say --device', 'clock_hz', 'hertz')):
            with open('bad.json', 'w', encoding='utf-8') as file:
                file.write(good.replace(old, new))
            refused('bad.json: ', 'bad.json', '--judge', '2.json')
            refused(words, 'bad.json', '--judge', '2.json')
        with open('bad.json', 'w', encoding='utf-8') as file:
            file.write(good.replace(f'"multiprocessors": {gpu["multiprocessors"]}', '"multiprocessors": 97'))
        refused('bad.json: of another GPU', '1.json', 'bad.json', '--judge', '2.json')


if __name__ == '__main__':
    try:
        import scipy  # noqa: F401  pylint: disable=unused-import
    except ImportError:
        print('Skipped: no python3-scipy')
        sys.exit(77)
    main(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else None)
