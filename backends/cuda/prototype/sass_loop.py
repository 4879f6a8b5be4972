#!/usr/bin/env python3
"""loop.py FILE.cubin KERNEL_SUBSTRING [-p] [--loop I] [--list] [--after]
Static analysis of the hot loop of a kernel (natural loop with the most FFMAs). See README."""
import argparse, collections, re, subprocess, sys

ND = 'nvdisasm'
SLOTS = 'ABC'


class Ins:
    __slots__ = ('addr', 'text', 'lo', 'hi', 'pred', 'op', 'args', 'label', 'srcs', 'reuse', 'stall', 'yld', 'wbar',
                 'rbar', 'wait', 'fetched', 'fetched_imm', 'target')

    def decode(self):
        c = self.hi >> 41
        self.stall, self.yld = c & 15, 1 - (c >> 4 & 1)  # the bit is inverted: 0 = may yield
        self.wbar, self.rbar, self.wait, self.reuse = c >> 5 & 7, c >> 8 & 7, c >> 11 & 63, c >> 17 & 15
        m = re.match(r'(@!?U?P\d+|@!?U?PT)?\s*([A-Z0-9_.a-z]+)\s*(.*?)\s*;?$', self.text)
        self.pred, self.op, self.args = m.group(1) or '', m.group(2), m.group(3)
        fields = (self.lo >> 24 & 255, self.lo >> 32 & 255, self.hi & 255)
        # source registers by slot, believed only if the text names them
        names = set(int(x) for x in re.findall(r'(?<![UA-Z])R(\d+)', self.args))
        form = self.lo >> 9 & 7  # 1: rrr, 2: r imm at B.. (4: R I R / 2: R R I) ...
        self.srcs = [None, None, None]
        if names:
            for s, f in enumerate(fields):
                if f == 255 or f not in names: continue
                if s == 1 and form in (4, 5, 6, 7) and not self.op.startswith(('ST', 'ATOM', 'RED', 'LDGSTS')):
                    continue  # immediate, constant or uniform in B (approximation)
                if s == 2 and self.op.split('.')[0] in ('LDS', 'LDG', 'LDSM', 'LD', 'LDL', 'ATOMS', 'SYNCS', 'IADD', 'LDGSTS'):
                    continue
                self.srcs[s] = f
        self.target = None
        m = re.search(r'`\(([^)]*)\)', self.args)
        if m and self.op.split('.')[0] in ('BRA', 'BSSY', 'BRX', 'CALL', 'WARPSYNC', 'BSYNC'): self.target = m.group(1)


def load(path, want):
    out = subprocess.run([ND, '-hex', '-c', path], capture_output=True, text=True).stdout
    funcs, cur, label, pend = {}, None, [], None
    for line in out.splitlines():
        m = re.match(r'\s*\.section\s+\.text\.([^,\s]+)', line)
        if m:
            cur = funcs.setdefault(m.group(1).strip('"'), []); label = []; continue
        m = re.match(r'(\.L_[\w$.]+|[\w$.]+):\s*$', line)
        if m: label.append(m.group(1)); continue
        m = re.match(r'\s*/\*([0-9a-f]{4,})\*/\s+(.*?)\s*/\* 0x([0-9a-f]{16}) \*/', line)
        if m and cur is not None:
            i = Ins(); i.addr, i.text, i.lo = int(m.group(1), 16), m.group(2).strip(), int(m.group(3), 16)
            i.label = label; label = []; cur.append(i); pend = i; continue
        m = re.match(r'\s*/\* 0x([0-9a-f]{16}) \*/', line)
        if m and pend is not None: pend.hi = int(m.group(1), 16); pend.decode(); pend = None
    got = [(k, v) for k, v in funcs.items() if want in k]
    if not got: sys.exit(f'no kernel with {want!r} in its name; there are: ' + ', '.join(funcs))
    if len(got) > 1: print('note: several kernels match, the first is taken:', *[k for k, _ in got], file=sys.stderr)
    return got[0]


