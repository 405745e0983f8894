// How much the sandbox decodes of one file. docs/limits.md tells of them.

/** Of a model: beyond this a drawing would take minutes and gigabytes. */
export const maxTriangles = 5_000_000;
/** Primitives that nodes of a model draw, with or without a surface. */
export const maxParts = 100_000;
/** Nodes, meshes, accessors and all else that a model lists: the reader makes a few kilobytes of each. */
export const maxThings = 100_000;

/** Of an image: a square of 8,192 pixels a side. */
export const pixelsAtMost = 8_192 ** 2;
export const secondsAtMost = 2;
