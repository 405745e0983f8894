// The records of earlier runs are not where a run looks for them, for example because a drive is not mounted. The run
// is paused before it lists anything, since without records all finished work would be paid for again.
import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { createDeps, type WorkflowQueries } from '../../activities/deps.ts';
import { discover } from '../../activities/run/discover.ts';
import { createClient } from '../../src/api/client.ts';
import {
  type DiscoverInput,
  type DiscoverResult,
  runCauseType,
} from '../../src/plan/contract/contract.ts';
import { putFile, tempFolder } from '../connectors/_temp-folder.ts';
import { noWorkflows, runContext } from '../engine/_context.ts';
import { noStages } from '../plan/_steps.ts';

let models: string;
let records: string;
beforeEach(async () => {
  [models, records] = [await tempFolder(), await tempFolder()];
  await putFile(models, 'lamp.glb', 'lamp', 1_000_000);
});

const client = createClient({ baseUrl: 'http://127.0.0.1:9', apiKey: 'k' });

/** The discovery of a run by a separate worker. Temporal knows the completed runs that `find` returns. */
function discovered(
  run: string,
  find: WorkflowQueries['findCompletedRun'],
  more: Partial<DiscoverInput> = {},
): Promise<DiscoverResult> {
  const workflows = { ...noWorkflows, findCompletedRun: find };
  const context = runContext({
    run,
    pipeline: 'catalog',
    connectors: { models: { type: 'local', path: models } },
    records: { type: 'local', path: records },
  });
  const config = { connector: 'models', include: ['**/*.glb'], exclude: [], stableFor: '1s' };
  const discovery = { node: 'take', activity: 'connector_poll', config, key: null };
  const parts = { stages: noStages, deliveries: [], shardSize: 10, ...more };
  const input: DiscoverInput = { context, discovery, ...parts };
  const deps = createDeps({ client, workflows, secrets: [] });
  return new MockActivityEnvironment().run(() => discover(input, deps)) as Promise<DiscoverResult>;
}

const none = async () => null;
const night1 = async () => 'night-1';
const missing = {
  type: runCauseType,
  nonRetryable: true,
  details: [
    {
      code: 'RECORDS_MISSING',
      kind: 'later',
      fix: 'Mount the drive, or restore the records, on all workers, then resume the run. If the pipeline should start again with new records and pay for all its work again: renderline resume night-2 --new-records',
    },
  ],
};

describe('the records of a pipeline', () => {
  it('the first run of a pipeline needs no records', async () => {
    expect(await discovered('night-1', none)).toMatchObject({ new: 1 });
  });

  it('a run pauses if records are missing where a completed run stored them, and writes nothing', async () => {
    await discovered('night-1', none);
    await rename(records, `${records}.away`);
    await expect(discovered('night-2', night1)).rejects.toMatchObject({
      ...missing,
      message: `RECORDS_MISSING: there are no records of pipeline catalog in local folder ${records}, where its run night-1 stored them; without them, all finished work would be paid for again`,
    });
    await expect(readdir(records)).rejects.toThrow('ENOENT');
  });

  it('a run continues with the records once they are back', async () => {
    await discovered('night-1', none);
    await rename(records, `${records}.away`);
    await expect(discovered('night-2', night1)).rejects.toMatchObject(missing);
    await rename(`${records}.away`, records);
    expect(await discovered('night-2', night1)).toMatchObject({ total: 1 });
  });

  it('records of another pipeline in the same location do not count', async () => {
    await putFile(records, '.renderline/other/recipes/r.json', '{}');
    await expect(discovered('night-2', night1)).rejects.toMatchObject(missing);
  });

  it('a person can start new records', async () => {
    const result = await discovered('night-2', night1, { newRecords: true });
    expect(result).toMatchObject({ new: 1 });
  });

  it('Temporal is not asked if the location has records, or for later discovery pages', async () => {
    const questions: string[] = [];
    const find = async ({ pipeline }: { pipeline: string }) => {
      questions.push(pipeline);
      return null;
    };
    await discovered('night-1', find, { discoveryPage: 0 });
    expect(questions).toEqual(['catalog']);
    await discovered('night-2', find);
    expect(questions).toEqual(['catalog']);
    await rename(join(records, '.renderline'), join(records, 'away'));
    await discovered('night-2', find, { discoveryPage: 1 }).catch(() => undefined);
    expect(questions).toEqual(['catalog']);
  });

  it('a run starts nothing while Temporal cannot be asked', async () => {
    const find = () => Promise.reject(new Error('14 UNAVAILABLE'));
    await expect(discovered('night-1', find)).rejects.toMatchObject({
      message:
        'Could not read from Temporal whether earlier runs of catalog have stored records: 14 UNAVAILABLE',
      nonRetryable: false,
    });
    expect(await readdir(records)).toEqual([]);
  });
});