def loops(code):
    """Natural loops as (set of instruction indices, header, latch)."""
    at = {l: n for n, i in enumerate(code) for l in i.label}
    lead = {0}
    for n, i in enumerate(code):
        o = i.op.split('.')[0]
        if o in ('BRA', 'EXIT', 'RET', 'BRX', 'JMP', 'BSYNC', 'KILL'):
            lead.add(n + 1)
        if o == 'BRA' and i.target in at: lead.add(at[i.target])
        if i.label: lead.add(n)
    lead = sorted(x for x in lead if x < len(code)); bid = {}; blocks = []
    for b, s in enumerate(lead):
        e = lead[b + 1] if b + 1 < len(lead) else len(code)
        blocks.append((s, e))
        for n in range(s, e): bid[n] = b
    succ = [[] for _ in blocks]
    for b, (s, e) in enumerate(blocks):
        i = code[e - 1]; o = i.op.split('.')[0]; uncond = not i.pred and not re.match(r'!?U?P\d', i.args)
        if o == 'BRA':
            if i.target in at: succ[b].append(bid[at[i.target]])
            if not uncond and b + 1 < len(blocks): succ[b].append(b + 1)
        elif o in ('EXIT', 'RET', 'KILL', 'JMP', 'BRX'):
            if i.pred and b + 1 < len(blocks): succ[b].append(b + 1)
        elif b + 1 < len(blocks): succ[b].append(b + 1)
    pre = [[] for _ in blocks]
    for b, ss in enumerate(succ):
        for t in ss: pre[t].append(b)
    # dominators over reachable blocks
    order, seen, st = [], set(), [(0, iter(succ[0]))]; seen.add(0)
    while st:
        b, it = st[-1]
        for t in it:
            if t not in seen: seen.add(t); st.append((t, iter(succ[t]))); break
        else: order.append(b); st.pop()
    order.reverse(); dom = {b: seen for b in seen}; dom[0] = {0}; ch = True
    while ch:
        ch = False
        for b in order[1:]:
            ps = [dom[p] for p in pre[b] if p in seen]
            d = set.intersection(*ps) | {b} if ps else {b}
            if d != dom[b]: dom[b] = d; ch = True
    res = {}
    for b in seen:
        for t in succ[b]:
            if t in dom[b]:
                body, w = {t, b}, [b] if b != t else []
                while w:
                    for p in pre[w.pop()]:
                        if p in seen and p not in body: body.add(p); w.append(p)
                r = res.setdefault(t, [set(), b]); r[0] |= body; r[1] = max(r[1], b)
    return [(sorted(n for b in bs for n in range(*blocks[b])), blocks[t][0], blocks[l][1] - 1) for t, (bs, l) in res.items()]


def hot(code, which=None):
    ls = loops(code); ff = lambda l: sum(code[n].op.startswith('FFMA') for n in l[0])
    ls.sort(key=lambda l: -ff(l))
    if which is not None: return ls[which], ls
    cand = [l for l in ls if ff(l) >= 32] or ls
    inner = [l for l in cand if not any(m is not l and set(m[0]) < set(l[0]) and ff(m) * 2 >= ff(l) for m in cand)]
    return max(inner, key=ff), ls


def analyse(body, passes=2):
    """Sets fetched (reuse kept per slot and bank until read over) and fetched_imm (only from the preceding instruction)."""
    cache, prev = {}, None
    for _ in range(passes):  # second pass: the state at the back edge
        for i in body:
            f, fi = set(), set()
            for s, r in enumerate(i.srcs):
                if r is None: continue
                if cache.get((s, r & 1)) != r: f.add(r)
                if not (prev and prev.srcs[s] == r and prev.reuse >> s & 1): fi.add(r)
            hit = [r for s, r in enumerate(i.srcs) if r is not None]
            for s, r in enumerate(i.srcs):
                if r is None: continue
                cache[(s, r & 1)] = r if i.reuse >> s & 1 else None
            i.fetched, i.fetched_imm, prev = f, fi, i


def ctl(i):
    w = ''.join(str(b) if i.wait >> b & 1 else '-' for b in range(6))
    return f"{w} R{'-' if i.rbar == 7 else i.rbar} W{'-' if i.wbar == 7 else i.wbar} {'Y' if i.yld else '-'} S{i.stall:<2}"


