// Splits the path of a texture into folders, name and extension. Files that are not images are excluded.

const imageTypes = new Set(
  'png jpg jpeg jpe jfif exr tif tiff tga bmp webp gif hdr psd psb dds jp2 jxl avif heic heif ktx ktx2 sgi svg'.split(
    ' ',
  ),
);

export interface FileName {
  readonly path: string;
  readonly folders: readonly string[];
  /** Name without extension and without the placeholder for a UDIM tile number. */
  readonly stem: string;
  /** Extension in lower case. */
  readonly extension: string;
}

/** Returns the parts of an image's path, or undefined for other files and for system files. */
export function parseImagePath(path: string): FileName | undefined {
  const segments = path.split(/[/\\]+/).filter((part) => part !== '' && part !== '.');
  const hidden = segments.some(
    (part) => (part.startsWith('.') && part !== '..') || part.toLowerCase() === '__macosx',
  );
  const last = segments.at(-1) ?? '';
  const dot = last.lastIndexOf('.');
  if (hidden || dot <= 0) return undefined;
  const extension = last.slice(dot + 1).toLowerCase();
  if (!imageTypes.has(extension)) return undefined;
  const stem = last.slice(0, dot).replace(/[._-]?<(?:udim|uvtile)>/i, '');
  return { path, folders: segments.slice(0, -1), stem, extension };
}
