// Manifests of exports: files with one row for each delivered file, written at the end of each run. Pure.

/** A manifest of the plan, next to the files of its export. */
export interface DeliveryManifest {
  /** The export. */
  node: string;
  /** Fingerprint of its delivery, by which its files are recognised. */
  delivery: string;
  /** Name of the connector. */
  connector: string;
  /** Below the connector; may contain `{{ run }}`. The extension decides about the format. */
  path: string;
  /** Path of the list of changes since the last manifest; absent: none. */
  changes?: string;
  /** Heading and template of each column. */
  columns: [heading: string, template: string][];
  /** Only of CSV. */
  delimiter: string;
  /** A byte order mark at the start of a CSV. */
  bom: boolean;
  /** Names for the images that the export makes, by the fingerprint of their options. */
  images: Record<string, string>;
}

export const manifestFormats = ['csv', 'json', 'jsonl'] as const;
export type ManifestFormat = (typeof manifestFormats)[number];

/** The format of a path; null for an unknown extension. */
export function manifestFormatOf(path: string): ManifestFormat | null {
  const extension = /\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase();
  return manifestFormats.find((format) => format === extension) ?? null;
}

/** `deliver: lists its files in manifest.csv when a run ends, changes in changes.csv` */
export function formatManifest({ node, path, changes }: DeliveryManifest): string {
  const also = changes === undefined ? '' : `, changes in ${changes}`;
  return `${node}: lists its files in ${path} when a run ends${also}`;
}
