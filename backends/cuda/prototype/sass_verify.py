#!/usr/bin/env python3
"""verify.py OLD.cubin NEW.cubin KERNEL --regs N: proves that NEW's hot loop computes what OLD's does, and that NEW's control codes are safe.

Shares only the disassembly reader with steer.py. 1. Outside the loop (and its out-of-line spins) the files are equal, but for instruction offsets
in .nv.info. 2. Symbolic execution of one turn of both loops along every sequence of branch outcomes (spins up to twice): same conditions,
same ordered events (barriers, copies, votes), same loads between them, same final registers, save those that are dead afterwards; registers
whose final values differ start with unrelated values (induction over the turns). 3. Scoreboards and fixed latencies over two turns of NEW."""
import argparse, collections, re, struct, sys
import loop as L

PURE32 = set('FFMA FMUL FADD IADD3 LOP3 SEL ISETP LEA SHF MOV FSETP FSEL IABS IMNMX VIADD PRMT PLOP3 FMNMX VIMNMX I2FP'.split())
UPURE = set('UMOV UIADD3 ULEA ULOP3 USEL UISETP USHF UIMAD UPLOP3 ULDC S2UR S2R R2UR CS2R IMAD UPRMT'.split())
EVENT = set('VOTEU VOTE ELECT'.split())
FENCE = set('SYNCS BAR DEPBAR LDGDEPBAR LDGSTS MEMBAR FENCE WARPSYNC NANOSLEEP'.split())
VARIABLE = set('LDS S2R S2UR SYNCS LDGSTS R2UR LDGDEPBAR I2F MUFU LDG VOTE'.split())
SYS_OK = ('SR_TID', 'SR_CgaCtaId', 'SR_CTAID', 'SR_LANEID', 'SR_NTID', 'SR_NCTAID')
TOK = re.compile(r'(?<![A-Za-z0-9_.])(U?R|U?P)(\d+)((?:\.(?:64|U32|reuse))*)(?![A-Za-z0-9_])')
LOW = re.compile(r'(?<![A-Za-z0-9_.])')


class Unproved(Exception): pass


class Op:
    """Operands read from the disassembly: template (text without register numbers), sources in textual order, destinations."""
    def __init__(self, i):
        self.i = i; base = self.base = i.op.split('.')[0]
        if base not in PURE32 | UPURE | EVENT | FENCE | {'LDS', 'BRA', 'NOP'}: raise Unproved('unknown instruction ' + i.text)
        if base in ('S2R', 'S2UR', 'CS2R') and not any(s in i.args for s in SYS_OK) and 'SRZ' not in i.args: raise Unproved('special register ' + i.text)
        parts, depth, cur = [], 0, ''
        for ch in re.sub(r'`\([^)]*\)', '', i.args):
            depth += (ch in '[(') - (ch in '])')
            if ch == ',' and not depth: parts.append(cur.strip()); cur = ''
            else: cur += ch
        if cur.strip(): parts.append(cur.strip())
        nd = 0 if base in ('BAR', 'DEPBAR', 'LDGDEPBAR', 'LDGSTS', 'MEMBAR', 'FENCE', 'WARPSYNC', 'BRA', 'NOP', 'NANOSLEEP') or i.op.startswith('SYNCS.ARRIVE') else 1
        if base in ('ISETP', 'UISETP', 'FSETP', 'PLOP3', 'UPLOP3'): nd = 2
        elif nd:  # carry-outs: leading predicates after the first destination
            while nd < len(parts) and re.fullmatch(r'U?P(\d|T)', parts[nd]) and base in ('IADD3', 'UIADD3', 'LOP3', 'ULOP3', 'LEA', 'ULEA', 'IMAD', 'UIMAD', 'VOTE', 'VOTEU', 'ELECT', 'SHF'): nd += 1
        wide = 4 if '.128' in i.op else 2 if '.64' in i.op.replace('TRANS64', '') else 1
        self.dst, self.src = [], []
        for n, p in enumerate(parts):
            for k, num, suf in TOK.findall(p):
                w = 2 if '.64' in suf or 'desc[' + k + num in p and k == 'UR' else 1
                if n < nd:
                    w = wide if base == 'LDS' else 2 if '.WIDE' in i.op or (base == 'CS2R' and '.32' not in i.op) else wide if base == 'ULDC' else 1
                    self.dst += [(k, int(num) + x) for x in range(w)]
                else:
                    if ('.WIDE' in i.op or '.HI' in i.op and base == 'IMAD') and n == nd + 2: w = 2
                    self.src += [(k, int(num) + x) for x in range(w)]
        g = re.match(r'@!?(U?P)(\d)', i.pred or '')
        self.guard = (g.group(1), int(g.group(2))) if g else None
        self.template = i.op + ' ' + (i.pred or '') + ' ' + TOK.sub(lambda m: m.group(1) + m.group(3).replace('.reuse', ''), re.sub(r'`\([^)]*\)', '', i.args))
        self.commutes = base == 'FFMA' and self.template.strip() == 'FFMA  R, R, R, R' and len(self.src) == 3


