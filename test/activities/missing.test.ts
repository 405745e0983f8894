// What an earlier run has paid for and then not found: whether it shows by now.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDeps, type Deps } from '../../activities/deps.ts';
import { withoutLost, withoutMissing } from '../../activities/missing.ts';
import type { Refs } from '../../src/plan/refs.ts';
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

describe('a model that a run has missed', () => {
  const refs: Refs = { modelId: 'm', madeAtMs: 0 };

  /** What is left of the refs, once the worker has seen the model ready and the platform says that it is gone. */
  async function afterGone(missed: Refs) {
    const ready = { models: [{ modelId: 'm', status: 'READY', ready: true }], notFound: [] };
    platform.intercept = () => ({ status: 200, body: ready });
    const [known] = await withoutLost([{ ...asset('shoe'), refs }], deps, 'run');
    expect(known?.refs).toEqual(refs);
    platform.intercept = () => ({ status: 200, body: { models: [], notFound: ['m'] } });
    const [left] = await withoutLost([{ ...asset('shoe'), refs: missed }], deps, 'run');
    return left?.refs;
  }

  it('is looked at again, though the worker has seen it ready', async () => {
    expect(await afterGone({ ...refs, missing: ['modelId'] })).toEqual({});
  });

  it('is not looked at again where nobody has missed it', async () => {
    expect(await afterGone(refs)).toEqual(refs);
    expect(platform.requests).toHaveLength(1);
  });
});
