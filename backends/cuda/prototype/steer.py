# steer.py IN OUT [opts]: reorders the hot block of kernel k1
import sys, collections
from sass import *
src,dst=sys.argv[1:3]
opt=dict(a.split('=') for a in sys.argv[3:])
c=Cubin(src,'k1')
N=c.n
I=[c.get(i) for i in range(N)]
op=lambda x:x[0]&0xfff
def is_ffma(x): return op(x)==0x223
def is_lds(x): return op(x)==0x984
def btarget(i):
    lo,hi=I[i]
    v=((lo>>34)&((1<<30)-1))<<8 | ((lo>>16)&255)
    v |= (hi&((1<<18)-1))<<38
    # signed: offset/4
    v&=(1<<48)-1
    # use low 38 bits as signed
    v38=v&((1<<38)-1)
    if v38>>37: v38-=1<<38
    return i+1+v38*4//16
branches=[i for i in range(N) if op(I[i])==0x947]
targets={btarget(i) for i in branches}
# blocks
starts=sorted({0}|{i+1 for i in branches}|{t for t in targets if 0<=t<N})
blocks=[(s,e) for s,e in zip(starts,starts[1:]+[N])]
S,E=max(blocks,key=lambda b:sum(is_ffma(I[i]) for i in range(*b)))
assert op(I[E-1])==0x947 and btarget(E-1)<S, 'not a loop'
blk=I[S:E]
head=btarget(E-1)
rd=lambda x:(x[0]>>16)&255
ra=lambda x:(x[0]>>24)&255
rb=lambda x:(x[0]>>32)&255
rc=lambda x:x[1]&255
def ctlbits(x): return x[1]>>41
def wmask(x): return (ctlbits(x)>>11)&63
F=[x for x in blk if is_ffma(x)]; Ld=[x for x in blk if is_lds(x)]; O=[x for x in blk if not is_ffma(x) and not is_lds(x)]
print('block',S,E,'ffma',len(F),'lds',len(Ld),'other',[hex(op(x)) for x in O])
U=len(F)//128; assert len(F)==128*U and len(Ld)==6*U
# symbolic
val={}
get=lambda r: val.get(r,('in',r))
for x in blk:
    if is_ffma(x):
        a,b,cc=get(ra(x)),get(rb(x)),get(rc(x))
        assert a[0]!='acc' and b[0]!='acc'
        if cc[0]=='in': cc=('acc',cc[1],())
        assert cc[0]=='acc'
        val[rd(x)]=('acc',cc[1],cc[2]+((a,b),))
    elif is_lds(x):
        for e in range(4): val[rd(x)+e]=('lds',ra(x),rb(x),(x[0]>>40),e)
homes=[v[1] for r,v in val.items() if v[0]=='acc' and len(v[2])==U and v[1]==r]
assert len(homes)==128,len(homes)
chain={h:val[h][2] for h in homes}
# A/B at each t
cnt=collections.Counter(v for h in homes for v in chain[h][0])
Bin=[v for v in cnt if cnt[v]==16]; Ain=[v for v in cnt if cnt[v]==8]
assert len(Bin)==8 and len(Ain)==16
# bring Ain, Bin in quad order by registers
Ain.sort(key=lambda v:v[1]); Bin.sort(key=lambda v:v[1])
Areg=[v[1] for v in Ain]; Breg=[v[1] for v in Bin]
for q in range(4): assert Areg[4*q]%4==0 and Areg[4*q+3]==Areg[4*q]+3
for q in range(2): assert Breg[4*q]%4==0 and Breg[4*q+3]==Breg[4*q]+3
ij={}
for h in homes:
    p=chain[h][0]; a,b=p if p[0] in Ain else (p[1],p[0]); ij[h]=(Ain.index(a),Bin.index(b))