class Func:
    def __init__(self, path, name, which, span=None):
        self.name, self.code = L.load(path, name)
        if span: self.h, self.l, self.far = span
        else:
            (idx, self.h, self.l), _ = L.hot(self.code, which); self.far = [n for n in idx if not self.h <= n <= self.l]
        self.at = {l: n for n, i in enumerate(self.code) for l in i.label}
        self.op = {}

    def get(self, n):
        if n not in self.op: self.op[n] = Op(self.code[n])
        return self.op[n]


INTERN = {}
def val(*t): return INTERN.setdefault(t, len(INTERN))


def execute(f, entry, decisions):
    """One turn. Returns ('end', state, log) or ('fork', condition value, log) when decisions run out, with the path of instruction indices."""
    st, log, lds, epoch, path, d, n = {}, [], collections.Counter(), val('start'), [], 0, f.h
    def rd(r): return st[r] if r in st else entry(r)
    while True:
        if not (f.h <= n <= f.l or n in f.far): raise Unproved(f'path leaves the loop at {f.code[n].addr:#x}')
        o = f.get(n); i = o.i; path.append(n)
        src = [rd(r) for r in o.src]
        if o.base == 'FFMA' and o.commutes: src = sorted(src[:2]) + src[2:]
        if o.guard: src += [rd(o.guard)] + [rd(r) for r in o.dst]
        if o.base == 'BRA':
            conds = [rd(o.guard)] if o.guard else []
            conds += src[:0] + [rd(r) for r in o.src]
            c = val('br', o.template, tuple(conds))
            if n == f.l:
                log.append(('loads', epoch, tuple(sorted(lds.items())))); log.append(('latch', c)); return 'end', st, log, path
            if not o.guard and not o.src: n = f.at[i.target]; continue
            log.append(('loads', epoch, tuple(sorted(lds.items())))); lds = collections.Counter()
            log.append(('branch', c)); epoch = val('after', epoch, c)
            if d == len(decisions): return 'fork', None, log, path
            taken = decisions[d]; d += 1
            n = f.at[i.target] if taken else n + 1
            continue
        if o.base == 'LDS':
            v = val('lds', o.template, tuple(src), epoch); lds[v] += 1
        elif o.base in FENCE:
            log.append(('loads', epoch, tuple(sorted(lds.items())))); lds = collections.Counter()
            v = val('fence', o.template, tuple(src), epoch); log.append(('fence', v)); epoch = val('after', epoch, v)
        elif o.base in EVENT:
            v = val('event', o.template, tuple(src)); log.append(('event', v))
        else: v = val(o.template, tuple(src))
        for x, r in enumerate(o.dst): st[r] = val('out', v, x)
        n += 1


