// What an earlier run has paid for and then not found: whether it shows by now.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDeps, type Deps } from '../../activities/deps.ts';
import { withoutMissing } from '../../activities/missing.ts';
import type { Refs } from '../../src/plan/types.ts';
import { noWorkflows, runContext } from '../engine/_context.ts';
import { Platform } from '../engine/_platform.ts';
import { asset } from '../plan/_steps.ts';

let platform: Platform;
let deps: Deps;
beforeEach(async () => {
  platform = await Platform.start();
  deps = createDeps({ client: platform.client, workflows: noWorkflows, secrets: [] });
});
afterEach(() => platform.stop());

const absent = { error: { code: 'NOT_FOUND', message: 'not found' } };

/** What is left of the refs, and what was asked for it. */
async function after(refs: Refs, shows: boolean) {
  const body = { jobId: 'j', status: 'COMPLETED', projectId: 'p', batchId: 'b', jobs: [] };
  platform.intercept = () => (shows ? { status: 200, body } : { status: 404, body: absent });
  const [left] = await withoutMissing([{ ...asset('shoe'), refs }], deps, runContext());
  return { refs: left?.refs, asked: platform.requests };
}

describe('what was missing', () => {
  const render: Refs = { modelId: 'm', projectId: 'p', jobId: 'j', batchId: 'b' };
  it.each<[string, Refs, string, Refs]>([
    [
      'a render job',
      { ...render, missing: ['jobId', 'batchId'] },
      'GET /renders/j',
      { modelId: 'm', projectId: 'p' },
    ],
    [
      'a project, with the render that it takes along',
      { ...render, missing: ['projectId', 'jobId', 'batchId'] },
      'GET /projects/p',
      { modelId: 'm' },
    ],
  ])(
    '%s: is built on when it shows, and done without when not',
    async (_, refs, asked, without) => {
      const { missing: _missing, ...known } = refs;
      expect(await after(refs, true)).toEqual({ refs: known, asked: [asked] });
      platform.requests.length = 0;
      expect(await after(refs, false)).toEqual({ refs: without, asked: [asked] });
    },
  );

  it('costs nothing where nothing was', async () => {
    expect(await after(render, false)).toEqual({ refs: render, asked: [] });
  });
});
