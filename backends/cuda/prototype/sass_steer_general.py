#!/usr/bin/env python3
"""steer.py IN.cubin KERNEL OUT.cubin [--groups G] [--advance N] [--lds-stall S] [--seconds T] ...  See README.

Re-schedules the hot loop of an FFMA kernel: the FFMAs of each k-step walk through the outer product so that each shares a multiplicand
with the one before, loads and other instructions stand together at break points, fragments are double-buffered in registers that the kernel
does not use elsewhere, control codes are made anew. verify() proves the result against the original, from the encoded bytes alone."""
import argparse, collections, math, random, re, struct, subprocess, sys, tempfile
import loop as L, verify

FENCES = ('SYNCS', 'BAR', 'DEPBAR', 'LDGDEPBAR', 'LDGSTS', 'STS', 'STG', 'ST', 'MEMBAR', 'FENCE', 'WARPSYNC', 'BRA', 'ATOMS', 'ATOM', 'RED',
          'UTMALDG', 'UTMASTG', 'ERRBAR', 'CCTL', 'NANOSLEEP', 'UBLKCP', 'LD', 'LDG', 'BSSY', 'BSYNC', 'ARRIVES')
NO_DEST = ('SYNCS.ARRIVE', 'BAR', 'DEPBAR', 'LDGDEPBAR', 'LDGSTS', 'STS', 'STG', 'ST', 'MEMBAR', 'FENCE', 'WARPSYNC', 'BRA', 'UTMALDG', 'UTMASTG', 'ERRBAR', 'NOP',
           'NANOSLEEP', 'EXIT', 'BSSY', 'BSYNC', 'ARRIVES', 'RED', 'CCTL', 'UBLKCP')
SIMPLE = ('FFMA FMUL FADD IADD3 IMAD LOP3 SEL ISETP LEA SHF MOV FSETP FSEL IABS IMNMX VIADD PRMT I2FP I2F F2I MUFU SGXT FLO POPC S2R R2UR PLOP3 FMNMX LDC VIADDMNMX VIMNMX '
          'IADD BREV').split()


class Refused(Exception): pass


def operands(i):
    """(defs, uses) of an instruction as sets of ('R', n), ('U', n), ('P', n), ('Q', n) (uniform predicates), exact for what a loop body may hold."""
    args, depth, cur = [], 0, ''
    for ch in i.args:
        if ch in '[(': depth += 1
        if ch in '])': depth -= 1
        if ch == ',' and not depth: args.append(cur.strip()); cur = ''
        else: cur += ch
    if cur.strip(): args.append(cur.strip())
    op = i.op; base = op.split('.')[0]; nd = 1
    if op.startswith(NO_DEST) and base not in ('LDG', 'LD'): nd = 0
    if base in ('ISETP', 'UISETP', 'FSETP', 'PLOP3', 'UPLOP3'): nd = 2
    if base in ('IADD3', 'UIADD3', 'LOP3', 'ULOP3', 'LEA', 'ULEA', 'SHFL', 'VOTE', 'ELECT', 'IMAD', 'UIMAD', 'ATOMS', 'SYNCS'):
        while nd and nd < len(args) and re.fullmatch(r'U?P(\d|T)', args[nd]): nd += 1
    defs, uses = set(), set()
    def regs(text, wide):
        out = []
        for u, n, suf in re.findall(r'(?<![A-Za-z0-9_.])(U?)R(\d+)((?:\.(?:64|U32|reuse|H0_H0|H1_H1|F32x2\.HI_LO))*)', text):
            k = 'U' if u else 'R'; n = int(n)
            w = wide if wide else (2 if '.64' in suf else 1)
            out += [(k, n + x) for x in range(w)]
        for u, n in re.findall(r'(?<![A-Za-z0-9_.])(U?)P(\d)', text): out.append(('Q' if u else 'P', int(n)))
        return out
    m = re.search(r'\.(64|128)\b', op)
    width = {'64': 2, '128': 4}.get(m.group(1), 1) if m else 1
    mem = base in ('LDS', 'LDG', 'LD', 'LDL', 'STS', 'STG', 'ST', 'STL', 'LDGSTS', 'LDSM', 'ULDC', 'LDC')
    dw = width if mem else 1
    if base in ('ULDC', 'LDC'): dw = width
    if base == 'CS2R': dw = 1 if '.32' in op else 2
    if '.WIDE' in op: dw = 2
    if base == 'LDSM': dw = 4
    for a in args[:nd]: defs.update(regs(a, dw))
    for n, a in enumerate(args[nd:]):
        if ('.WIDE' in op or '.HI' in op and base == 'IMAD') and n == 2: uses.update(regs(a, 2))
        elif base in ('STS', 'STG', 'ST', 'STL') and n == len(args) - nd - 1 and '[' not in a: uses.update(regs(a, width))
        elif '[' in a: uses.update(regs(a, 0)); uses.update((k, x + 1) for k, x in regs(a, 0) if k == 'U' and 'desc' in a)
        else: uses.update(regs(a, 0))
    if base.startswith('UTMA') or base == 'UBLKCP':
        uses.update((k, x + y) for k, x in list(uses) if k == 'U' for y in range(6))
    if base not in KNOWN and not base.startswith('UTMA'): raise Refused(f'instruction not understood in the loop: {i.op} {i.args}')
    if i.pred and not i.pred.endswith('T'):
        m = re.match(r'@!?(U?)P(\d)', i.pred); uses.add(('Q' if m.group(1) else 'P', int(m.group(2)))); uses |= defs  # the old value may stay
    return frozenset(defs), frozenset(uses)


