// Limits of the models and images that the sandbox decodes. docs/limits.md documents them.

/** Triangles of a model: more would take minutes and gigabytes to draw. */
export const maxTriangles = 5_000_000;
/** Primitives that the nodes of a model draw, including those without a surface. */
export const maxParts = 100_000;
/** Nodes, meshes, accessors and all other listed objects of a model. Each takes a few kilobytes of memory. */
export const maxObjects = 100_000;

/** Pixels of an image, and seconds to decode it. */
export const maxPixels = 8_192 ** 2;
export const maxSeconds = 2;