def paths(f, g, entry_f, entry_g, limit=4096):
    """All decision sequences; yields (decisions, end f, end g). Spins: at most two turns each."""
    todo, ends = [()], []
    while todo:
        d = todo.pop()
        a, b = execute(f, entry_f, d), execute(g, entry_g, d)
        if a[0] != b[0] or a[2] != b[2]:
            k = next((x for x, (p, q) in enumerate(zip(a[2], b[2])) if p != q), None)
            raise Unproved(f'the loops differ after decisions {d}: event {k}: ' + (f'{a[2][k]} against {b[2][k]}' if k is not None else 'one has more'))
        if a[0] == 'end': ends.append((d, a, b)); continue
        visits = collections.Counter(a[3])
        for t in (0, 1):
            x = (d + (t,))
            if max(visits.values()) <= 3: todo.append(x)
        if len(ends) > limit: raise Unproved('too many paths')
    if not ends: raise Unproved('no path through the loop')
    return ends


def live_after(f):
    """Over-approximated general registers live at the exit of the loop."""
    code = f.code; at = f.at; N = len(code)
    exact = set('FFMA FMUL FADD IADD3 LOP3 SEL ISETP LEA SHF MOV FSETP FSEL IABS IMNMX VIADD PRMT I2FP FMNMX FCHK VIMNMX I2F F2I MUFU R2UR S2R SHFL VOTE'.split())
    use, kill, under = [], [], collections.defaultdict(set)
    for i in code:
        b = i.op.split('.')[0]; names = TOK.findall(i.args)
        parts = i.args.split(',')
        first = re.match(r'\s*R(\d+)\s*$', parts[0]); store = b.startswith(('ST', 'RED', 'ATOM', 'BAR', 'SYNCS', 'LDGSTS', 'BRA', 'UT'))
        dn = int(first.group(1)) if first and not store else None
        u, seen = set(), False
        for k, num, suf in names:
            if k != 'R': continue
            num = int(num)
            if dn is not None and num == dn and not seen: seen = True; continue
            if b in exact and '64' not in i.op + suf: u.add(num)
            elif b == 'IMAD' and not ('WIDE' in i.op or 'HI' in i.op): u.add(num)
            else: u.update(range(num, num + (4 if '128' in i.op or b not in exact | {'IMAD', 'LDS', 'LDG', 'STG', 'STS', 'CS2R'} else 2)))
        kl = set()
        if i.label: under = collections.defaultdict(set)
        if i.pred: u -= under[i.pred]  # defined before in this block under the same guard
        if dn is not None:
            if (b in exact and '64' not in i.op) or (b == 'IMAD' and 'WIDE' not in i.op): kl = {dn}
            elif b == 'IMAD' and 'WIDE' in i.op: kl = {dn, dn + 1}
            elif b in ('LDS', 'LDG'): kl = set(range(dn, dn + (4 if '.128' in i.op else 2 if '.64' in i.op else 1)))
            elif b == 'CS2R': kl = {dn} if '.32' in i.op else {dn, dn + 1}
            elif b in ('S2R', 'MUFU', 'F2I', 'I2F', 'LDC') and '.64' not in i.op: kl = {dn}
        if i.op.split('.')[0] in ('CALL', 'RET', 'BRX', 'JMX'): u = set(range(256))
        if i.pred: under[i.pred] |= kl; kl = set()
        for p in re.findall(r'(?<![A-Za-z0-9_.])P(\d)', ','.join(parts[:2])):
            for g in [g for g in under if g.endswith('P' + p)]: del under[g]
        use.append(u); kill.append(kl)
    live = [set() for _ in range(N + 1)]; ch = True
    while ch:
        ch = False
        for n in range(N - 1, -1, -1):
            i = code[n]; b = i.op.split('.')[0]; out = set()
            cond = bool(i.pred) or bool(re.match(r'!?U?P\d', i.args))
            if b == 'BRA': out |= live[at[i.target]]; out |= live[n + 1] if cond else set()
            elif b in ('EXIT', 'KILL'): out |= live[n + 1] if i.pred else set()
            else: out |= live[n + 1]
            new = (out - kill[n]) | use[n]
            if new != live[n]: live[n] = new; ch = True
    return live[f.l + 1]


