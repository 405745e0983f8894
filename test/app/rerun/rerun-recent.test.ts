// The preview of `rerun --since`: which runs it lists as ready and as refused.
import { readFileSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { defaultPayloadConverter } from '@temporalio/common';
import { expect, test } from 'vitest';
import { App } from '../../../src/app/app.ts';
import { compilePipeline } from '../../../src/app/compile-pipeline.ts';
import { previewRecentRerun } from '../../../src/app/rerun/rerun-recent.ts';
import { workflowNames } from '../../../src/plan/contract/contract.ts';
import { runMemoField, runMemoOf } from '../../../src/plan/run/run-memo.ts';
import { folderWith } from '../../cli/_folder.ts';
import { triangleGlb } from '../../glb/_make-glb.ts';
import { endRun } from '../plan/_earlier-run.ts';

/** An app with a run that has ended, in which every asset failed. Its plan comes from its history. */
async function failedRun(cwd: string) {
  const app = new App({ env: {}, cwd });
  const parameters = { folder: join(cwd, 'models'), out: join(cwd, 'out') };
  await endRun(app, 'catalog.yaml', parameters, (key) => ({
    outcome: 'failed',
    failure: { key, node: 'shots', code: 'RENDER_FAILED', message: 'm', attempts: 1 },
  }));
  const { plan } = await compilePipeline(app, 'catalog.yaml', parameters);
  const described = {
    workflowId: 'earlier',
    runId: 'e-1',
    type: workflowNames.run,
    taskQueue: 'q',
    status: { name: 'FAILED' },
    startTime: new Date(0),
    closeTime: new Date(),
    historyLength: 9,
    memo: { [runMemoField]: runMemoOf(plan) },
    raw: {},
  };
  const input = { payloads: [defaultPayloadConverter.toPayload({ plan, epoch: 0 })] };
  const events = [{ workflowExecutionStartedEventAttributes: { input } }];
  const loadedDataConverter = { payloadConverter: defaultPayloadConverter, payloadCodecs: [] };
  const client = {
    options: { namespace: 'n', identity: 'a', loadedDataConverter },
    workflow: {
      getHandle: () => ({ describe: async () => described }),
      async *list() {
        yield described;
      },
    },
    workflowService: { getWorkflowExecutionHistory: async () => ({ history: { events } }) },
    withDeadline: (_at: number, work: () => unknown) => work(),
  };
  // The preview reads only these fields of a connection.
  app.temporal = { client, namespace: 'n' } as never;
  return app;
}

test('a run is refused if none of its sources can be used, and is ready as long as one can', async () => {
  const catalog = readFileSync('pipelines/catalog.yaml', 'utf8');
  const models = { 'models/a.glb': triangleGlb(), 'models/b.glb': triangleGlb() };
  const cwd = folderWith({ 'catalog.yaml': catalog, ...models });
  const paths = Object.keys(models).map((path) => join(cwd, path));
  for (const path of paths) utimesSync(path, 0, 0);
  const app = await failedRun(cwd);
  const [first = '', second = ''] = paths;
  rmSync(first);
  expect((await previewRecentRerun(app, { since: '1d' })).shape).toMatchObject({
    ready: [{ of: 'earlier', work: { assets: 1, refused: [{ code: 'SOURCE_GONE' }] } }],
    refused: [],
  });
  rmSync(second);
  expect((await previewRecentRerun(app, { since: '1d' })).shape).toMatchObject({
    ready: [],
    refused: [{ of: 'earlier', code: 'SOURCES_GONE' }],
  });
});
