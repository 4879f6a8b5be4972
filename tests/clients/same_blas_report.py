import hashlib
import json
import os
import sys
import time

import numpy as np

_rng = np.random.default_rng(3)
_digest = hashlib.sha256()


def matrix(*shape):
    return _rng.uniform(-1, 1, shape).astype(np.float32)


def add(*results):
    for result in results:
        _digest.update(result.tobytes())


def print_report(products, limit, load):
    """JSON: bits of `products`, threads and mappings of the process; with argument `limited`, CPU time over time in the
    context limit(), before the first product."""
    report = {}
    if sys.argv[1:] == ['limited']:
        with limit():
            start, cpu = time.perf_counter(), time.process_time()
            load()
            report['cpus'] = (time.process_time() - cpu) / (time.perf_counter() - start)
    else:
        products()
        report['bits'] = _digest.hexdigest()
    report['threads'] = len(os.listdir('/proc/self/task'))
    with open('/proc/self/maps') as maps:
        report['libraries'] = sorted({line[line.index('/'):].strip() for line in maps if '/' in line})
    print(json.dumps(report))