def hazards(f, path, order_note=''):
    """Scoreboards and fixed latencies along one path, twice around."""
    seq = path + path; t = 0
    writer, reads, waited = {}, [], set()
    pend = {}   # resource -> producer record
    asyncr = [] # (record, resources read asynchronously)
    fixed = {}  # resource -> (time, latency need, record)
    bars = collections.defaultdict(set)
    for pos, n in enumerate(seq):
        o = f.get(n); i = o.i
        for b in range(6):
            if i.wait >> b & 1:
                for rec in bars[b]:
                    if t - rec['t'] < 2: raise Unproved(f'{i.addr:#x}: wait less than two cycles after its barrier is set')
                    if rec['wb'] == b:
                        rec['done'] = True
                        if rec['pipe'] == 'LDS':  # loads return in order
                            for q in pend.values():
                                if q['pipe'] == 'LDS' and q['n'] < rec['n']: q['done'] = True
                    if rec['rb'] == b: rec['read'] = True
                bars[b] = set_()
        # reads issued before a finished read of the same in-order pipe are finished
        last = max([x for x, (rec, _) in enumerate(asyncr) if rec['pipe'] == 'LDS' and (rec['done'] or rec['read'])], default=-1)
        asyncr = [(rec, u) for x, (rec, u) in enumerate(asyncr) if not (rec['done'] or rec['read']) and not (rec['pipe'] == 'LDS' and x < last)]
        res_r = set(o.src) | ({o.guard} if o.guard else set()); res_w = set(o.dst)
        for r in res_r | res_w:
            p = pend.get(r)
            if p and not p['done']: raise Unproved(f'{i.addr:#x} {i.text} uses {r} before {p["i"].addr:#x} {p["i"].text} is waited for')
        for rec, u in asyncr:
            hit = {r for r in u if r[0] == 'R'} & res_w
            if hit and not (o.base == 'LDS' and rec['pipe'] == 'LDS'): raise Unproved(f'{i.addr:#x} {i.text} overwrites {hit} read by {rec["i"].text}')
        for r in res_r | res_w:
            if r in fixed:
                tt, rec = fixed[r]; kind = rec.base
                need = latency(rec, o, r, r in res_r)
                if t - tt < need: raise Unproved(f'{i.addr:#x} {i.text}: {t - tt} cycles after {rec.i.addr:#x} {rec.i.text}, {need} needed')
        rec = dict(n=pos, i=i, t=t, wb=i.wbar, rb=i.rbar, done=False, read=False, pipe=o.base)
        if i.wbar < 6 or i.rbar < 6:
            for b in (i.wbar, i.rbar):
                if b < 6: bars[b].add(Rec(rec))
        if o.base in VARIABLE:
            if res_w and i.wbar == 7 and not i.op.startswith('SYNCS.ARRIVE') and o.base != 'LDS': raise Unproved(f'{i.addr:#x} {i.text} sets no barrier')
            for r in res_w: pend[r] = rec; fixed.pop(r, None)
            if o.base in ('LDS', 'LDGSTS', 'SYNCS'): asyncr.append((rec, set(o.src)))
        else:
            for r in res_w: fixed[r] = (t, o); pend.pop(r, None)
        t += max(1, i.stall)
        for s in range(3):  # a kept operand must not change before the next read of its slot
            if i.reuse >> s & 1 and i.srcs[s] is not None:
                r = ('R', i.srcs[s])
                for m in seq[pos:pos + 12]:
                    if m != n and f.code[m].srcs[s] is not None and f.code[m].srcs[s] & 1 == i.srcs[s] & 1: break
                    if r in f.get(m).dst: raise Unproved(f'{i.addr:#x} {i.text}: a kept operand is overwritten by {f.code[m].text}')
        if i.stall >= 12 and not i.yld: raise Unproved(f'{i.addr:#x}: stall {i.stall} without yield')
    return t // 2