KNOWN = set(FENCES) | set(SIMPLE) | set(('ELECT LDS CS2R S2UR UMOV UIADD3 ULEA ULOP3 USEL UISETP USHF UIMAD UPLOP3 ULDC UPRMT VOTEU VOTE SYNCS R2UR NOP S2R USGXT').split())


class Item:
    """One instruction of the trace, or a macro: an optional region (branch over a block, spin included) that moves as a whole."""
    def __init__(self, ins, kind):
        self.ins, self.kind = ins, kind
        self.defs, self.uses = set(), set()
        for x in ins:
            d, u = operands(x)
            self.uses |= u if len(ins) == 1 else u | {r for r in d}
            self.defs |= d
        self.fence = kind == 'macro' or ins[0].op.split('.')[0] in FENCES


def macro_uses(ins_list):
    """Upward-exposed uses and defs of a region that may be skipped."""
    seen, uses, defs = set(), set(), set()
    for i in ins_list:
        d, u = operands(i)
        uses |= u - seen; seen |= d; defs |= d
    return uses, defs


class Kernel:
    def __init__(self, path, want, which=None):
        self.path = path; self.name, self.code = L.load(path, want)
        (idx, self.h, self.l), _ = L.hot(self.code, which)
        self.far = [n for n in idx if not self.h <= n <= self.l]
        self.body = self.code[self.h:self.l + 1]

    def trace(self):
        """The body as items in order. Forward branches inside it must skip a region without FFMA; spins out of line belong to their region."""
        code, out, n = self.code, [], self.h
        at = {l: k for k, i in enumerate(code) for l in i.label}
        while n <= self.l:
            i = code[n]; b = i.op.split('.')[0]
            if b == 'BRA' and n != self.l:
                t = at[i.target]
                if t == n: end = n + 1
                elif self.h <= t <= n: raise Refused('backward branch inside the body')
                elif t > n and t <= self.l: end = t
                else: end = n + 1  # to an out-of-line spin that must come back right here
                region = [n]; grow = True
                k = n + 1
                while k < end:
                    if code[k].op.startswith('FFMA'): raise Refused('FFMA inside an optional region')
                    region.append(k); k += 1
                    if code[k - 1].op.startswith('BRA') and at[code[k - 1].target] > end and at[code[k - 1].target] <= self.l: end = at[code[k - 1].target]
                todo = [at[code[k].target] for k in region if code[k].op.startswith('BRA') and not self.h <= at[code[k].target] <= self.l]
                far = set()
                while todo:
                    f = todo.pop()
                    while f not in far:
                        far.add(f); x = code[f]
                        if x.op.startswith('FFMA') or f not in self.far: raise Refused('a branch leaves the loop from its middle')
                        if x.op.startswith('BRA'):
                            t = at[x.target]
                            if self.h <= t <= self.l:
                                if not n <= t <= end: raise Refused('a spin comes back elsewhere')
                            else: todo.append(t)
                            if not x.pred: break
                        f += 1
                it = Item([code[k] for k in region], 'macro'); it.uses, it.defs = macro_uses([code[k] for k in region] + [code[f] for f in sorted(far)])
                it.uses |= it.defs & set()
                it.far = sorted(far); it.region = region
                out.append(it); n = end; continue
            out.append(Item([i], 'ffma' if L_ffma(i) else 'lds' if b == 'LDS' and not i.pred else 'other')); n += 1
        last = out.pop(); assert last.ins[0].op.startswith('BRA')
        labels_inside = [i for i in self.body[1:] if i.label]
        return out, last


def L_ffma(i): return i.lo & 0xffff == 0x7223 and i.lo >> 40 == 0 and (i.hi >> 8) & ((1 << 33) - 1) == 0 and (i.lo >> 16 & 255) != 255 and i.srcs[0] is not None and i.srcs[1] is not None and i.srcs[2] is not None


class Value:
    def __init__(self, reg, maker, pos): self.reg, self.maker, self.pos, self.readers = reg, maker, pos, []