home_of={v:k for k,v in ij.items()}; assert len(home_of)==128
# fragment values for t>=1 and for the next group
def frag(t):
    Av=[None]*16;Bv=[None]*8
    for h in homes:
        i,j=ij[h]; p=chain[h][t]
        for x in p: pass
        # A values repeat over j
        Av[i]=Av[i] or set(p); Av[i]=Av[i]&set(p)
        Bv[j]=Bv[j] or set(p); Bv[j]=Bv[j]&set(p)
    assert all(len(x)==1 for x in Av+Bv)
    return [x.pop() for x in Av],[x.pop() for x in Bv]
frags=[frag(t) for t in range(1,U)]+[([val[r] for r in Areg],[val[r] for r in Breg])]
ldsby={}
for x in Ld: ldsby[(ra(x),rb(x),x[0]>>40)]=x
# check quads
written=set()
for x in blk:
    if is_ffma(x): written.add(rd(x))
    elif is_lds(x): written|={rd(x)+e for e in range(4)}
free=written-set(homes)-set(Areg)-set(Breg)
quads=[q for q in range(0,252,4) if all(q+e in free for e in range(4))]
print('free',len(free),'quads',quads,'oddhomes',sum(h&1 for h in homes))
RAISE=int(opt.get('raise','216')),int(opt.get('to','232'))
n=0
for i in range(N):
    if op(I[i])==0x9c8 and (I[i][0]>>32)&0xffff==RAISE[0]: c.put(i,(I[i][0]&~(0xffff<<32)|RAISE[1]<<32,I[i][1])); n+=1
print('raised',n)
if n: quads=(quads+list(range(RAISE[0],min(RAISE[1]-4,228),4)))[:6]
assert len(quads)>=6
regs=lambda quads:[q+e for q in quads for e in range(4)]
set1A=quads[:4]; set1B=quads[4:6]
SA=[Areg,regs(set1A)]; SB=[Breg,regs(set1B)]
temps=[q+e for q in quads for e in range(4)]
maxr=base=0
# placeholders after the loop
ph=[]
i=E
while i<N and op(I[i])!=0x947:
    if op(I[i])==0x801: ph.append(i)
    i+=1
