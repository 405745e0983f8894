// Limits of the models and images that the sandbox decodes. docs/limits.md documents them.

/** Maximum number of triangles of a model. More would take minutes and gigabytes to draw. */
export const maxTriangles = 5_000_000;
/** Maximum number of primitives that the nodes of a model draw, including those without a surface. */
export const maxParts = 100_000;
/** Maximum number of listed objects (nodes, meshes, accessors …) of a model. Each takes a few kilobytes of memory. */
export const maxObjects = 100_000;

/** Maximum number of pixels of an image, and of seconds to decode it. */
export const maxPixels = 8_192 ** 2;
export const maxSeconds = 2;