def report(body, peak, quiet=False):
    ff = [i for i in body if i.op.startswith('FFMA')]
    oth = collections.Counter('.'.join(i.op.split('.')[:1]) for i in body if not i.op.startswith('FFMA'))
    analyse(body); N = len(ff); out = {}
    for name, key in (('immediate', 'fetched_imm'), ('banked', 'fetched')):
        h = collections.Counter()
        for i in ff:
            f = getattr(i, key); h[len(f), max(sum(r & 1 for r in f), sum(1 - (r & 1) for r in f)) if f else 0] += 1
        three = sum(v for (r, _), v in h.items() if r >= 3)
        model = len(body) + 0.75 * three
        out[name] = (three, model, peak * N / model, h)
    runs = collections.Counter(); run = 1
    acc = [i.srcs[2] for i in ff if i.srcs[2] is not None]
    for a, b in zip(acc, acc[1:]):
        if (a ^ b) & 1: runs[run] += 1; run = 1
        else: run += 1
    if acc: runs[run] += 1
    if quiet: return out
    print(f'instructions {len(body)}  FFMA {N}  share {100 * N / len(body):.2f} %  others {len(body) - N}: ' +
          ', '.join(f'{k} {v}' for k, v in oth.most_common()))
    for name, (three, model, tf, h) in out.items():
        print(f'{name:9s} three-fresh {three:4d}  model cycles {model:7.1f}  predicted {tf:.2f} TFLOP/s   (reads,bank): ' +
              ' '.join(f'{k}:{v}' for k, v in sorted(h.items())))
    for name, key in (('immediate', 'fetched_imm'), ('banked', 'fetched')):
        where = collections.Counter()
        for a, b in zip([body[-1]] + body, body):
            if b in ff and len(getattr(b, key)) >= 3: where['in a run of FFMAs' if a.op.startswith('FFMA') else 'after ' + a.op] += 1
        print(f'three-fresh ({name}):', dict(where.most_common()) or 'none')
    s = collections.Counter(i.stall for i in body)
    print(f'stall sum {sum(i.stall for i in body)} of {len(body)} instructions; stalls: ' + ' '.join(f'{k}x{v}' for k, v in sorted(s.items())) +
          f'; may-yield flags on FFMA {sum(i.yld for i in ff)}, on others {sum(i.yld for i in body) - sum(i.yld for i in ff)}; waits on FFMA {sum(i.wait != 0 for i in ff)}')
    long = {k: v for k, v in runs.items() if k >= 4}
    print(f'accumulator parity runs: mean {len(acc) / max(1, sum(runs.values())):.2f}, longest {max(runs, default=0)}, '
          f'FFMAs in runs of 4+ {sum(k * v for k, v in long.items())}: {dict(sorted(runs.items()))}')
    return out


def main():
    p = argparse.ArgumentParser()
    p.add_argument('file'); p.add_argument('kernel', nargs='?', default=''); p.add_argument('-p', '--print', action='store_true')
    p.add_argument('--loop', type=int); p.add_argument('--list', action='store_true'); p.add_argument('--all', action='store_true', help='include blocks outside header..latch (spin retries)')
    p.add_argument('--peak', type=float, default=65.2)
    a = p.parse_args()
    name, code = load(a.file, a.kernel)
    (idx, h, l), ls = hot(code, a.loop)
    if a.list:
        for n, (ix, hh, ll) in enumerate(ls): print(f'loop {n}: {code[hh].addr:#x}..{code[ll].addr:#x} instructions {len(ix)} FFMA {sum(code[x].op.startswith("FFMA") for x in ix)}')
    far = [n for n in idx if not h <= n <= l]
    body = [code[n] for n in (idx if a.all else [n for n in idx if h <= n <= l])]
    lds = [i for i in body if i.op.startswith('LDS')]
    print(f'{name}: loop {code[h].addr:#x}..{code[l].addr:#x} ({(l - h + 1) * 16} bytes' + (f'; {len(far)} instructions out of line not counted' if far and not a.all else '') + ')')
    report(body, a.peak)
    if a.print:
        for i in body:
            k = f'{len(i.fetched_imm)}/{len(i.fetched)}' + ('!' if len(i.fetched_imm) >= 3 else ' ') if i.op.startswith('FFMA') else '    '
            print((' '.join(i.label) + ':\n' if i.label else '') + f'{i.addr:05x} {ctl(i)} {k} {i.pred:>4} {i.op} {i.args}')


if __name__ == '__main__': main()