def path_search(chains, rowpar, colpar, accpar, seconds, seed, weights, breaks):
    """A walk through rows x cols in which neighbours share a row or a column; chains[i][j]; annealed for banks and parity runs."""
    R, C = len(rowpar), len(colpar)
    w3, w22, wrun = weights
    order = []
    if C <= R:
        for i in range(R): order += [(i, j) for j in (range(C) if i % 2 == 0 else range(C - 1, -1, -1))]
    else:
        for j in range(C): order += [(i, j) for i in (range(R) if j % 2 == 0 else range(R - 1, -1, -1))]
    bset = set(breaks)
    def cost(o):
        c = 0.0; p1 = p2 = p3 = -1; prev = None; t = 0
        for v in o:
            i, j = v; a = accpar[i][j]
            if prev is None or t in bset: c += w3 if t else 0.0
            elif i == prev[0]:
                if colpar[j] == a: c += w22
            elif j == prev[1]:
                if rowpar[i] == a: c += w22
            else: c += w3 * 2
            if a == p1 and a == p2:
                c += wrun
                if a == p3: c += wrun
            p3, p2, p1, prev = p2, p1, a, v; t += 1
        return c
    import time
    rnd = random.Random(seed); best = cur = cost(order); bo = order[:]; t0 = time.time(); N = len(order); T0 = 0.3; n = 0; T = T0
    while True:
        if n % 64 == 0:
            f = (time.time() - t0) / seconds if seconds else 1
            if f >= 1: break
            T = T0 * (0.003 ** f)
        n += 1
        x, y = sorted(rnd.sample(range(N + 1), 2))
        if rnd.random() < 0.5:
            new = order[:x] + order[x:y][::-1] + order[y:]
        else:
            y = min(y, x + rnd.randint(1, 8)); seg = order[x:y]; rest = order[:x] + order[y:]; z = rnd.randint(0, len(rest))
            if rnd.random() < 0.5: seg = seg[::-1]
            new = rest[:z] + seg + rest[z:]
        c = cost(new)
        if c <= cur or rnd.random() < math.exp((cur - c) / T):
            order, cur = new, c
            if c < best - 1e-9: best, bo = c, new[:]
    return bo, best


