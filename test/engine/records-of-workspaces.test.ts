// Two workspaces with the same records location. It belongs to the first workspace that writes, and runs of the other
// workspace are refused.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDeps } from '../../activities/deps.ts';
import { discover } from '../../activities/run/discover.ts';
import type { Workspace } from '../../src/api/workspace.ts';
import {
  type DiscoverInput,
  type DiscoverResult,
  runCauseType,
} from '../../src/plan/contract/contract.ts';
import { putFile, tempFolder } from '../connectors/_temp-folder.ts';
import { noStages } from '../plan/_steps.ts';
import { noWorkflows, runContext } from './_context.ts';
import { ScriptedPlatform } from './_platform.ts';

const [shoes, bags]: Workspace[] = [
  { id: 'w-1', name: 'Shoes' },
  { id: 'w-2', name: 'Bags' },
];
const mark = '.renderline/workspace.json';

let platform: ScriptedPlatform;
let models: string;
let records: string;
beforeEach(async () => {
  platform = await ScriptedPlatform.start();
  [models, records] = [await tempFolder(), join(await tempFolder(), 'kept')];
  await putFile(models, 'lamp.glb', 'lamp', 1_000_000);
});
afterEach(() => platform.stop());

interface Who {
  run: string;
  /** Workspace of the worker; absent if it was not read yet. */
  own?: Workspace | undefined;
  /** Workspace of the run; absent if it was unknown at the start. */
  wanted?: string;
  caps?: DiscoverInput['caps'];
}

/** The discovery of a run by a separate worker. */
function discovered({ run, own, wanted }: Who): Promise<DiscoverResult> {
  const deps = createDeps({
    client: platform.client,
    workflows: noWorkflows,
    secrets: [],
    ...(own ? { workspace: own } : {}),
  });
  const context = runContext({
    run,
    connectors: { models: { type: 'local', path: models } },
    records: { type: 'local', path: records },
    ...(wanted === undefined ? {} : { workspace: wanted }),
  });
  const config = { connector: 'models', include: ['**/*.glb'], exclude: [], stableFor: '1s' };
  const discovery = { node: 'take', activity: 'connector_poll', config, key: null };
  const more = { stages: noStages, deliveries: [], shardSize: 10 };
  const input: DiscoverInput = { context, discovery, ...more };
  return new MockActivityEnvironment().run(() => discover(input, deps)) as Promise<DiscoverResult>;
}

const kept = async () =>
  (await readdir(records, { recursive: true }).catch(() => [])).map(String).sort();
const refusedAs = {
  type: runCauseType,
  nonRetryable: true,
  details: [{ code: 'RECORDS_OF_OTHER_WORKSPACE', kind: 'never' }],
};

describe('a records location', () => {
  it('a location is marked by the first run and belongs to its workspace from then on', async () => {
    expect(await discovered({ run: 'first', own: shoes })).toMatchObject({ new: 1 });
    expect(await kept()).toContain(mark);
    const before = await kept();
    const refused = discovered({ run: 'other', own: bags });
    await expect(refused).rejects.toMatchObject({
      ...refusedAs,
      message: expect.stringMatching(
        /the records in local folder .*kept belong to workspace w-1 \("Shoes"\), but the API key belongs to workspace w-2 \("Bags"\)$/,
      ) as string,
    });
    expect(await kept()).toEqual(before);
    expect(await discovered({ run: 'second', own: shoes })).toMatchObject({ total: 1 });
    expect(platform.requests).toEqual([]);
  });

  it.each<[string, Omit<Who, 'run'>, boolean]>([
    ['the workspace of the worker', { own: shoes }, true],
    ['the workspace of the run, if that of the worker is unknown', { wanted: 'w-1' }, true],
    ['no workspace, if neither is known', {}, false],
  ])('a location belongs to %s', async (_whose, who, isMarked) => {
    await discovered({ run: 'first', ...who });
    expect((await kept()).includes(mark)).toBe(isMarked);
    const other = discovered({ run: 'other', own: bags });
    if (isMarked) await expect(other).rejects.toMatchObject(refusedAs);
    else expect(await other).toMatchObject({ total: 1 });
  });

  it('a location that has older records but no mark is marked by the first run', async () => {
    await discovered({ run: 'before' });
    expect(await kept()).not.toContain(mark);
    await discovered({ run: 'first', own: shoes });
    await expect(discovered({ run: 'other', own: bags })).rejects.toMatchObject(refusedAs);
  });

  it('a location that two workspaces claim concurrently belongs to one of them, and the other starts nothing', async () => {
    for (let round = 0; round < 10; round += 1) {
      records = join(await tempFolder(), 'kept');
      const owners = [shoes, bags];
      const ends = await Promise.allSettled(
        owners.map((own, at) => discovered({ run: `run-${at}`, own })),
      );
      const lost = ends.findIndex(({ status }) => status === 'rejected');
      expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      expect(ends[lost]).toMatchObject({ reason: refusedAs });
      expect((await kept()).filter((path) => path.includes(`runs/run-${lost}`))).toEqual([]);
    }
  });

  it('a location is not created if the sources do not exist', async () => {
    models = join(records, 'nothing');
    await expect(discovered({ run: 'first', own: shoes })).rejects.toMatchObject({
      details: [{ code: 'FOLDER_NOT_FOUND' }],
    });
    expect(await kept()).toEqual([]);
  });
});
