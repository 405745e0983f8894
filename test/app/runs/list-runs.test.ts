// `runs` loads plugins only if it reads records.
import { expect, test } from 'vitest';
import { App } from '../../../src/app/app.ts';
import { listRuns } from '../../../src/app/runs/list-runs.ts';
import { folderWith } from '../../cli/_folder.ts';

const client = {
  options: { loadedDataConverter: { payloadCodecs: [] } },
  withDeadline: (_deadline: number, call: () => unknown) => call(),
  workflow: { list: async function* () {} },
};

test('paid work of runs is read with the plugins loaded, since their connectors may hold the records', async () => {
  const app = new App({ env: {}, cwd: folderWith({ 'renderline.yaml': 'plugins: [./gone.js]' }) });
  // Only these fields of a connection are read.
  app.temporal = { client, namespace: 'n' } as never;
  expect(await listRuns(app, { limit: 1 })).toMatchObject({ runs: [] });
  await expect(listRuns(app, { limit: 1, paid: true })).rejects.toThrow('gone.js');
});
