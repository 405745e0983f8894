// The fields of a file that a manifest may show.
import { dimensionNames } from '../dimension-names.ts';

/** In the default order of a manifest's columns. */
export const manifestFields = [
  'key',
  'name',
  ...dimensionNames,
  'file',
  'sha256',
  'bytes',
  'width',
  'height',
  'format',
  'ext',
  'image',
  'output',
  'index',
  'variant',
  'bookmark',
  'shot',
  'source',
  'model',
  'project',
  'template',
  'run',
  'deliveredAt',
] as const;
export type ManifestField = (typeof manifestFields)[number];