print('placeholders',len(ph),'maxreg',maxr,'base',base,'temps',len(temps))
# parity assignment by swaps
pi=dict(home_of)  # (i,j)->reg
want=lambda i:1-(Areg[i]&1)
if opt.get('par','1')=='1':
    we=[v for v in pi if pi[v]&1==0 and want(v[0])==1]; wo=[v for v in pi if pi[v]&1==1 and want(v[0])==0]
    k=min(len(we),len(wo),len(ph)//3)
    print('wrong parity',len(we),len(wo),'swaps',k)
    swaps=[]
    for a,b in zip(we[:k],wo[:k]):
        swaps.append((pi[a],pi[b])); pi[a],pi[b]=pi[b],pi[a]
else: swaps=[]
def mov(d,s,**k): return (0x7202|d<<16|s<<32, 0xf00|ctl(**k))
mv=[]
nb=len(temps)
for k in range(0,len(swaps),nb):
    g=swaps[k:k+nb]
    seq=[(temps[n],x) for n,(x,y) in enumerate(g)]+[(x,y) for x,y in g]+[(y,temps[n]) for n,(x,y) in enumerate(g)]
    pad=3 if len(g)<6 else 1
    mv+= [mov(d,s,stall=(6 if len(g)<8 else 1)) for d,s in seq]
assert len(mv)<=len(ph)
if mv:
    # the first must not be earlier than results of the last FFMAs; the last covers its consumers
    d=mv[-1]; mv[-1]=(d[0], d[1]&~(15<<41)|(6<<41))
# no use of homes between the loop and the last placeholder
if ph:
    hs=set(homes)
    for i in range(E,ph[-1]+1):
        if i in ph: continue
        for f in ((I[i][0]>>16)&255,(I[i][0]>>24)&255,(I[i][0]>>32)&255,I[i][1]&255):
            if f in hs and not (op(I[i]) in (0x802,0xb82,0x919,0x9c3,0xab9) ): print('warning: home touched',i,hex(op(I[i])),f)
# emission
union=0
for x in blk: union|=wmask(x)
ldspos=int(opt.get('pos','8')); ldsrow=eval(opt.get('rows','[0,1,2,3,4,5]'))
out=[]
others=O[:-1]
for t in range(U):
    s=t&1; A,B=SA[s],SB[s]; nA,nB=SA[1-s],SB[1-s]
    Av,Bv=frags[t]
    quads=[(nB[4*q],Bv[4*q]) for q in range(2)]+[(nA[4*q],Av[4*q]) for q in range(4)]
    n=0
    for j in range(8):
        r=range(16) if j%2==0 else range(15,-1,-1)
        for p,i in enumerate(r):
            if p==ldspos and j in ldsrow:
                for d,v in [quads[m] for m in range(6) if ldsrow[m]==j]:
                    assert v[0]=='lds' and v[4]==0
                    x=ldsby[v[1:4]]
                    lo=x[0]&~(255<<16)|d<<16
                    hi=(x[1]&((1<<41)-1))|ctl(stall=int(opt.get('lstall','1')),y=int(opt.get('ly','1')),w=t&1,r=7)
                    if opt.get('lds')=='nop': lo,hi=nop(stall=1)
                    if opt.get('lds')=='rz': lo,hi=lds128(d,255,0,w=t&1)
                    out.append(('L',lo,hi))
            if p in (4,12) and j in (6,7) and others and t>=U-2:
                x=others.pop(0); out.append(('O',)+x)
            out.append(('F',pi[(i,j)],A[i],B[j],t,i,j))
assert not others
code=[]
for n,x in enumerate(out):
    if x[0]!='F': code.append((x[1],x[2])); continue
    _,acc,a,b,t,i,j=x
    nx=next((y for y in out[n+1:n+4] if y[0]=='F'),None)
    re=0
    if nx: re=(1 if nx[2]==a else 0)|(2 if nx[3]==b else 0)
    m=0
    if n==0: m=union
    elif i==0 and j==0: m=1<<((t-1)&1)
    if n==len(out)-1: m=1<<((U-1)&1)
    code.append(ffma(acc,a,b,acc,re,m=m))
code.append(O[-1])
assert len(code)==E-S
for i,w in enumerate(code): c.put(S+i,w)
for i,p in enumerate(ph): c.put(p, mv[i] if i<len(mv) else nop(stall=1))
if 'lds' in opt: c.save(dst); sys.exit(0)
# check: symbolic again
val2={}
get2=lambda r: val2.get(r,('in',r))
inv={home_of[v]:pi[v] for v in pi}; back={pi[v]:home_of[v] for v in pi}
pend={}
for x in code:
    m=wmask(x)
    for r in [r for r,b in pend.items() if m>>b&1]: del pend[r]
    if is_ffma(x):
        for r in (ra(x),rb(x),rc(x),rd(x)): assert r not in pend
        a,b,cc=get2(ra(x)),get2(rb(x)),get2(rc(x))
        if cc[0]=='in': cc=('acc',back[cc[1]],())
        val2[rd(x)]=('acc',cc[1],cc[2]+((a,b),))
    elif is_lds(x):
        for e in range(4): val2[rd(x)+e]=('lds',ra(x),rb(x),(x[0]>>40),e); pend[rd(x)+e]=(ctlbits(x)>>5)&7
assert not pend
for h in homes:
    v=val2[inv[h]]; assert v[1]==h and len(v[2])==U
    for p,q in zip(v[2],chain[h]): assert set(p)==set(q)
for r in Areg+Breg: assert val2[r]==val[r]
c.save(dst); 
def order(code):
    w=collections.Counter(); seen={}
    for x in code:
        if is_lds(x): seen.setdefault((ra(x),rb(x),x[0]>>40),[]).append(w[rb(x)])
        elif op(x)==0xc82: w[rd(x)]+=1
        elif not is_ffma(x) and op(x) not in (0xc0c,0x20c,0x947): assert 0,hex(op(x))
    return seen
assert order(code)==order(blk)
print('ok')