class Rec(dict):
    """A record kept by identity in sets."""
    def __new__(cls, d): return _ById(d)


class _ById:
    def __init__(self, d): self.d = d
    def __getitem__(self, k): return self.d[k]
    def __setitem__(self, k, v): self.d[k] = v
    def __hash__(self): return id(self.d)
    def __eq__(self, o): return self.d is o.d


def set_(): return set()


OBSERVED = {}
def latency(p, c, r, read):
    """Cycles from a fixed-latency producer to a consumer: the shortest distance that the compiler's own code shows for the pair of classes
    (collected from the old file), never less than 4 for a read."""
    key = (cls(p), cls(c), r[0], read)
    got = OBSERVED.get(key)
    if not read: return 1 if got is None else min(got, 2)
    if p.base == 'FFMA' and c.base == 'FFMA': return 4
    return min(max(got, 4), 15) if got is not None else 15


def cls(o):
    if o.base == 'FFMA': return 'FFMA'
    if o.base == 'BRA': return 'BRA'
    if o.base in ('LDS', 'SYNCS', 'LDGSTS'): return 'MEM'
    if o.base in EVENT: return 'VOTE'
    if o.base.startswith('U') : return 'U'
    return 'ALU'


def observe(f):
    """Shortest distances in the old code, over straight runs of the whole kernel where its instructions are understood."""
    fixed, t = {}, 0
    for n, i in enumerate(f.code):
        if i.label: fixed = {}
        try: o = f.get(n)
        except Unproved: fixed = {}; t += max(1, i.stall); continue
        rs = set(o.src) | ({o.guard} if o.guard else set())
        for r in rs | set(o.dst):
            if r in fixed:
                tt, p = fixed[r]; key = (cls(p), cls(o), r[0], r in rs)
                OBSERVED[key] = min(OBSERVED.get(key, 99), t - tt)
        for r in o.dst:
            if o.base in VARIABLE: fixed.pop(r, None)
            else: fixed[r] = (t, o)
        t += max(1, i.stall)
        if o.base == 'BRA': fixed = {} if not i.pred else fixed


