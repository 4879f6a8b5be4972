import struct
class Cubin:
    def __init__(s, path, kernel):
        s.d=bytearray(open(path,'rb').read()); d=s.d
        shoff=struct.unpack_from('<Q',d,40)[0]; n=struct.unpack_from('<H',d,60)[0]; si=struct.unpack_from('<H',d,62)[0]; es=struct.unpack_from('<H',d,58)[0]
        secs=[struct.unpack_from('<IIQQQQIIQQ',d,shoff+i*es) for i in range(n)]
        so=secs[si][4]
        for x in secs:
            nm=d[so+x[0]:d.index(0,so+x[0])].decode()
            if nm=='.text.'+kernel: s.off=x[4]; s.n=x[5]//16
    def get(s,i): return struct.unpack_from('<QQ',s.d,s.off+16*i)
    def put(s,i,v): struct.pack_into('<QQ',s.d,s.off+16*i,*v)
    def save(s,p): open(p,'wb').write(s.d)
def ctl(stall=1,y=1,w=7,r=7,m=0): return (stall|y<<4|w<<5|r<<8|m<<11)<<41
def ffma(d,a,b,c,reuse=0,**k): return (0x7223|d<<16|a<<24|b<<32, c|reuse<<58|ctl(**k))   # reuse bit0=A bit1=B bit2=C
def lds128(d,a,imm,**k): return (0x7984|d<<16|a<<24|imm<<40, 0xc00|ctl(**k))
def nop(**k): return (0x7918, ctl(**k))
