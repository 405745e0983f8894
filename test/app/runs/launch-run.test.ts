// The last part of `run` and `rerun`, on a server that records which workflows are started.

import { expect, test } from 'vitest';
import { App } from '../../../src/app/app.ts';
import { RequestApp } from '../../../src/app/request-app.ts';
import { launchRun } from '../../../src/app/runs/launch-run.ts';
import { compileShop, startServerWith } from './_start-server.ts';

test('if the workers of the queue cannot be read, no run is started', async () => {
  const started: unknown[] = [];
  const start = async (...workflow: unknown[]) => void started.push(workflow);
  const noAnswer = { describeTaskQueue: () => Promise.reject(new Error('no answer')) };
  const temporal = startServerWith(start, noAnswer);
  const { app, plan } = await compileShop();
  const launch = { plan, target: { taskQueue: 'q' }, options: {} };
  await expect(launchRun(app, temporal, launch)).rejects.toThrow('no answer');
  expect(started).toEqual([]);
});

test('a request that ends during the checks starts no run', async () => {
  const request = new AbortController();
  const app = new RequestApp(new App({ env: {}, cwd: '/tmp' }), request.signal);
  const done: string[] = [];
  const client = {
    options: { namespace: 'n', loadedDataConverter: { payloadCodecs: [] } },
    // The workers of the plan's host are looked up. The client of the request disconnects meanwhile.
    workflowService: {
      describeTaskQueue: async () => {
        request.abort();
        return { pollers: [] };
      },
    },
    workflow: { start: async () => done.push('start') },
    withDeadline: (_at: number, work: () => unknown) => work(),
  };
  let end: Promise<unknown> = Promise.resolve();
  const response = app.complete(() => {
    // The launch reads only these fields of its arguments before it starts the run.
    end = launchRun(app, { client, namespace: 'n' } as never, {
      plan: { pipeline: 'shop', file: 'shop.yaml', host: 'far' } as never,
      target: { taskQueue: 'q' } as never,
      options: {},
      onStarting: () => done.push('starting'),
    });
    return end;
  });
  await expect(response).rejects.toMatchObject({ code: 'INTERRUPTED' });
  await expect(end).rejects.toMatchObject({ code: 'INTERRUPTED' });
  expect(done).toEqual([]);
});
