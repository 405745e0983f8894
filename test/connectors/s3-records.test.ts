// S3-compatible stores without the guarantees that records need, with Amazon's own client.
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDeps } from '../../activities/deps.ts';
import { discover } from '../../activities/run/discover.ts';
import {
  type DiscoverInput,
  type DiscoverResult,
  runCauseType,
} from '../../src/plan/contract/contract.ts';
import { proveRecords } from '../../src/store/claims/prove-records.ts';
import { noWorkflows, runContext } from '../engine/_context.ts';
import { ScriptedPlatform } from '../engine/_platform.ts';
import { noStages } from '../plan/_steps.ts';
import { type Refusal, useSmallS3 } from './_small-s3.ts';

const s3 = useSmallS3();

const taken = { status: 412, code: 'PreconditionFailed' };
const unknown = { status: 501, code: 'NotImplemented' };

/** Refuses to create an existing object, as Amazon does. */
const keepsConditions: typeof s3.refuse = (method, key, { headers }) =>
  method === 'PUT' && headers['if-none-match'] === '*' && s3.objects.has(key) ? taken : null;

const refuseCreates = (refusal: Refusal) => {
  s3.refuse = (_method, _key, { headers }) =>
    headers['if-none-match'] === undefined ? null : refusal;
};

describe('an S3-compatible store', () => {
  it('a store that supports conditions may contain records', async () => {
    s3.refuse = keepsConditions;
    await proveRecords(s3.connector('out'));
    expect(s3.objects.size).toBe(0);
    expect(s3.requests).toHaveLength(8);
  });

  it('a store that ignores If-None-Match is refused for records with RECORDS_UNSAFE', async () => {
    await expect(proveRecords(s3.connector('out'))).rejects.toMatchObject({
      code: 'RECORDS_UNSAFE',
      what: `S3 bucket buck/out at ${new URL(s3.origin).host} cannot hold the records of runs: a second create of the same file was accepted`,
    });
    expect(s3.objects.size).toBe(0);
  });

  it('a store that does not support If-None-Match is refused for records with RECORDS_UNSAFE', async () => {
    refuseCreates(unknown);
    await expect(proveRecords(s3.connector('out'))).rejects.toMatchObject({
      code: 'RECORDS_UNSAFE',
      what: expect.stringMatching(/a conditional create is refused: .*If-None-Match/) as string,
    });
    expect(s3.objects.size).toBe(0);
  });
});

describe('a run', () => {
  let platform: ScriptedPlatform;
  beforeEach(async () => {
    platform = await ScriptedPlatform.start();
    s3.objects.set('in/lamp.glb', Buffer.from('lamp'));
  });
  afterEach(() => platform.stop());

  /** The discovery of a run by a separate worker. */
  function discovered(run: string): Promise<DiscoverResult> {
    const deps = createDeps({
      client: platform.client,
      workflows: noWorkflows,
      secrets: [],
      workspace: { id: 'w-1', name: 'Shoes' },
    });
    const spec = (prefix: string) => ({
      type: 's3',
      bucket: 'buck',
      prefix,
      endpoint: s3.origin,
      pathStyle: true,
    });
    const context = runContext({ run, connectors: { models: spec('in') }, records: spec('out') });
    const config = { connector: 'models', include: ['**/*.glb'], exclude: [], stableFor: '1s' };
    const discovery = { node: 'take', activity: 'connector_poll', config, key: null };
    const more = { stages: noStages, deliveries: [], shardSize: 10 };
    const input: DiscoverInput = { context, discovery, ...more };
    return new MockActivityEnvironment().run(() =>
      discover(input, deps),
    ) as Promise<DiscoverResult>;
  }

  it('a run checks its records location once, and the next run does not repeat the request', async () => {
    s3.refuse = keepsConditions;
    await discovered('first');
    const first = s3.requests.splice(0);
    expect(first.filter((request) => request.includes('proof.d'))).toHaveLength(7);
    await discovered('second');
    const second = s3.requests.splice(0);
    expect(second.filter((request) => /proof\.d|workspace\.json/.test(request))).toEqual([
      'GET out/.renderline/workspace.json',
    ]);
    // There are eight requests of the test, and the mark that stores its result.
    expect(first.length - second.length).toBe(9);
  });

  it('a run on a store that ignores conditions stops before it writes a file or calls the platform', async () => {
    await expect(discovered('first')).rejects.toMatchObject({
      type: runCauseType,
      nonRetryable: true,
      details: [{ code: 'RECORDS_UNSAFE', kind: 'never' }],
    });
    expect([...s3.objects.keys()]).toEqual(['in/lamp.glb']);
    expect(platform.requests).toEqual([]);
  });
});
