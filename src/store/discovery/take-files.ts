// Chooses files of a connector that can be assets, by their paths alone.
import { GlobSet } from '../../language/glob-set.ts';

export interface TakeConfig {
  include: readonly string[];
  exclude: readonly string[];
}

/** Names that editors, browsers, copy programs and systems leave behind, or have not finished. */
const leftBehind =
  /(^|\/)(\.[^/]*|~\$[^/]*|[^/]*~|thumbs\.db|desktop\.ini|[^/]*\.(part|partial|tmp|temp|crdownload|download|filepart|swp|bak|lock))$/i;
/** Files that models refer to; never assets of their own. */
const sideFile =
  /\.(bin|mtl|png|jpe?g|webp|avif|gif|bmp|tga|tiff?|dds|ktx2?|basis|hdr|exr|psd|json|txt|xml)$/i;
const hiddenFolder = /(^|\/)\.[^/]*\//;

/** Tells whether a path is taken: matched without regard to case, never hidden, temporary or a side file. */
export function fileTaker(config: TakeConfig): (path: string) => boolean {
  const takes = anyFileTaker(config);
  return (path) => takes(path) && !sideFile.test(path);
}

/** As `fileTaker`, where what models refer to are files of their own: pictures, above all. */
export function anyFileTaker({ include, exclude }: TakeConfig): (path: string) => boolean {
  const included = new GlobSet(include, { style: 'path', ignoreCase: true });
  const excluded = new GlobSet(exclude, { style: 'path', ignoreCase: true });
  return (path) =>
    included.fits(path) &&
    !excluded.fits(path) &&
    !leftBehind.test(path) &&
    !hiddenFolder.test(path);
}
