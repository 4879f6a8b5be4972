# The matrices of bench/run.sh, from Debian's dataset-fashion-mnist: rows are images of unit length, so that the product
# holds the cosine similarity of every pair.
#   fashion_mnist.py convert DIR TRAIN TEST   writes DIR/train.npy and DIR/test.npy: the first TRAIN and TEST images
#   fashion_mnist.py classify DIR             classifies by DIR/similarity.npy (TRAIN x TEST)
import gzip
import pathlib
import struct
import sys

import numpy as np

DATA = pathlib.Path('/usr/share/datasets/fashion-mnist')


def read_idx(name):
    """A byte array from a gzipped IDX file: 0, 0, type, rank, then big-endian sizes."""
    path = DATA / name
    try:
        raw = gzip.decompress(path.read_bytes())
    except (OSError, EOFError) as error:
        sys.exit(f'fashion_mnist.py: {path}: {error}; it belongs to the Debian package dataset-fashion-mnist')
    zero, kind, rank = struct.unpack_from('>HBB', raw)
    if (zero, kind) != (0, 8):
        sys.exit(f'fashion_mnist.py: {path} is not an IDX file of bytes')
    shape = struct.unpack_from(f'>{rank}I', raw, 4)
    return np.frombuffer(raw, np.uint8, offset=4 + 4 * rank).reshape(shape)


def convert(folder, train, test):
    folder.mkdir(parents=True, exist_ok=True)
    for name, count, images in [('train', train, read_idx('train-images-idx3-ubyte.gz')),
                                ('test', test, read_idx('t10k-images-idx3-ubyte.gz'))]:
        if not 1 <= count <= len(images):
            sys.exit(f'fashion_mnist.py: {count} {name} images asked for, there are {len(images)}')
        rows = images[:count].reshape(count, -1).astype(np.float32)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        np.save(folder / f'{name}.npy', rows)
        print(f'{folder / name}.npy: {rows.shape[0]} x {rows.shape[1]} {rows.dtype}')


def classify(folder):
    similarity = np.load(folder / 'similarity.npy', mmap_mode='r')
    train, test = similarity.shape
    labels = read_idx('train-labels-idx1-ubyte.gz')[:train]
    truth = read_idx('t10k-labels-idx1-ubyte.gz')[:test]
    nearest = labels[np.argmax(similarity, axis=0)]
    print(f'Nearest of {train} known images by similarity: {np.mean(nearest == truth):.1%} of {test} new images named '
          'rightly (chance: 10%)')


def main():
    match sys.argv[1:]:
        case ['convert', folder, train, test]:
            convert(pathlib.Path(folder), int(train), int(test))
        case ['classify', folder]:
            classify(pathlib.Path(folder))
        case _:
            sys.exit('usage: fashion_mnist.py convert DIR TRAIN TEST | classify DIR')


main()
