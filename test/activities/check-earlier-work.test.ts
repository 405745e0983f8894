// Ids that an earlier run paid for and then did not find: whether the platform shows them now.
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

describe('what was missing', () => {
  const render: PlatformIds = { modelId: 'm', projectId: 'p', jobId: 'j', batchId: 'b' };
  it.each<[string, PlatformIds, string, PlatformIds]>([
    [
      'a render job',
      { ...render, missingIds: ['jobId', 'batchId'] },
      'GET /renders/j',
      { modelId: 'm', projectId: 'p' },
    ],
    [
      'a project, with the render that it takes along',
      { ...render, missingIds: ['projectId', 'jobId', 'batchId'] },
      'GET /projects/p',
      { modelId: 'm' },
    ],
  ])(
    '%s: is built on when it shows, and done without when not',
    async (_, platformIds, asked, without) => {
      const { missingIds: _missing, ...known } = platformIds;
      expect(await after(platformIds, true)).toEqual({ platformIds: known, asked: [asked] });
      platform.requests.length = 0;
      expect(await after(platformIds, false)).toEqual({ platformIds: without, asked: [asked] });
    },
  );

  it('costs nothing where nothing was', async () => {
    expect(await after(render, false)).toEqual({ platformIds: render, asked: [] });
  });
});

describe('a model that a run has missed', () => {
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

  it('is checked again, even if the worker has seen it ready', async () => {
    expect(await afterGone({ ...platformIds, missingIds: ['modelId'] })).toEqual({});
  });

  it('is not checked again if nothing was missing', async () => {
    expect(await afterGone(platformIds)).toEqual(platformIds);
    expect(platform.requests).toHaveLength(1);
  });
});

describe('what earlier runs have made', () => {
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
      { projectId: 'p', lastCreatedAtMs: Number.MAX_SAFE_INTEGER },
      ['GET /projects/p'],
      { projectId: 'p', lastCreatedAtMs: Number.MAX_SAFE_INTEGER },
      [],
    ],
  ])('%s', async (_what, platformIds, gone, expected, asked) => {
    expect(await left([platformIds], gone, 1)).toEqual({ platformIds: [expected], asked });
  });

  it.each<[string, string, PlatformIds, string[]]>([
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
    expect(await left([render], gone, 1, { id })).toEqual({ platformIds: [expected], asked });
  });

  const many = Array.from({ length: 40 }, (_, index): PlatformIds => ({ projectId: `p${index}` }));
  const all = many.map(({ projectId }) => `GET /projects/${projectId}`);

  it('is checked for each asset of a rerun', async () => {
    const { platformIds, asked } = await left(many, ['GET /projects/p17'], 1);
    expect(asked).toEqual([...all].sort());
    expect(platformIds.filter(({ projectId }) => projectId === undefined)).toHaveLength(1);
  });

  it('is checked for a few assets of another run', async () => {
    const { platformIds, asked } = await left(many, [], 0);
    expect(asked).toHaveLength(5);
    expect(platformIds).toEqual(many);
  });

  it('is checked for all assets of another run if one of the few has lost it', async () => {
    const { platformIds, asked } = await left(many, all, 0);
    expect(asked).toEqual([...all].sort());
    expect(platformIds).toEqual(many.map(() => ({})));
  });
});
