// Ids that an earlier run paid for and then did not find: whether the platform shows them now.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDeps, type Deps } from '../../activities/deps.ts';
import { withoutGone, withoutLost, withoutMissing } from '../../activities/missing.ts';
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

/** The remaining ids, and the requests that were sent. */
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

  /** The remaining ids after the worker has seen the model ready and the platform reports it missing. */
  async function afterGone(missed: Refs) {
    const ready = { models: [{ modelId: 'm', status: 'READY', ready: true }], notFound: [] };
    platform.intercept = () => ({ status: 200, body: ready });
    const [known] = await withoutLost([{ ...asset('shoe'), refs }], deps, 'run');
    expect(known?.refs).toEqual(refs);
    platform.intercept = () => ({ status: 200, body: { models: [], notFound: ['m'] } });
    const [left] = await withoutLost([{ ...asset('shoe'), refs: missed }], deps, 'run');
    return left?.refs;
  }

  it('is checked again, even if the worker has seen it ready', async () => {
    expect(await afterGone({ ...refs, missing: ['modelId'] })).toEqual({});
  });

  it('is not checked again if nothing was missing', async () => {
    expect(await afterGone(refs)).toEqual(refs);
    expect(platform.requests).toHaveLength(1);
  });
});

describe('what earlier runs have made', () => {
  const render: Refs = { modelId: 'm', projectId: 'p', jobId: 'j', batchId: 'b', outputs: [] };

  /** The remaining ids of assets if the platform responds with 404 to these requests. */
  async function left(
    refs: readonly Refs[],
    gone: readonly string[],
    epoch: number,
    source: { id?: string } = {},
  ) {
    const body = { jobId: 'j', projectId: 'p', status: 'COMPLETED', productionFiles: [] };
    platform.intercept = (request) =>
      gone.includes(request)
        ? { status: 404, body: absent }
        : { status: 200, body: { ...body, exportId: 'e', id: 'e' } };
    const assets = refs.map((one, index) => {
      const shoe = asset(`shoe-${index}`);
      return { ...shoe, source: { ...shoe.source, ...source }, refs: one };
    });
    const standing = await withoutGone(assets, deps, {
      context: { ...runContext(), epoch },
      shard: 0,
    });
    return { refs: standing.map((one) => one.refs), asked: [...platform.requests].sort() };
  }

  it.each<[string, Refs, string[], Refs, string[]]>([
    ['a render that is there', render, [], render, ['GET /renders/j']],
    [
      'a render that is gone, of a project that is there',
      render,
      ['GET /renders/j'],
      { modelId: 'm', projectId: 'p' },
      ['GET /projects/p', 'GET /renders/j'],
    ],
    [
      'a render and its project that are gone',
      render,
      ['GET /renders/j', 'GET /projects/p'],
      { modelId: 'm' },
      ['GET /projects/p', 'GET /renders/j'],
    ],
    ['a prop that is gone', { propId: 'x' }, ['GET /props/x'], {}, ['GET /props/x']],
    [
      'an export that is gone, beside a render that is there',
      { ...render, sheet: { exportId: 'e' } },
      ['GET /production-file-exports/e'],
      render,
      ['GET /production-file-exports/e', 'GET /renders/j'],
    ],
    [
      'a production file that is not in its list',
      { modelId: 'm', sheet: { fileId: 'f' } },
      [],
      { modelId: 'm' },
      ['GET /models/m/production-files'],
    ],
    [
      'a colorway batch, which may be looked for in the wrong place',
      { colorway: { before: '', batchId: '' } },
      [],
      { colorway: { before: '', batchId: '' } },
      [],
    ],
    ['a model alone, which is looked at elsewhere', { modelId: 'm' }, [], { modelId: 'm' }, []],
    [
      'a project that was made a moment ago',
      { projectId: 'p', madeAtMs: Number.MAX_SAFE_INTEGER },
      ['GET /projects/p'],
      { projectId: 'p', madeAtMs: Number.MAX_SAFE_INTEGER },
      [],
    ],
  ])('%s', async (_what, refs, gone, expected, asked) => {
    expect(await left([refs], gone, 1)).toEqual({ refs: [expected], asked });
  });

  it.each<[string, string, Refs, string[]]>([
    [
      'a model is: what was made of it',
      'm',
      { modelId: 'm' },
      ['GET /projects/p', 'GET /renders/j'],
    ],
    ['a project is: its render', 'p', { modelId: 'm', projectId: 'p' }, ['GET /renders/j']],
    ['a render is: nothing', 'r', render, []],
  ])('where the root of the run %s', async (_what, id, expected, asked) => {
    const gone = ['GET /renders/j', 'GET /projects/p'];
    expect(await left([render], gone, 1, { id })).toEqual({ refs: [expected], asked });
  });

  const many = Array.from({ length: 40 }, (_, index): Refs => ({ projectId: `p${index}` }));
  const all = many.map(({ projectId }) => `GET /projects/${projectId}`);

  it('is checked for each asset of a rerun', async () => {
    const { refs, asked } = await left(many, ['GET /projects/p17'], 1);
    expect(asked).toEqual([...all].sort());
    expect(refs.filter(({ projectId }) => projectId === undefined)).toHaveLength(1);
  });

  it('is checked for a few assets of another run', async () => {
    const { refs, asked } = await left(many, [], 0);
    expect(asked).toHaveLength(5);
    expect(refs).toEqual(many);
  });

  it('is checked for all assets of another run if one of the few has lost it', async () => {
    const { refs, asked } = await left(many, all, 0);
    expect(asked).toEqual([...all].sort());
    expect(refs).toEqual(many.map(() => ({})));
  });
});
