// Tests whether the platform now shows ids that an earlier run paid for but could not find.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDeps, type Deps } from '../../activities/deps.ts';
import {
  dropDeletedWork,
  dropLostWork,
  recheckMissingWork,
} from '../../activities/shard/check-earlier-work.ts';
import type { PlatformIds } from '../../src/plan/platform-ids.ts';
import { noWorkflows, runContext } from '../engine/_context.ts';
import { ScriptedPlatform } from '../engine/_platform.ts';
import { asset } from '../plan/_steps.ts';

let platform: ScriptedPlatform;
let deps: Deps;
beforeEach(async () => {
  platform = await ScriptedPlatform.start();
  deps = createDeps({ client: platform.client, workflows: noWorkflows, secrets: [] });
});
afterEach(() => platform.stop());

const absent = { error: { code: 'NOT_FOUND', message: 'not found' } };

/** The remaining ids, and the requests that were sent. */
async function after(platformIds: PlatformIds, shows: boolean) {
  const body = { jobId: 'j', status: 'COMPLETED', projectId: 'p', batchId: 'b', jobs: [] };
  platform.intercept = () => (shows ? { status: 200, body } : { status: 404, body: absent });
  const [left] = await recheckMissingWork([{ ...asset('shoe'), platformIds }], deps, runContext());
  return { platformIds: left?.platformIds, asked: platform.requests };
}

describe('work that an earlier run did not find', () => {
  const render: PlatformIds = { modelId: 'm', projectId: 'p', jobId: 'j', batchId: 'b' };
  it.each<[string, PlatformIds, string, PlatformIds]>([
    [
      'a render job',
      { ...render, missingIds: ['jobId', 'batchId'] },
      'GET /renders/j',
      { modelId: 'm', projectId: 'p' },
    ],
    [
      'a project with its render',
      { ...render, missingIds: ['projectId', 'jobId', 'batchId'] },
      'GET /projects/p',
      { modelId: 'm' },
    ],
  ])(
    '%s is reused if it is visible, and is dropped otherwise',
    async (_, platformIds, asked, without) => {
      const { missingIds: _missing, ...known } = platformIds;
      expect(await after(platformIds, true)).toEqual({ platformIds: known, asked: [asked] });
      platform.requests.length = 0;
      expect(await after(platformIds, false)).toEqual({ platformIds: without, asked: [asked] });
    },
  );

  it('no request is sent if no id was missing', async () => {
    expect(await after(render, false)).toEqual({ platformIds: render, asked: [] });
  });
});

describe('a model that an earlier run did not find', () => {
  const platformIds: PlatformIds = { modelId: 'm', lastCreatedAtMs: 0 };

  /** The remaining ids after the worker has seen the model ready and the platform reports it missing. */
  async function afterGone(missed: PlatformIds) {
    const ready = { models: [{ modelId: 'm', status: 'READY', ready: true }], notFound: [] };
    platform.intercept = () => ({ status: 200, body: ready });
    const [known] = await dropLostWork([{ ...asset('shoe'), platformIds }], deps, 'run');
    expect(known?.platformIds).toEqual(platformIds);
    platform.intercept = () => ({ status: 200, body: { models: [], notFound: ['m'] } });
    const [left] = await dropLostWork([{ ...asset('shoe'), platformIds: missed }], deps, 'run');
    return left?.platformIds;
  }

  it('the model is checked again, even if the worker has seen it ready', async () => {
    expect(await afterGone({ ...platformIds, missingIds: ['modelId'] })).toEqual({});
  });

  it('the model is not checked again if nothing was missing', async () => {
    expect(await afterGone(platformIds)).toEqual(platformIds);
    expect(platform.requests).toHaveLength(1);
  });
});