def compare_files(old, new, f, g):
    a, b = open(old, 'rb').read(), open(new, 'rb').read()
    if len(a) != len(b): raise Unproved('sizes differ')
    shoff, = struct.unpack_from('<Q', a, 0x28); n, sx = struct.unpack_from('<HH', a, 0x3c)
    secs = [struct.unpack_from('<IIQQQQIIQQ', a, shoff + 64 * s) for s in range(n)]; st = secs[sx]
    nm = lambda s: a[st[4] + s[0]:a.index(0, st[4] + s[0])].decode()
    text = next(s for s in secs if nm(s) == '.text.' + f.name); info = next((s for s in secs if nm(s) == '.nv.info.' + f.name), None)
    ok = set()
    for x in list(range(f.h, f.l + 1)) + f.far:
        ok.update(range(text[4] + 16 * x, text[4] + 16 * x + 16))
    changed = []
    for x in range(len(a)):
        if a[x] != b[x] and x not in ok:
            if info and info[4] <= x < info[4] + info[5]: changed.append((x - info[4]) // 4 * 4 + info[4])
            else: raise Unproved(f'byte {x:#x} outside the loop differs')
    for x in sorted(set(changed)):
        va, vb = struct.unpack_from('<I', a, x)[0], struct.unpack_from('<I', b, x)[0]
        ia, ib = f.code[va // 16], g.code[vb // 16]
        ta, tb = (TOK.sub(r'\1', i.text) for i in (ia, ib))
        if ta != tb: raise Unproved(f'.nv.info: offset {va:#x} is {ia.text}, {vb:#x} is {ib.text}')


def verify(old, new, name, regs=255, which=None, quiet=False):
    f = Func(old, name, which); g = Func(new, name, None, (f.h, f.l, f.far))
    if f.name != g.name or len(f.code) != len(g.code): raise Unproved('different kernels')
    compare_files(old, new, f, g)
    for h in (f, g):
        for n, i in enumerate(h.code):
            if i.op.startswith('BRA') and not (h.h <= n <= h.l or n in h.far) and h.h < h.at[i.target] <= h.l: raise Unproved('the loop is entered in its middle')
            if (h.h <= n <= h.l or n in h.far) and i.op.startswith('BRA') and n != h.l and not (h.h <= h.at[i.target] <= h.l or h.at[i.target] in h.far): raise Unproved('the loop is left from its middle')
        if h.at[h.code[h.l].target] != h.h: raise Unproved('the latch does not go back to the header')
    for n in range(g.h, g.l + 1):
        o = g.get(n)
        for k, r in o.src + o.dst:
            if k == 'R' and r != 255 and r >= regs: raise Unproved(f'R{r} is beyond the limit of {regs}')
    dead_ok = set(range(256)) - live_after(f)
    loose = set()
    while True:
        ef = lambda r: val('in', r) if r not in loose else val('old', r)
        eg = lambda r: val('in', r) if r not in loose else val('new', r)
        ends = paths(f, g, ef, eg)
        more = set()
        for d, a, b in ends:
            for r in set(a[1]) | set(b[1]):
                if a[1].get(r, ef(r)) != b[1].get(r, eg(r)) and r not in loose: more.add(r)
        if not more: break
        bad = [r for r in more if r[0] != 'R' or r[1] not in dead_ok]
        if bad: raise Unproved(f'registers differ at the end and may be live: {sorted(bad)}')
        loose |= more
    observe(f)
    for d, a, b in ends: cyc = hazards(g, b[3])
    # entry: what the prologue left pending is waited for by the first instruction of the loop as the old body does
    exposed, seen = 0, 0
    for n in range(f.h, f.l + 1):
        i = f.code[n]; exposed |= i.wait & ~seen
        for b in (i.wbar, i.rbar):
            if b < 6: seen |= 1 << b
    if g.code[g.h].wait & exposed != exposed: raise Unproved('the first instruction does not wait for everything that the old body awaits from before')
    # exit: barriers still pending must be among the old ones, for the same registers
    def pending(h, path):
        bars = collections.defaultdict(set)
        for n in path:
            o = h.get(n)
            for b in range(6):
                if o.i.wait >> b & 1: bars[b].clear()
            if o.i.wbar < 6: bars[o.i.wbar].update(('w', r) for r in o.dst)
            if o.i.rbar < 6: bars[o.i.rbar].update(('r', r) for r in o.src if r[0] == 'R')
        return bars
    for d, a, b in ends:
        pf, pg = pending(f, a[3]), pending(g, b[3])
        for x in pg:
            for kind, r in pg[x]:
                if kind == 'w' and (kind, r) not in pf[x]: raise Unproved(f'{r} is pending on barrier {x} at the exit')
                if kind == 'r' and (kind, r) not in pf[x] and r not in loose: raise Unproved(f'{r} is still read, barrier {x}, at the exit')
    if not quiet: print(f'verified: {len(ends)} paths, {len(loose)} registers differ and are dead at the end, {len(INTERN)} values; control codes safe over two turns, {cyc} cycles a turn by stall counts')
    return ends


if __name__ == '__main__':
    p = argparse.ArgumentParser(); p.add_argument('old'); p.add_argument('new'); p.add_argument('kernel'); p.add_argument('--regs', type=int, default=255); p.add_argument('--loop', type=int)
    a = p.parse_args()
    try: verify(a.old, a.new, a.kernel, a.regs, a.loop)
    except Unproved as e: sys.exit(f'unproved: {e}')
