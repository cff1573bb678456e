// axpy.h: the vertex of axpy.S, for every file that reads or fills it

#ifndef AXPY_H
#define AXPY_H

// Words of the vertex
#define AXPY_X      0   // first pair of x, 8-byte aligned
#define AXPY_Y      1   // first pair of y, 8-byte aligned
#define AXPY_PAIRS  2   // number of pairs
#define AXPY_FACTOR 3   // a, a 32-bit float

// Load a word of the vertex
#define AXPY_LOAD(to, word) ld32 to, $mvertex_base, $mzero, word

#endif