def steer(k, o):
    items, latch = k.trace()
    latch.kind, latch.wr, latch.rd = 'latch', {}, {}
    # ---- values of the general registers along the trace
    reg = {}; live_in = {}
    def read(r, t):
        if r not in reg: reg[r] = live_in[r] = Value(r, None, -1)
        reg[r].readers.append(t); return reg[r]
    ff, lds, oth = [], [], []
    nf = 0
    for t, it in enumerate(items):
        it.t = t; it.x = nf; i = it.ins[0]
        if it.kind == 'ffma':
            it.a, it.b, it.c = (read(('R', s), it) for s in i.srcs)
            it.out = reg[('R', i.lo >> 16 & 255)] = Value(('R', i.lo >> 16 & 255), it, t); ff.append(it); nf += 1
        else:
            it.rd = {r: read(r, it) for r in it.uses}
            it.wr = {}
            for r in it.defs:
                old = reg.get(r)
                if it.kind == 'macro' or (i.pred and not i.pred.endswith('T')):
                    if old is None: old = reg[r] = live_in[r] = Value(r, None, -1)
                v = reg[r] = Value(r, it, t); v.merge = old if (it.kind != 'macro' and i.pred) else None
                it.wr[r] = v
            (lds if it.kind == 'lds' else oth).append(it)
    for r in operands(latch.ins[0])[1]: read(r, latch)
    final = dict(reg)
    # ---- chains of accumulators with their home registers
    chain = {}
    heads = []
    for it in ff:
        c = it.c
        if c.maker is None:
            chain[it] = c.reg; heads.append(c.reg)
        elif c.maker.kind == 'ffma': chain[it] = chain[c.maker]
        else: raise Refused('an accumulator comes from something else than an FFMA')
        if sum(1 for x in c.readers) != 1: raise Refused('an accumulator is read twice')
    homes = set(chain.values())
    if len(homes) != len(heads): raise Refused('chains share a home')
    for r in homes:
        v = final[r]
        if v.maker is None or v.maker.kind != 'ffma' or chain[v.maker] != r: raise Refused(f'the accumulator of {r} ends elsewhere')
    # ---- k-steps: connected components of FFMAs through their multiplicands
    par = {}
    def find(v):
        while par.setdefault(v, v) is not v: par[v] = par[par[v]]; v = par[v]
        return v
    for it in ff: par[find(it.a)] = find(it.b)
    comp = collections.OrderedDict()
    for it in ff: comp.setdefault(find(it.a), []).append(it)
    comps = list(comp.values())
    depth = {}
    for it in ff: depth[it] = depth[it.c.maker] + 1 if it.c.maker else 0
    comps.sort(key=lambda c: depth[c[0]])
    for n, c in enumerate(comps):
        if any(depth[x] != n for x in c) or len(c) != len(homes): raise Refused('the FFMAs do not fall into complete k-steps')
    S = len(comps)
    if S % 2: raise Refused('odd number of k-steps')
    stepof = {it: n for n, c in enumerate(comps) for it in c}
    # ---- sides: two colours of multiplicands
    side = {}
    sides = []
    for c in comps:
        adj = collections.defaultdict(list)
        for it in c: adj[it.a].append(it.b); adj[it.b].append(it.a)
        first = c[0].a; col = {first: 0}; st = [first]
        while st:
            v = st.pop()
            for w in adj[v]:
                if w not in col: col[w] = 1 - col[v]; st.append(w)
                elif col[w] == col[v]: raise Refused('multiplicands do not form an outer product')
        X = [v for v in col if col[v] == 0]; Y = [v for v in col if col[v] == 1]
        if len(X) < len(Y) or (len(X) == len(Y) and Y[0].pos > X[0].pos and False): X, Y = Y, X
        sides.append((X, Y))
    # consistent side over the steps (needed only when both have one length)
    # ---- where a step's fragments come from
    for n, (X, Y) in enumerate(sides):
        for v in X + Y:
            if n == 0 and v.maker is not None: raise Refused('the first step does not use fragments loaded before')
            if n and (v.maker is None or v.maker.kind != 'lds'): raise Refused('a multiplicand is not loaded by LDS')
            if any(r.kind != 'ffma' or stepof[r] != n for r in v.readers): raise Refused('a fragment is used elsewhere')
    frag_in = {v.reg: v for v in sides[0][0] + sides[0][1]}
    out_lds = []
    for it in lds:
        users = {stepof[r] for v in it.wr.values() for r in v.readers if r.kind == 'ffma'}
        if len(users) > 1: raise Refused('a load serves two steps')
        it.step = users.pop() if users else None
        if it.step is None:
            if not all(final[r] is v for r, v in it.wr.items()): raise Refused('a load is neither used nor live at the end')
            it.step = S; out_lds.append(it)
    outregs = {r for it in out_lds for r in it.wr}
    if not set(frag_in) <= outregs: raise Refused('the fragments of the first step are not loaded by the body')
    if S and any(r not in frag_in for r in outregs): raise Refused('a load at the end is not a fragment')
    # ---- walk
    G = o.groups; N = len(homes)
    bp_local = [round(N * g / G) for g in range(G)]
    rng = collections.defaultdict(dict)
    def rows(c, side): return {v: frozenset(chain[it] for it in (v.readers)) for v in side}
    X0, Y0 = sides[0]; cx = {s: n for n, s in enumerate(rows(comps[0], X0).values())}; cy = {s: n for n, s in enumerate(rows(comps[0], Y0).values())}
    rowpar = [v.reg[1] & 1 for v in X0]; colpar = [v.reg[1] & 1 for v in Y0]
    grid = {}
    for it in comps[0]:
        x, y = (it.a, it.b) if it.a in X0 else (it.b, it.a)
        grid[X0.index(x), Y0.index(y)] = chain[it]
    accpar = [[grid[i, j][1] & 1 for j in range(len(Y0))] for i in range(len(X0))]
    walk, wcost = path_search(grid, rowpar, colpar, accpar, o.seconds, o.seed, (0.75, o.w22, o.wrun), bp_local[1:] if o.immediate else [])
    xs = {}
    sched_steps = []
    for n, c in enumerate(comps):
        pos = {}
        X, Y = sides[n]; sx, sy = rows(c, X), rows(c, Y)
        if set(sx.values()) == set(cy) and set(sx.values()) != set(cx): X, Y = Y, X; sx, sy = sy, sx; sides[n] = (X, Y)
        if set(sx.values()) != set(cx) or set(sy.values()) != set(cy): raise Refused('steps pair accumulators differently')
        by = {(cx[sx[it.a if it.a in sx else it.b]], cy[sy[it.b if it.b in sy else it.a]]): it for it in c}
        seq = [by[p] for p in walk]
        for it in c: it.first = it.a if it.a in sx else it.b; it.second = it.b if it.a in sx else it.a
        sched_steps.append(seq)
    # ---- break points for everything else
    bps = sorted({n * N + b for n in range(S) for b in bp_local})
    fine = sorted({n * N + round(N * g / o.fine) for n in range(S) for g in range(o.fine)} | set(bps))
    total = S * N
    last_macro = max([n for n, it in enumerate(oth) if it.fence], default=-1)
    def snap(x): return min(fine, key=lambda b: abs(b - x))
    for n, it in enumerate(oth):
        x = it.x
        if n <= last_macro: x = min(x, total - o.advance)
        it.bp = snap(x)
    for n in range(1, len(oth)): oth[n].bp = max(oth[n].bp, oth[n - 1].bp)
    # first-use order of loads within their step
    for n in range(1, S + 1):
        seq = sched_steps[n % S]
        firstuse = {}
        for q, it in enumerate(seq):
            for v in (it.first, it.second): firstuse.setdefault(v if n < S else v.reg, q)
        mine = [it for it in lds if it.step == n]
        for it in mine: it.need = min(firstuse[v if n < S else r] for r, v in it.wr.items())
        mine.sort(key=lambda it: (it.need, it.t)) if n < S else mine.sort(key=lambda it: it.t)
        for q, it in enumerate(mine): it.bp = (n - 1) * N + bp_local[q * G // len(mine)]; it.q = q
    # dependences among the non-FFMA items, original order: registers and fences
    non = sorted(lds + oth, key=lambda it: it.t)
    before = collections.defaultdict(set)
    for y, b in enumerate(non):
        for a in non[:y]:
            both_other = a.kind != 'lds' and b.kind != 'lds'
            fence = a.fence or b.fence
            raw = any(b.rd[r].maker is a for r in b.rd)
            war_u = any(r[0] != 'R' and r in b.defs for r in a.uses) or any(r[0] != 'R' and r in b.defs for r in a.defs)
            # general registers: only values that keep their register (live in or out) order by WAR; renamed ones do not
            war_r = any(r[0] == 'R' and r in b.defs and r not in homes and r not in frag_in for r in a.uses | a.defs)
            if both_other or fence or raw or war_u or war_r: before[b].add(a)
    for _ in range(50):
        ch = False
        for b in non:
            for a in before[b]:
                if a.bp > b.bp: b.bp = a.bp; ch = True
        if not ch: break
    for it in lds:
        lim = it.step * N + it.need if it.step < S else total
        if it.bp > lim: raise Refused(f'no place for a load of step {it.step}')
    # ---- registers: header quads for even steps, free quads for odd ones
    f = verify.Func(k.path, k.name, None, (k.h, k.l, k.far))
    taken = verify.live_after(f) | {r[1] for r in live_in if r[0] == 'R'} | {r[1] for r in homes} | {r[1] for r in frag_in}
    for it in oth + [latch]: taken |= {r[1] for r in it.uses | it.defs if r[0] == 'R'}
    for it in lds: taken |= {r[1] for r in it.uses if r[0] == 'R'}
    quads = [q for q in range(0, o.regs - 3, 4) if not taken & set(range(q, q + 4))]
    singles = [r for r in range(o.regs) if r not in taken and r // 4 * 4 not in quads]
    newreg = {}
    width = lambda it: len(it.wr)
    n_odd = [it for it in lds if it.step == 1]
    def base(it): return min(r[1] for r in it.wr)
    header = sorted({base(it) for it in out_lds})
    if len(quads) < len(n_odd): raise Refused(f'{len(n_odd)} free quads needed, {len(quads)} there of {o.regs} registers')
    oddq = [quads.pop(0) for _ in n_odd]
    homeshdr = {r[1] for r in frag_in}
    def side_of(it): v = next(iter(it.wr.values())); return 0 if v in sides[it.step][0] else 1
    # same role (which rows of the product) keeps the same register in every even and every odd step
    role = lambda it: tuple(sorted((cx if side_of(it) == 0 else cy)[rows(comps[it.step], sides[it.step][side_of(it)])[v]] for v in it.wr.values())) + (side_of(it),)
    inv = {}
    for it in out_lds:
        vs = [frag_in[r] for r in it.wr]
        s0 = 0 if vs[0] in sides[0][0] else 1
        rr = rows(comps[0], sides[0][s0]); inv[tuple(sorted((cx if s0 == 0 else cy)[rr[v]] for v in vs)) + (s0,)] = base(it)
    odd = {}
    for it in sorted(lds, key=lambda it: it.t):
        if it.step == S: continue
        ro = role(it)
        if it.step % 2 == 0:
            if ro not in inv: raise Refused('loads of different steps cover different rows')
            to = inv[ro]
        else:
            if ro not in odd:
                if not oddq: raise Refused('loads of different steps cover different rows')
                odd[ro] = oddq.pop(0)
            to = odd[ro]
        for r, v in it.wr.items(): newreg[v] = ('R', to + r[1] - base(it))
    # temporaries of the other instructions
    spare = singles + [r for q in quads for r in range(q, q + 4)]
    def take():
        if not spare: raise Refused('no register left for a temporary')
        return spare.pop(0)
    for it in oth:
        if it.kind == 'macro':
            code = it.ins + [k.code[f] for f in it.far]
            it.rename = {}
            inner = {r for r in it.defs if r[0] == 'R'}
            for r in inner:
                v = it.wr[r]
                if r not in homes and r not in frag_in: continue
                if v.readers or r in it.uses: raise Refused('an optional region keeps a value in a register of the product')
                it.rename[r] = ('R', take())
            continue
        for r, v in it.wr.items():
            if r[0] != 'R': continue
            if final.get(r) is v:
                if r in homes or r in frag_in: raise Refused('conflict at the end of the loop')
                continue
            if r in homes or r in frag_in or True:
                if getattr(v, 'merge', None): raise Refused('a predicated definition of a temporary')
                if len(it.wr) > 1 and len([1 for q in it.wr if q[0] == 'R']) > 1: raise Refused('a wide temporary')
                newreg[v] = ('R', take())
    # ---- the new order
    order = []
    pend = collections.defaultdict(list)
    for it in non: pend[it.bp].append(it)
    for n in range(S):
        for q, it in enumerate(sched_steps[n]):
            p = n * N + q
            group = pend.pop(p, [])
            done = set()
            while group:
                ready = [g for g in group if not any(b in group for b in before[g])]
                ready.sort(key=lambda g: (g.kind != 'lds', getattr(g, 'need', 0), g.t))
                order.append(ready[0]); group.remove(ready[0])
            order.append(it)
    if pend: raise Refused('break point off the walk')
    order.append(latch)
    # ---- encode; barriers of loads, waits
    used_bar = set()
    for it in oth + [latch]:
        for i in it.ins + [k.code[f] for f in getattr(it, 'far', [])]:
            if i.wbar < 6: used_bar.add(i.wbar)
            if i.rbar < 6: used_bar.add(i.rbar)
    out_bar = set()
    for it in out_lds:
        for b in (it.ins[0].wbar, it.ins[0].rbar):
            if b < 6: out_bar.add(b)
    free = [b for b in range(6) if b not in used_bar]
    if len(free) < 2: raise Refused('no scoreboard barriers left')
    # upward-exposed waits of the original body, and its waits on values of the entry
    exposed, setb = 0, 0
    for i in k.body:
        exposed |= i.wait & ~setb
        for b in (i.wbar, i.rbar):
            if b < 6: setb |= 1 << b
    # what the original waits for between an item of the others and its dependants stays with the others: first waiter of each barrier
    recs = []  # (ins, lo, hi-without-control, ctl dict)
    barrier_of = {}
    def enc(i, ren_d, ren_u):
        lo, hi = i.lo, i.hi & ~(((1 << 21) - 1) << 41)
        d = lo >> 16 & 255
        if ren_d:
            for (a, b) in ren_d.items():
                if a[1] == d: lo = lo & ~(255 << 16) | b[1] << 16; break
            else: raise Refused(f'cannot rename the result of {i.text}')
        for a, b in ren_u.items():
            hit = False
            if i.srcs[0] == a[1]: lo = lo & ~(255 << 24) | b[1] << 24; hit = True
            if i.srcs[1] == a[1]: lo = lo & ~(255 << 32) | b[1] << 32; hit = True
            if i.srcs[2] == a[1]: hi = hi & ~255 | b[1]; hit = True
            if not hit: raise Refused(f'cannot rename an operand of {i.text}')
        return lo, hi
    class Rec: pass
    out = []
    for it in order:
        for n, i in enumerate(it.ins):
            r = Rec(); r.it, r.ins, r.src = it, i, i.addr
            if it.kind == 'ffma':
                h = chain[it][1]; A = newreg.get(it.first, it.first.reg)[1]; B = newreg.get(it.second, it.second.reg)[1]
                if o.swap: A, B = B, A
                r.lo = 0x7223 | h << 16 | A << 24 | B << 32; r.hi = h
                r.stall, r.yld, r.wbar, r.rbar, r.wait, r.reuse = 1, 0, 7, 7, 0, 0
            else:
                if it.kind == 'macro':
                    d, u = operands(i); r.lo, r.hi = enc(i, {a: b for a, b in it.rename.items() if a in d}, {a: b for a, b in it.rename.items() if a in u})
                else:
                    rd = {q: newreg[v] for q, v in it.wr.items() if v in newreg and (q[1] == i.lo >> 16 & 255)} if it.kind != 'latch' else {}
                    ru = {q: newreg[v] for q, v in it.rd.items() if v in newreg} if hasattr(it, 'rd') else {}
                    r.lo, r.hi = enc(i, rd, ru)
                r.stall, r.yld, r.wbar, r.rbar, r.wait, r.reuse = i.stall, i.yld, i.wbar, i.rbar, i.wait if it.kind != 'lds' else 0, 0
                if it.kind == 'lds' :
                    r.stall = 1; r.yld = 0
                    if it.step < S:
                        r.rbar = 7
                        half = 0 if it.q * 2 < len([1 for x in lds if x.step == it.step]) else 1
                        r.wbar = free[(it.step % 2 * 2 + half) % len(free)] if len(free) >= 4 else free[it.step % 2] if len(free) >= 2 else free[0]
            out.append(r)
    # layout positions: macro and labels. An instruction that is a branch target keeps its address only if positions agree
    assert len(out) == len(k.body), (len(out), len(k.body))
    # waits of FFMAs for fragments
    pendv = {}
    for n, r in enumerate(out):
        it = r.it
        if it.kind == 'lds' and it.step < S:
            for v in it.wr.values(): pendv[v] = r
        elif it.kind == 'ffma':
            for v in (it.first, it.second):
                m = pendv.get(v)
                if m is not None:
                    r.wait |= 1 << m.wbar
                    for key in [q for q, mm in pendv.items() if mm.wbar == m.wbar]: del pendv[key]
    out[0].wait |= exposed
    # asynchronous reads by loads (address, uniform registers) and later redefinition: wait for the load's own barrier
    asyn = []
    for n, r in enumerate(out):
        it = r.it
        if it.kind == 'ffma':
            if r.wait: asyn = [(q, d) for q, d in asyn if not r.wait >> q.wbar & 1]
            continue
        d = {newreg.get(v, q) for q, v in getattr(it, 'wr', {}).items()} if it.kind != 'macro' else {it.rename.get(q, q) for q in it.defs}
        if it.kind != 'lds':
            for q, u in asyn:
                if u & d: r.wait |= 1 << q.wbar
        asyn = [(q, u) for q, u in asyn if not r.wait >> q.wbar & 1]
        if it.kind == 'lds' and it.step < S: asyn.append((r, {newreg.get(v, q) for q, v in it.rd.items()}))
    # waits among the others: the first in order to wait in the original; where that was an FFMA or a load, the next other instruction or a dependant
    for it in oth:
        for i in it.ins:
            for b in (i.wbar, i.rbar):
                if b == 7 or it.kind == 'macro': continue
                start = next(n for n, r in enumerate(out) if r.ins is i)
                orig = k.body.index(i); waiter = next((x for x in k.body[orig + 1:] if x.wait >> b & 1), None)
                dep = None
                for r in out[start + 1:]:
                    if r.it.kind == 'ffma': continue
                    if r.ins is waiter or (hasattr(r.it, 'rd') and any(v in it.wr.values() for v in r.it.rd.values())) or (r.it.uses & it.defs and any(q[0] != 'R' for q in r.it.uses & it.defs)) \
                       or (r.it.defs & (it.uses | it.defs)): dep = r; break
                    if r.it is latch: dep = r; break
                if dep is None: raise Refused('no one waits for ' + i.text)
                dep.wait |= 1 << b
    # the latch keeps its waits; fixed latencies among the others: at least the original distance, up to CAP
    CAP = 15
    otime = {}; t = 0
    for i in k.body: otime[i.addr] = t; t += max(1, i.stall)
    def newtimes(skip):
        tt, res = 0, []
        for r in out:  # the shortest way skips what is optional
            res.append(tt); tt += max(1, r.stall) if not skip or r.it.kind != 'macro' or r.ins is r.it.ins[0] else 0
        return res
    nonidx = [n for n, r in enumerate(out) if r.it.kind != 'ffma']
    for a, b in zip(out, out[1:]):
        if a.it.kind == 'lds': a.stall = o.lds_stall if b.it.kind == 'lds' else 1
    for r in out:
        if r.it.kind == 'other' and r.ins.op.split('.')[0] not in FENCES: r.stall = 1; r.yld = 0
    base_ops = {id(r): operands(r.ins) for r in out if r.it.kind != 'ffma'}
    for _ in range(400):
        tskip, tfull = newtimes(True), newtimes(False); worst = None
        for y, bidx in enumerate(nonidx):
            rb = out[bidx]; db, ub = base_ops[id(rb)]
            for aidx in reversed(nonidx[:y]):
                ra = out[aidx]
                if ra.it is rb.it: continue
                if tskip[bidx] - tskip[aidx] >= CAP: break
                times = tfull if ra.it.kind == 'macro' and ra.ins is not ra.it.ins[0] else tskip
                da, ua = base_ops[id(ra)]
                if ra.it.kind == 'lds' or (ra.wbar != 7 and not ua & db): continue
                if da & ub or da & db or ua & db:
                    if otime[rb.ins.addr] < otime[ra.ins.addr]: continue
                    need = min(CAP, otime[rb.ins.addr] - otime[ra.ins.addr])
                    gap = times[bidx] - times[aidx]
                    if gap < need: worst = (aidx, bidx, need - gap); break
            if worst: break
        if not worst: break
        aidx, bidx, lack = worst; n = bidx - 1
        while lack and n >= aidx:
            add = min(lack, 15 - out[n].stall)
            if out[n].it.kind == 'ffma' and n != bidx - 1 or out[n].it.kind == 'macro' and out[n].ins is not out[n].it.ins[0]: add = 0
            if add > 0: out[n].stall += add; lack -= add
            n -= 1
        if lack: raise Refused('a fixed latency cannot be kept')
    else: raise Refused('latencies do not settle')
    for a, b in zip(out, out[1:]):  # a barrier counts two cycles after it is set
        if any(x < 6 and b.wait >> x & 1 for x in (a.wbar, a.rbar)): a.stall = max(a.stall, 2)
    for r in out:
        if r.stall >= 12: r.yld = 1
    # reuse flags: the next instruction reads the same register in the same slot
    for a, b in zip(out, out[1:]):
        if a.it.kind == 'ffma' and b.it.kind == 'ffma':
            for s in range(2):
                if a.lo >> (24 + 8 * s) & 255 == b.lo >> (24 + 8 * s) & 255: a.reuse |= 1 << s
    if o.bridge:
        for n, a in enumerate(out):
            if a.it.kind != 'ffma': continue
            m = n + 1; bad = [set(), set()]
            while m < len(out) and out[m].it.kind == 'lds':
                bad[0].add(out[m].lo >> 24 & 1); m += 1
            if m > n + 1 and m < len(out) and out[m].it.kind == 'ffma':
                for s in range(2):
                    ra = a.lo >> (24 + 8 * s) & 255
                    if ra == out[m].lo >> (24 + 8 * s) & 255 and ra & 1 not in bad[s]: a.reuse |= 1 << s
    # positions: regions with labels must still start where their branches point: recompute branch targets
    k.out = out
    return out, walk, wcost


def sign(x, bits): return x - (1 << bits) if x >> (bits - 1) & 1 else x


def branch_target(addr, lo, hi):
    """Target of BRA: an offset from the next instruction in units of 4 bytes, bits 0..7 at 16, the rest at 34..81."""
    off = (lo >> 34 | (hi & ((1 << 18) - 1)) << 30) << 8 | lo >> 16 & 255
    return addr + 16 + sign(off, 56) * 4


def set_branch(addr, lo, hi, target):
    off = (target - addr - 16) // 4 & ((1 << 56) - 1)
    lo = lo & ~(255 << 16) | (off & 255) << 16; off >>= 8
    return lo & ((1 << 34) - 1) | (off & ((1 << 30) - 1)) << 34, hi & ~((1 << 18) - 1) | off >> 30


def text_section(blob, name):
    shoff, = struct.unpack_from('<Q', blob, 0x28); n, sx = struct.unpack_from('<HH', blob, 0x3c)
    secs = [struct.unpack_from('<IIQQQQIIQQ', blob, shoff + 64 * s) for s in range(n)]
    st = secs[sx]; nm = lambda s: blob[st[4] + s[0]:blob.index(0, st[4] + s[0])].decode()
    d = {nm(s): s for s in secs}
    return d['.text.' + name][4], d.get('.nv.info.' + name), d.get('.rela.text.' + name), d.get('.rel.text.' + name)


def write(k, out, path):
    blob = bytearray(open(k.path, 'rb').read()); off, info, rela, rel = text_section(bytes(blob), k.name)
    h, code = k.h, k.code
    lo_a, hi_a = code[k.h].addr, code[k.l].addr
    for r in (rela, rel):
        if r:
            step = 24 if r is rela else 16
            for p in range(r[4], r[4] + r[5], step):
                at, = struct.unpack_from('<Q', blob, p)
                if lo_a <= at <= hi_a: raise Refused('a relocation in the loop')
    moved = {}
    for n, r in enumerate(out): r.addr = lo_a + 16 * n; moved[r.ins.addr] = r.addr
    # labels: a branch target is the place before the instruction that followed it in the original region
    at = {l: i.addr for i in code for l in i.label}
    macro_end = {}
    for n, r in enumerate(out):
        if r.it.kind == 'macro' and r.ins is r.it.ins[-1]: macro_end[code[r.it.region[-1] + 1].addr] = r.addr + 16
    def retarget(i):
        t = at[i.target]
        if not lo_a <= t <= hi_a: return t
        if t == lo_a: return t
        if t in macro_end: return macro_end[t]
        x = next((r for r in out if r.ins.addr == t), None)
        if x is not None and x.it.kind == 'macro': return x.addr
        raise Refused('a branch into the loop cannot be followed: ' + i.text)
    for r in out:
        c = r.stall | (0 if r.yld else 1) << 4 | r.wbar << 5 | r.rbar << 8 | r.wait << 11 | r.reuse << 17
        if r.ins.op.startswith('BRA'): r.lo, r.hi = set_branch(r.addr, r.lo, r.hi, retarget(r.ins))
        struct.pack_into('<QQ', blob, off + r.addr, r.lo, r.hi | c << 41)
    for it in {id(r.it): r.it for r in out if r.it.kind == 'macro'}.values():
        for f in it.far:
            i = code[f]; lo, hi = i.lo, i.hi
            for a, b in it.rename.items():
                d, u = operands(i)
                if a in d: lo = lo & ~(255 << 16) | b[1] << 16
                if a in u:
                    hit = False
                    for s, sh in ((0, 24), (1, 32)):
                        if i.srcs[s] == a[1]: lo = lo & ~(255 << sh) | b[1] << sh; hit = True
                    if i.srcs[2] == a[1]: hi = hi & ~255 | b[1]; hit = True
                    if not hit: raise Refused('cannot rename in the spin')
            if i.op.startswith('BRA'): lo, hi = set_branch(i.addr, lo, hi, retarget(i))
            struct.pack_into('<QQ', blob, off + i.addr, lo, hi)
    for n, i in enumerate(code):  # any other branch into the loop may only go to its header
        if i.op.startswith('BRA') and not k.h <= n <= k.l and n not in k.far and lo_a < at[i.target] <= hi_a: raise Refused('the loop is entered in its middle')
    # offsets of instructions in .nv.info
    if info:
        p, end = info[4], info[4] + info[5]
        while p < end:
            fmt, attr, = blob[p], blob[p + 1]; size, = struct.unpack_from('<H', blob, p + 2)
            if fmt == 4:
                if attr in (0x1c, 0x1d, 0x25, 0x28, 0x29, 0x2d, 0x2e, 0x31, 0x34, 0x39, 0x3c, 0x4b, 0x46, 0x47, 0x4a):
                    stepb = 4
                    for q in range(p + 4, p + 4 + size, 4):
                        v, = struct.unpack_from('<I', blob, q)
                        if lo_a <= v <= hi_a and v in moved and v % 16 == 0: struct.pack_into('<I', blob, q, moved[v])
                p += 4 + size
            else: p += 4
    if o_regs_patch[0]: pass
    open(path, 'wb').write(blob)


o_regs_patch = [0]


def main():
    p = argparse.ArgumentParser()
    p.add_argument('file'); p.add_argument('kernel'); p.add_argument('out')
    p.add_argument('--loop', type=int); p.add_argument('--groups', type=int, default=1); p.add_argument('--advance', type=int, default=128)
    p.add_argument('--lds-stall', type=int, default=4); p.add_argument('--seconds', type=float, default=4); p.add_argument('--seed', type=int, default=1)
    p.add_argument('--w22', type=float, default=0.04); p.add_argument('--wrun', type=float, default=0.1); p.add_argument('--regs', type=int, default=0)
    p.add_argument('--pool', type=int, default=0); p.add_argument('--fine', type=int, default=2); p.add_argument('--swap', action='store_true')
    p.add_argument('--bridge', action='store_true', help='keep .reuse over loads that do not read the slot and bank'); p.add_argument('--immediate', type=int, default=1)
    o = p.parse_args()
    k = Kernel(o.file, o.kernel, o.loop)
    if not o.regs:
        m = [int(i.args.split(',')[-1], 0) for i in k.code if i.op.startswith('USETMAXREG.TRY_ALLOC')]
        o.regs = max(m) if m else 0
        if not o.regs: sys.exit('give --regs N (registers per thread that the launch allows)')
    try:
        print('before:'); L.report(k.body, 65.2)
        out, walk, wc = steer(k, o)
        write(k, out, o.out)
        verify.verify(o.file, o.out, k.name, regs=o.regs, which=o.loop)
    except (Refused, verify.Unproved) as e:
        import os
        if os.path.exists(o.out): os.remove(o.out)
        sys.exit(f'refused: {e}')
    n = Kernel(o.out, k.name, None if o.loop is None else o.loop)
    print('after:'); L.report(n.body, 65.2)


if __name__ == '__main__': main()
