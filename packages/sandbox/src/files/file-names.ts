// Derives names of models and library items from file names.

/** Converts `Red Chair.v2.glb` to `Red Chair.v2`. */
export function nameOfFile(fileName: string): string {
  const base = fileName.slice(Math.max(fileName.lastIndexOf('/'), fileName.lastIndexOf('\\')) + 1);
  const dot = base.lastIndexOf('.');
  return dot > 0 ? base.slice(0, dot) : base;
}

/** Converts `props/oak_side-table%20v2.glb` to `oak side table v2`, without folder, extension and separators. */
export function cleanName(fileName: string): string {
  return nameOfFile(fileName)
    .replace(/%20|[_+.\-\s]+/g, ' ')
    .replace(/ {2,}/g, ' ')
    .trim();
}

/** Returns the lower-case extension of a file name, or undefined. */
export function findExtension(fileName: string): string | undefined {
  return /[^/\\]\.([^./\\]+)$/.exec(fileName)?.[1]?.toLowerCase();
}
