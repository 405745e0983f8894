// Options of `run` and `plan` that select assets, limit a run, or lift the limit of withdrawals.
import { collectOption } from '../params.ts';

export const selectionOptions = {
  only: ['--only <key>', 'only these assets: a key, path, id or glob (repeatable)', collectOption],
  where: ['--where <cel>', 'only matching assets, such as \'reason == "new" && size < 1000000\''],
  force: ['--force', 'also process unchanged assets again; uploads are reused'],
  limit: [
    '--limit <name=n>',
    'maximum of renders, models, projects, requests or storage for this run (repeatable)',
    collectOption,
  ],
  withdrawAll: [
    '--withdraw-all',
    'withdraw all missing assets, even above `limits.withdrawn` or if the source is empty',
  ],
} as const;

/** An example for the error of a wrong --limit. */
export const limitExample = 'renders=100';
