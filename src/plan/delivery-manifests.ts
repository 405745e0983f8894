// Manifests of exports: files with one row for each delivered file, written at the end of each run. Pure.
import { formatCount } from './helpers/format-count.ts';

/** A manifest of the plan, next to the files of its export. */
export interface DeliveryManifest {
  node: string;
  /** Fingerprint of what the export delivers, where, and under which names (`Step.delivery`). */
  delivery: string;
  connector: string;
  /** Path below the connector, which may contain `{{ run }}`. The extension decides the format. */
  path: string;
  /** Path of the list of changes since the last manifest. Absent if the file specifies no such list. */
  changes?: string;
  columns: [heading: string, template: string][];
  delimiter: string;
  bom: boolean;
  /** Names of the images that the export creates, by the fingerprint of their options. */
  images: Record<string, string>;
  /** Zips of the files that the manifest lists. Absent if there are none. */
  zips?: DeliveryZip[];
}

export interface DeliveryZip {
  /** Path below the connector, which may contain `{{ run }}`. */
  path: string;
  /** Only files of this image (a name in `images`), only originals (`original`), or all files (null). */
  image: string | null;
  /** True to include only files that were added, replaced or renamed since the last manifest. */
  changed: boolean;
}

/** Name of the files that images are derived from. */
export const originalImage = 'original';

export interface ZipStatus {
  path: string;
  files: number;
  bytes: number;
  /** False if the existing zip was already up to date. */
  isNew: boolean;
  /** Number of missing files. `altered` is the number of files that have changed since their delivery. */
  absent: number;
  altered: number;
}

/** Formats a status such as `amazon.zip: 30 files, 12.4 MB, written by this run`. */
export function formatZipStatus({ path, files, bytes, isNew, absent, altered }: ZipStatus): string {
  const status = isNew ? 'written by this run' : 'unchanged';
  const wrong = [
    ...(absent > 0 ? [`${formatCount(absent, 'file')} missing`] : []),
    ...(altered > 0 ? [`${formatCount(altered, 'file')} changed after delivery`] : []),
  ];
  const size = `${(bytes / 1e6).toFixed(1)} MB`;
  return [`${path}: ${formatCount(files, 'file')}`, size, status, ...wrong].join(', ');
}

export const manifestFormats = ['csv', 'json', 'jsonl', 'xlsx'] as const;
export type ManifestFormat = (typeof manifestFormats)[number];

/** Returns the format of a path, or null for an unknown extension. */
export function findManifestFormat(path: string): ManifestFormat | null {
  const extension = /\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase();
  return manifestFormats.find((format) => format === extension) ?? null;
}

/** `deliver: lists its files in m.csv when a run ends, changes in c.csv; packs all files of main into main.zip` */
export function formatManifest({ node, path, changes, zips = [] }: DeliveryManifest): string {
  const also = changes === undefined ? '' : `, changes in ${changes}`;
  return [
    `${node}: lists its files in ${path} when a run ends${also}`,
    ...zips.map(formatZip),
  ].join('; ');
}

function formatZip({ path, image, changed }: DeliveryZip): string {
  const ofImage = image === null ? '' : ` of ${image}`;
  return `packs ${changed ? 'changed' : 'all'} files${ofImage} into ${path}`;
}
