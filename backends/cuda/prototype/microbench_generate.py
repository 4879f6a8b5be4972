from sass import *
import sys
def regs_of_nonffma(c,lo,hi):
    s=set()
    for i in range(lo,hi):
        a,b=c.get(i)
        if a&0xfff==0x223: continue
        for x in ((a>>16)&255,(a>>24)&255,(a>>32)&255,b&255): s.add(x)
    return s
def template(L):
    c=Cubin('t%d.cubin'%L,'k')
    f=[i for i in range(c.n) if c.get(i)[0]&0xfff==0x223]
    # longest run region: first..last where count == L
    f=f[:]; assert len(f)==L,(len(f),L)
    prot=regs_of_nonffma(c,f[0],f[-1]+6)
    return c,f,prot
def body(L,opt):
    """list of instr builders for L slots"""
    out=[]
    return out
def alloc(prot,base,n,align=1):
    r=base
    while True:
        if r%align==0 and not any(x in prot for x in range(r,r+n)): return r
        r+=1
VAR={}
def build(name,L,nlds=0,pos='turn',order='s8',accpat='alt',reuse=True,fr=2,split=None,lw=0,ystall=1,ywarp=1,nopevery=0):
    c,f,prot=template(L)
    frag=[];b=8
    A=[];B=[]
    r=8
    def take(n,al):
        nonlocal r
        r=alloc(prot,r,n,al); x=r; r+=n; return x
    for s in range(2): A.append([take(4,4) for _ in range(4)]); B.append([take(4,4) for _ in range(2)])
    A=[[q+e for q in s for e in range(4)] for s in A]; B=[[q+e for q in s for e in range(4)] for s in B]
    accs=[]
    while len(accs)<128:
        r=alloc(prot,r,1); accs.append(r); r+=1
    assert r<=247,r
    seq=[]
    for kk in range(L//128):
        s=kk%fr
        o=[]
        for i in range(16):
            for jj in range(8):
                if order=='s8': o.append((i,7-jj if i&1 else jj))
                elif order=='row': o.append((i,jj))
        if order=='s16':
            o=[((15-ii) if j&1 else ii,j) for j in range(8) for ii in range(16)]
        if order=='zz':  # 2x2 zigzag
            o=[]
            for br in range(8):
                for bc in (range(4) if br%2==0 else range(3,-1,-1)):
                    o+= [(br*2,bc*2),(br*2+1,bc*2),(br*2+1,bc*2+1),(br*2,bc*2+1)] if True else []
        ev=[x for x in accs if x%2==0]; od=[x for x in accs if x%2]
        # accumulator assignment: by parity pattern
        amap={}
        e2=list(ev);o2=list(od)
        base=[(i,7-jj if i&1 else jj) for i in range(16) for jj in range(8)] if order!='s16' else [((15-ii) if j&1 else ii,j) for j in range(8) for ii in range(16)]
        for n,(i,j) in enumerate(base):
            if accpat=='alt': p=n&1
            elif accpat=='optB': p=1-(B[0][j]&1) if order in('s8','row') else 1-(A[0][i]&1)
            elif accpat=='sameB': p=(B[0][j]&1) if order in('s8','row') else (A[0][i]&1)
            elif accpat=='runs': p=(n//16)&1
            pool=e2 if p==0 else o2
            if not pool: pool=e2 or o2
            amap[(i,j)]=pool.pop(0)
        for n,(i,j) in enumerate(o): seq.append((kk,n,A[s][i],B[s][j],amap[(i,j)]))
    # lds: nlds per k-step, destination other set
    ins=[]
    for idx,(kk,n,a,b_,acc) in enumerate(seq):
        if nlds:
            per=128//nlds if split is None else split
            if pos=='turn' : hit = n%8==0 and (n//8)%(16//nlds if nlds<=16 else 1)==0 and (n//8)//(16//nlds)<nlds
            elif pos=='mid': hit = n%8==4 and (n//8)%(16//nlds)==0 and (n//8)//(16//nlds)<nlds
            elif pos=='clump': hit = False
            if pos=='clump' and n==0:
                for q in range(nlds):
                    d=(A[1-kk%2]+B[1-kk%2])[4*(q%6)]
                    ins.append(('L',d))
            if hit: 
                q=(n//8)//(16//nlds); d=(A[1-kk%2]+B[1-kk%2])[4*(q%6)]
                ins.append(('L',d))
        if nopevery and idx%nopevery==nopevery-1: ins.append(('N',))
        ins.append(('F',acc,a,b_))
    ins=ins[:L]
    code=[];cnt=0
    for t,x in enumerate(ins):
        if x[0]=='L': code.append(lds128(x[1],255,(cnt%30)*512,w=cnt%2,stall=1)); cnt+=1; continue
        if x[0]=='N': code.append(nop(stall=1)); continue
        _,acc,a,b_=x
        re=0
        if reuse and t+1<len(ins):
            y=ins[t+1]
            if y[0]!='F' and t+2<len(ins): y=ins[t+2]
            if y[0]=='F':
                if y[2]==a: re|=1
                if y[3]==b_: re|=2
        m=0
        if nlds and t%128==5: m=3
        code.append(ffma(acc,a,b_,acc,re,stall=ystall,y=ywarp,m=m))
    for i,w in zip(f,code): c.put(i,w)
    c.save(name+'.cubin')
    return sum(1 for x in ins if x[0]=='F')
if __name__=='__main__':
    V=[]
    def v(name,L,**k):
        n=build(name,L,**k); V.append('%s:%d:%d'%(name,n,L))
    for L in (512,1024,2048,4096): v('base%d'%L,L)
    v('optB512',512,accpat='optB'); v('optB2048',2048,accpat='optB'); v('sameB512',512,accpat='sameB'); v('sameB2048',2048,accpat='sameB'); v('runs2048',2048,accpat='runs')
    v('s16alt',2048,order='s16'); v('s16opt',2048,order='s16',accpat='optB'); v('s16same',2048,order='s16',accpat='sameB')
    v('row',2048,order='row'); v('rowopt',2048,order='row',accpat='optB');v('zz',2048,order='zz');
    v('noreuse',2048,reuse=False); v('noreuseopt',2048,reuse=False,accpat='optB')
    v('lds4t',2048,nlds=4); v('lds8t',2048,nlds=8); v('lds8m',2048,nlds=8,pos='mid'); v('lds8c',2048,nlds=8,pos='clump'); v('lds6c',2048,nlds=6,pos='clump')
    v('lds8t512',512,nlds=8); v('lds8topt',2048,nlds=8,accpat='optB'); v('lds8topt512',512,nlds=8,accpat='optB'); v('lds8mopt',2048,nlds=8,pos='mid',accpat='optB'); v('lds8copt',2048,nlds=8,pos='clump',accpat='optB')
    v('y0',2048,ywarp=0); v('y0opt',2048,ywarp=0,accpat='optB'); v('y0lds8t',2048,ywarp=0,nlds=8,accpat='optB');
    v('nop16',2048,nopevery=16,accpat='optB')
    v('fr1opt',2048,fr=1,accpat='optB')
    open('list','w').write(' '.join(V))
