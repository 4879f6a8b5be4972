n=$1; shift
SRC=k4.cu sh mk.sh $n -Ibackends/cuda -DLIBSGEMM_STEERING_SLOTS=192 "$@" | tail -1
python3 steer.py $n.cubin s$n.cubin
