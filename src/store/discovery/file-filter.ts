import { GlobSet } from '../../language/glob-set.ts';

export interface FileFilterConfig {
  include: readonly string[];
  exclude: readonly string[];
}

/** Temporary or unfinished files of editors, browsers, copy programs and systems. */
const temporaryFile =
  /(^|\/)(\.[^/]*|~\$[^/]*|[^/]*~|thumbs\.db|desktop\.ini|[^/]*\.(part|partial|tmp|temp|crdownload|download|filepart|swp|bak|lock))$/i;
/** Files that models refer to. `createFileFilter` excludes them. */
const sideFile =
  /\.(bin|mtl|png|jpe?g|webp|avif|gif|bmp|tga|tiff?|dds|ktx2?|basis|hdr|exr|psd|json|txt|xml)$/i;
const hiddenFolder = /(^|\/)\.[^/]*\//;

/** Creates a filter for paths. Matching ignores case. Hidden files, temporary files and side files are excluded. */
export function createFileFilter(config: FileFilterConfig): (path: string) => boolean {
  const takes = createFilterWithSideFiles(config);
  return (path) => takes(path) && !sideFile.test(path);
}

/** Like `createFileFilter`, but includes side files such as pictures. */
export function createFilterWithSideFiles(config: FileFilterConfig): (path: string) => boolean {
  const { include, exclude } = config;
  const included = new GlobSet(include, { style: 'path', ignoreCase: true });
  const excluded = new GlobSet(exclude, { style: 'path', ignoreCase: true });
  return (path) =>
    included.hasMatch(path) &&
    !excluded.hasMatch(path) &&
    !temporaryFile.test(path) &&
    !hiddenFolder.test(path);
}
