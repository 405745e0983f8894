import type { Client } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { App } from '../../../src/app/app.ts';
import {
  formatWaiting,
  waitUntilCurrent,
} from '../../../src/app/deployments/wait-until-current.ts';

const routed = (buildId: string) => ({ current: { deployment: 'shop', buildId }, ramping: null });

describe('the reason for a wait of apply', () => {
  it.each([
    ['another build', routed('b1'), 'New runs still go to b1. Waiting until they go to b2.'],
    [
      'unversioned workers',
      { current: null, ramping: null },
      'New runs still go to unversioned workers.',
    ],
    ['a server that does not respond', null, 'Temporal does not respond; retrying.'],
    ['a server that denies access', 'denied', 'Temporal denies access; retrying for a minute.'],
  ] as const)('apply explains a wait because of %s', (_what, routing, words) => {
    expect(formatWaiting(routing, 'b2')).toContain(words);
  });
});

describe('the wait of apply', () => {
  const [denied, unauthenticated, unavailable] = [7, 16, 14];

  /** Waits for b2 at a server that answers with these gRPC codes, then with the routing to b2. */
  async function wait(codes: number[]) {
    let reads = 0;
    const client = {
      options: { namespace: 'default' },
      withDeadline: (_deadline: number, call: () => unknown) => call(),
      workflowService: {
        describeTaskQueue: async () => {
          const code = codes[reads];
          reads += 1;
          if (code !== undefined) throw Object.assign(new Error('no'), { code, details: 'no' });
          const current = { deploymentName: 'shop', buildId: 'b2' };
          return { versioningInfo: { currentDeploymentVersion: current } };
        },
      },
    } as unknown as Client;
    const app = new App({ env: { RENDERLINE_BUILD_ID: 'b2' }, cwd: '/' });
    const failed: unknown = await waitUntilCurrent(app, client, 'q', async () => {}).catch(
      (error: unknown) => error,
    );
    return { failed, reads };
  }

  const times = (count: number, code: number) => Array.from({ length: count }, () => code);
  it.each<[string, number[], number | null, number]>([
    ['continues without a response', times(100, unavailable), null, 101],
    ['continues after denials of less than a minute', times(12, denied), null, 13],
    ['ends after a minute of denials', times(100, denied), denied, 13],
    ['ends after a minute without a valid key', times(100, unauthenticated), unauthenticated, 13],
    [
      'counts only consecutive denials',
      [...times(12, denied), unavailable, ...times(12, denied)],
      null,
      26,
    ],
  ])('the wait %s', async (_what, codes, code, reads) => {
    const ended = await wait(codes);
    expect(ended.reads).toBe(reads);
    if (code === null) expect(ended.failed).toBeUndefined();
    else expect(ended.failed).toMatchObject({ code });
  });
});
