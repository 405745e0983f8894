// Estimates how many pictures, videos and production files an export delivers, before anything is rendered. Pure.
import type { FilesAhead, StepWork } from '../../engine/cost/step-cost.ts';

/** A render with unknown outputs counts as one picture. `min` is then true: there may be more files. */
export function estimateFileCount({
  config,
  found,
}: Pick<StepWork, 'config' | 'found'>): FilesAhead {
  const { what, images, original } = config;
  const has = (kind: string) => (Array.isArray(what) ? what.includes(kind) : kind === 'renders');
  const made = Array.isArray(images) ? images.length : 0;
  const ofPicture = (original === false && made > 0 ? 0 : 1) + made;
  const sheets = has('production_files') ? found.length : 0;
  if (!has('renders')) return { total: sheets, min: false };
  const files = found.map(({ outputs }) =>
    outputs === undefined ? ofPicture : outputs.pictures * ofPicture + outputs.videos,
  );
  return {
    total: sheets + files.reduce((sum, count) => sum + count, 0),
    min: found.some(({ outputs }) => outputs === undefined),
  };
}
