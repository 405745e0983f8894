// An assistant operates what a person wrote, by `renderline mcp` as its own process: previews, a run, what failed, again.
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, onTestFinished, test } from 'vitest';
import { textOf } from '../mcp/_connect.ts';
import { names, writeModels } from '../system/_models.ts';
import { makePlace, useProduct } from '../system/_runs.ts';
import { program, until, useProcesses } from '../system/_stack.ts';
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
  return async (name: string, given: Record<string, unknown>) => {
    const result = await agent.callTool({ name, arguments: given });
    expect(result.isError, textOf(result)).not.toBe(true);
    return JSON.parse(textOf(result)) as Record<string, unknown>;
  };
}

test('from preview to rerun', async () => {
  const place = await makePlace('assistant', { maxRetries: 0 });
  await writeModels(place.folder, names('lamp', 3));
  await product.sandbox.set('faults', [{ render: 'lamp-01*', do: { failure: 'no light' } }]);
  const call = await assistantIn(place.root);
  const ended = async (run: unknown) => {
    let shown: Record<string, unknown> = {};
    await until('its end', async () => {
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
