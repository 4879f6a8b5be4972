import re,sys,collections,subprocess
out=subprocess.run(['nvdisasm','-c','-hex',sys.argv[1]],capture_output=True,text=True).stdout.split('\n')
ins=[]
for l in out:
    m=re.search(r'/\*([0-9a-f]{4,})\*/\s+(.*?);\s*/\* 0x([0-9a-f]{16}) \*/',l)
    if m: ins.append([m.group(2),int(m.group(3),16),0]);continue
    m=re.search(r'^\s*/\* 0x([0-9a-f]{16}) \*/',l)
    if m and ins: ins[-1][2]=int(m.group(1),16)
st=collections.Counter();y=collections.Counter()
for t,lo,hi in ins:
    c=hi>>41
    if t.startswith('FFMA'):
        st[c&15]+=1; y[(c>>4)&1]+=1
print('stall',st,'yieldbit',y)
if len(sys.argv)>2:
    a,b=map(int,sys.argv[2].split(','))
    for t,lo,hi in ins[a:b]:
        c=hi>>41
        print('%2d %d w%d r%d m%02x  %s'%(c&15,(c>>4)&1,(c>>5)&7,(c>>8)&7,(c>>11)&63,t))
