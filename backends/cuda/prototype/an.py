import re,sys,collections
lines=[l for l in open(sys.argv[1]) if re.search(r'/\*[0-9a-f]{4,}\*/',l) or re.match(r'\.L',l.strip())]
# find hot loop: region between label and backward branch with most FFMA
ins=[];labels={}
for l in lines:
    m=re.match(r'\s*(\.L\S+):',l)
    if m: labels[m.group(1)]=len(ins); continue
    m=re.search(r'/\*([0-9a-f]{4,})\*/\s+(.*?);',l)
    if m: ins.append(m.group(2).strip())
cands=[]
for i,x in enumerate(ins):
    m=re.search(r'BRA.*?(\.L\S+?)\)?`?$',x.replace('`(','').replace(')',''))
    if m and m.group(1) in labels and labels[m.group(1)]<=i:
        s=labels[m.group(1)];n=sum('FFMA' in y for y in ins[s:i+1])
        cands.append((n,s,i))
c2=[c for c in cands if c[0]>=100]; n,s,e=min(c2,key=lambda c:c[2]-c[1])
body=ins[s:e+1]
prev=None;h=collections.Counter();oth=collections.Counter();after=collections.Counter()
three=0
prevops=None;prevname=''
for x in body:
    name=x.split()[1] if x.startswith('@') else x.split()[0]
    if name.startswith('FFMA'):
        ops=[o.strip() for o in x.split(None,1)[1].split(',')][1:]
        fresh=set()
        for i,o in enumerate(ops):
            r=o.replace('.reuse','').strip('-|')
            if r=='RZ': continue
            if prevops and prevops[i]==r+'.reuse': continue
            fresh.add(r)
        nb=collections.Counter(int(re.sub(r'\D','',r))%2 for r in fresh)
        h[(len(fresh),max(nb.values()) if nb else 0)]+=1
        if len(fresh)==3: after[prevname if not prevname.startswith('FFMA') else 'FFMA']+=1
        prevops=ops
    else:
        oth[name.split('.')[0]]+=1; prevops=None
    prevname=name
F=n;O=len(body)-n;T=sum(v for k,v in h.items() if k[0]==3)
print('FFMA',F,'other',O,dict(oth));print('hist',dict(h),'three after',dict(after));print('model TF %.1f'%(65.2*F/(F+O+.75*T)))
if len(sys.argv)>2:
    for x in body: print(x)
