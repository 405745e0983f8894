// Fields that selections of models, projects and renders share.
import { z } from 'zod';
import { glob } from '../../language/fields.ts';

/** A plan travels in every shard's history, so a file lists no more than this. */
export const idsAtMost = 1_000;

/** Platform ids that a file lists. */
export const ids = z
  .array(z.string().min(1))
  .min(1)
  .max(idsAtMost)
  .describe('Ids of the platform.');

export const nameGlob = glob.describe(
  'Glob over the name, without regard to case; a star also stands for a slash.',
);

/** Ids stand alone: another condition could drop an object that was asked for by name. */
export function standsAlone(selection: { ids?: unknown }): boolean {
  return selection.ids === undefined || Object.keys(selection).length === 1;
}
