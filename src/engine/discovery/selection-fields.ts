// Config fields shared by selections of models, projects and renders.
import { z } from 'zod';
import { glob } from '../../language/fields.ts';

/** Maximum number of ids. The plan contains them and is part of every shard's history. */
export const maxIds = 1_000;

export const ids = z
  .array(z.string().min(1))
  .min(1)
  .max(maxIds)
  .describe('Ids of objects on the platform.');

export const nameGlob = glob.describe(
  'Glob that the name must match; case is ignored, and a star also matches a slash.',
);

/** False if `ids` is combined with other conditions, which might drop an object that was requested by id. */
export function areIdsUncombined(selection: { ids?: unknown }): boolean {
  return selection.ids === undefined || Object.keys(selection).length === 1;
}
