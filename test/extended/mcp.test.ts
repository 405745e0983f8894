// An assistant operates a pipeline by `renderline mcp` in its own process: previews, a run, its failures, a rerun.
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, onTestFinished, test } from 'vitest';
import { textOf } from '../mcp/_connect.ts';
import { names, writeModels } from '../system/_models.ts';
import { createPipelineFolder, reportOf, startRun, useProduct } from '../system/_runs.ts';
import { program, useProcesses, waitUntil } from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';

const temporal = useTemporal();
useProcesses();
const product = useProduct(temporal, ['--speed', '100', '--picture-scale', '0']);

async function assistantIn(cwd: string) {
  const agent = new Client({ name: 'test', version: '1' });
  onTestFinished(() => agent.close());
  const { PATH = '', HOME = '' } = process.env;
  await agent.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [program, 'mcp', '--allow-runs'],
      env: { PATH, HOME, ...product.env },
      cwd,
      stderr: 'ignore',
    }),
  );
  const said = async (name: string, given: Record<string, unknown>) => {
    const result = await agent.callTool({ name, arguments: given });
    return { isError: result.isError === true, text: textOf(result) };
  };
  const call = async (name: string, given: Record<string, unknown>) => {
    const { isError, text } = await said(name, given);
    expect(isError, text).toBe(false);
    return JSON.parse(text) as Record<string, unknown>;
  };
  return { call, said };
}

test('an assistant previews and starts a run, reads its failures and reruns them', async () => {
  const place = await createPipelineFolder('assistant', { maxRetries: 0 });
  await writeModels(place.folder, names('lamp', 3));
  await product.sandbox.set('faults', [{ render: 'lamp-01*', do: { failure: 'no light' } }]);
  const { call } = await assistantIn(place.root);
  const ended = async (run: unknown) => {
    let shown: Record<string, unknown> = {};
    await waitUntil('its end', async () => {
      shown = await call('show_run', { run });
      return shown['outcome'] !== 'running';
    });
    return shown;
  };

  const given = { file: 'pictures.yaml', parameters: { folder: 'models', out: 'pictures' } };
  expect(await call('run_pipeline', given)).toMatchObject({ started: false, renders: 3 });
  expect(await call('list_runs', {})).toMatchObject({ runs: [] });
  const { run } = await call('run_pipeline', { ...given, confirm: true });
  expect(await ended(run)).toMatchObject({ outcome: 'partial_failure', assets: { complete: 2 } });
  expect(await call('list_failures', { run })).toMatchObject({
    total: 1,
    groups: [{ code: 'RENDER_FAILED', node: 'shots', keys: ['lamp-01'] }],
  });
  expect(await call('report_run', { run })).toMatchObject({ outcome: 'partial_failure' });
  expect(await call('report_since', { since: '1h' })).toMatchObject({
    outcomes: { partial_failure: 1 },
  });

  await product.sandbox.set('faults', []);
  const preview = await call('rerun', { run, failed: true });
  expect(preview).toMatchObject({ started: false });
  expect(JSON.stringify(preview)).toContain('lamp-01');
  const again = await call('rerun', { run, failed: true, confirm: true });
  expect(await ended(again['run'])).toMatchObject({ outcome: 'complete', assets: { complete: 1 } });
  expect(await call('list_runs', { pipeline: 'pictures' })).toMatchObject({
    runs: [{ run: again['run'] }, { run }],
  });
});

test('runs whose records are outside the folders are hidden from an assistant', async () => {
  const place = await createPipelineFolder('theirs', { maxRetries: 0 });
  await writeModels(place.folder, names('secret-lamp', 1));
  const { run } = await startRun(place, product.env).finished.then((end) => reportOf(end));
  const other = await createPipelineFolder('mine');
  await symlink(place.root, join(other.root, 'linked'));
  const { call, said } = await assistantIn(other.root);
  for (const tool of ['show_run', 'list_failures', 'report_run', 'rerun']) {
    const { isError, text } = await said(tool, { run });
    expect(text).toMatch(/^OUTSIDE_FOLDERS: /);
    expect(isError).toBe(true);
    expect(text).not.toContain('secret-lamp');
  }
  const since = await call('report_since', { since: '1h' });
  expect(JSON.stringify(since)).not.toContain('secret-lamp');
  expect(JSON.stringify(since['runs'])).not.toContain(run);
  expect(since['notes']).toEqual([expect.stringContaining('are not shown')]);
});