describe('work of earlier runs', () => {
  const render: PlatformIds = {
    modelId: 'm',
    projectId: 'p',
    jobId: 'j',
    batchId: 'b',
    outputs: [],
  };

  /** The remaining ids of assets if the platform responds with 404 to these requests. */
  async function left(
    platformIds: readonly PlatformIds[],
    gone: readonly string[],
    epoch: number,
    source: { id?: string } = {},
  ) {
    const body = { jobId: 'j', projectId: 'p', status: 'COMPLETED', productionFiles: [] };
    platform.intercept = (request) =>
      gone.includes(request)
        ? { status: 404, body: absent }
        : { status: 200, body: { ...body, exportId: 'e', id: 'e' } };
    const assets = platformIds.map((one, index) => {
      const shoe = asset(`shoe-${index}`);
      return { ...shoe, source: { ...shoe.source, ...source }, platformIds: one };
    });
    const standing = await dropDeletedWork(assets, deps, {
      context: { ...runContext(), epoch },
      shard: 0,
    });
    return {
      platformIds: standing.map((one) => one.platformIds),
      asked: [...platform.requests].sort(),
    };
  }

  it.each<[string, PlatformIds, string[], PlatformIds, string[]]>([
    ['an existing render', render, [], render, ['GET /renders/j']],
    [
      'a missing render of an existing project',
      render,
      ['GET /renders/j'],
      { modelId: 'm', projectId: 'p' },
      ['GET /projects/p', 'GET /renders/j'],
    ],
    [
      'a missing render and its missing project',
      render,
      ['GET /renders/j', 'GET /projects/p'],
      { modelId: 'm' },
      ['GET /projects/p', 'GET /renders/j'],
    ],
    ['a missing prop', { propId: 'x' }, ['GET /props/x'], {}, ['GET /props/x']],
    [
      'a missing export next to an existing render',
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
      'a colorway batch, which is not checked, since its path may be wrong',
      { colorway: { before: '', batchId: '' } },
      [],
      { colorway: { before: '', batchId: '' } },
      [],
    ],
    ['only a model, which is checked elsewhere', { modelId: 'm' }, [], { modelId: 'm' }, []],
    [
      'a project that was just created and may not be visible yet',
      { projectId: 'p', lastCreatedAtMs: Number.MAX_SAFE_INTEGER },
      ['GET /projects/p'],
      { projectId: 'p', lastCreatedAtMs: Number.MAX_SAFE_INTEGER },
      [],
    ],
  ])(
    'missing work is dropped, and other work is kept: %s',
    async (_what, platformIds, gone, expected, asked) => {
      expect(await left([platformIds], gone, 1)).toEqual({ platformIds: [expected], asked });
    },
  );

  it.each<[string, string, PlatformIds, string[]]>([
    [
      'is a model, including its project and render',
      'm',
      { modelId: 'm' },
      ['GET /projects/p', 'GET /renders/j'],
    ],
    [
      'is a project, including its render',
      'p',
      { modelId: 'm', projectId: 'p' },
      ['GET /renders/j'],
    ],
    ['is a render, without any request', 'r', render, []],
  ])('the work is checked if the root of the run %s', async (_what, id, expected, asked) => {
    const gone = ['GET /renders/j', 'GET /projects/p'];
    expect(await left([render], gone, 1, { id })).toEqual({ platformIds: [expected], asked });
  });

  const many = Array.from({ length: 40 }, (_, index): PlatformIds => ({ projectId: `p${index}` }));
  const all = many.map(({ projectId }) => `GET /projects/${projectId}`);

  it('the work is checked for each asset of a rerun', async () => {
    const { platformIds, asked } = await left(many, ['GET /projects/p17'], 1);
    expect(asked).toEqual([...all].sort());
    expect(platformIds.filter(({ projectId }) => projectId === undefined)).toHaveLength(1);
  });

  it('a check that fails for a moment is repeated for that asset alone', async () => {
    const assets = many.map((platformIds, index) => ({ ...asset(`shoe-${index}`), platformIds }));
    const refused = new Set<string>();
    platform.intercept = (request) => {
      if (!request.endsWith('7') || refused.has(request))
        return { status: 200, body: { projectId: 'p' } };
      refused.add(request);
      return { status: 503, body: { error: { code: 'INTERNAL_ERROR', message: 'a moment' } } };
    };
    const location = { context: { ...runContext(), epoch: 1 }, shard: 0 };
    const standing = await dropDeletedWork(assets, deps, location);
    expect(standing.map(({ platformIds }) => platformIds)).toEqual(many);
    expect(platform.requests).toHaveLength(many.length + refused.size);
    expect(refused.size).toBe(4);
  });

  it('the work is checked for only a few assets of another run', async () => {
    const { platformIds, asked } = await left(many, [], 0);
    expect(asked).toHaveLength(5);
    expect(platformIds).toEqual(many);
  });

  it('the work is checked for all assets of another run if the work of those few is missing', async () => {
    const { platformIds, asked } = await left(many, all, 0);
    expect(asked).toEqual([...all].sort());
    expect(platformIds).toEqual(many.map(() => ({})));
  });
});
