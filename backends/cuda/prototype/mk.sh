# mk.sh NAME flags: builds NAME.cubin from k1.cu (or SRC)
n=$1; shift
nvcc -std=c++17 -O3 -cubin -gencode arch=compute_90a,code=sm_90a "$@" ${SRC:-k1.cu} -o $n.cubin || exit 1
nvdisasm -c $n.cubin >$n.sass 2>/dev/null; echo "== $n"; python3 an.py $n.sass
