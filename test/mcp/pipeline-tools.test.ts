// What an assistant may do with a person's pipelines: an SDK client and the `mcp` command.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { Client } from '@modelcontextprotocol/client';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../packages/sandbox/src/server/server.ts';
import { triangleGlb } from '../../packages/sandbox/test/_test-sandbox.ts';
import type { Terminal } from '../../src/cli/io.ts';
import { runCli } from '../../src/cli/program.ts';
import { createIo } from '../cli/_fake-io.ts';
import { folderWith } from '../cli/_folder.ts';
import { textOf } from './_connect.ts';

const pipeline = `name: trial
parameters:
  folder: { type: path, required: true }
  out: { type: path, default: ./out }
connectors:
  models: { type: local, path: "\${{ params.folder }}" }
  pictures: { type: local, path: "\${{ params.out }}" }
nodes:
  - { id: take, type: connector_poll, config: { connector: models, stableFor: 0s } }
  - { id: ready, type: model_ready, parentIds: [take] }
  - { id: shots, type: render, parentIds: [ready] }
  - { id: deliver, type: export, parentIds: [shots], config: { connector: pictures } }
`;

let place = '';
let outside = '';

beforeEach(() => {
  outside = folderWith({ 'secret.yaml': pipeline, 'in/theirs.glb': '' });
  place = folderWith({ 'trial.yaml': pipeline, 'bad.yaml': pipeline.replace('render', 'rendr') });
  mkdirSync(join(place, 'in'));
  writeFileSync(join(place, 'in', 'shoe.glb'), triangleGlb());
  symlinkSync(join(outside, 'secret.yaml'), join(place, 'link.yaml'));
  symlinkSync(join(outside, 'in'), join(place, 'linked'));
  symlinkSync(join(outside, 'nowhere'), join(place, 'dangling'));
});

/** An assistant with `renderline mcp FLAGS`, started in the folder of the pipelines. */
async function assistant(flags: readonly string[] = [], env: Record<string, string> = {}) {
  const sandbox = await startSandbox({ seed: 1, pictureScale: 0, rateLimit: 0 });
  const [toServer, toClient] = [new PassThrough(), new PassThrough()];
  const { io, stderr } = createIo({
    cwd: place,
    env: {
      RENDERLINE_BASE_URL: sandbox.url,
      RENDERLINE_API_KEY: sandbox.apiKey,
      TEMPORAL_ADDRESS: '127.0.0.1:1',
      ...env,
    },
  });
  const stdout: Terminal = toClient;
  const ended = runCli(['mcp', ...flags], { ...io, stdin: toServer, stdout });
  const agent = new Client({ name: 'test', version: '1' });
  onTestFinished(async () => {
    await agent.close();
    toServer.end();
    expect(await ended).toBe(0);
    await sandbox.stop();
  });
  await agent.connect(new StdioServerTransport(toClient, toServer));
  const call = async (name: string, given: Record<string, unknown>) => {
    const result = await agent.callTool({ name, arguments: given });
    return { ...result, text: textOf(result) };
  };
  return { agent, call, stderr };
}

const folder = { folder: 'in' };

describe('pipelines over MCP', () => {
  test('tools describe their effects, and state if they are not allowed', async () => {
    const { agent, stderr } = await assistant();
    const { tools } = await agent.listTools();
    const ours = tools.filter(({ name }) => /pipeline|_run|rerun|failures|report/.test(name));
    expect(ours.map(({ name, annotations }) => [name, annotations?.readOnlyHint])).toEqual([
      ['validate_pipeline', true],
      ['plan_pipeline', true],
      ['run_pipeline', false],
      ['list_runs', true],
      ['show_run', true],
      ['list_failures', true],
      ['report_run', true],
      ['report_since', true],
      ['rerun', false],
    ]);
    const closed = ours.filter(({ description }) => description?.includes('--allow-runs'));
    expect(closed.map(({ name }) => name)).toEqual(['run_pipeline', 'rerun']);
    expect(stderr.plain).toContain('only previews runs (--allow-runs allows starts)');
  });

  test('validate_pipeline returns the problems of a file', async () => {
    const { call } = await assistant();
    const { structuredContent, isError } = await call('validate_pipeline', {
      files: ['trial.yaml', 'bad.yaml'],
    });
    expect(isError).not.toBe(true);
    expect(structuredContent).toMatchObject({
      valid: false,
      files: [{ valid: true }, { file: 'bad.yaml', problems: [{}, { code: 'RL301', line: 11 }] }],
    });
  });

  test('plan_pipeline returns the same work and cost as the command', async () => {
    const { call } = await assistant();
    const { structuredContent } = await call('plan_pipeline', {
      file: 'trial.yaml',
      parameters: folder,
    });
    expect(structuredContent).toMatchObject({ pipeline: 'trial', renders: 1, assets: { new: 1 } });
  });

  test('a run without `confirm` returns its plan, and a run with `confirm` is refused', async () => {
    const { call } = await assistant();
    const given = { file: 'trial.yaml', parameters: folder };
    const preview = await call('run_pipeline', given);
    expect(preview.structuredContent).toMatchObject({ started: false, renders: 1 });
    const refused = await call('run_pipeline', { ...given, confirm: true });
    expect(refused.isError).toBe(true);
    expect(refused.text).toMatch(/^RUNS_NOT_ALLOWED: .*--allow-runs/);
  });

  test('a value that is missing in the workspace starts no run, and the nearest value is shown as a hint', async () => {
    const { call } = await assistant(['--allow-runs']);
    const style = 'parameters:\n  style: { type: enum, values: { from: templates } }\n';
    writeFileSync(join(place, 'trial.yaml'), pipeline.replace('parameters:\n', style));
    const parameters = { ...folder, style: 'Hero Drak' };
    for (const confirm of [false, true]) {
      const { text } = await call('run_pipeline', { file: 'trial.yaml', parameters, confirm });
      expect(text).toMatch(/^INVALID_PIPELINE: .*trial\.yaml:3:3 error RL318 .*"Hero Dark"\?/s);
    }
  });

  test('a run with --allow-runs starts in the same way as the command, and fails without Temporal', async () => {
    const { call } = await assistant(['--allow-runs']);
    const given = { file: 'trial.yaml', parameters: folder, confirm: true };
    expect((await call('run_pipeline', given)).text).toMatch(/^TEMPORAL_UNREACHABLE: /);
    const tooMuch = `${pipeline}limits: { requests: 1 }\n`;
    writeFileSync(join(place, 'trial.yaml'), tooMuch);
    expect((await call('run_pipeline', given)).text).toMatch(/^LIMIT_EXCEEDED: /);
  });

  test.each<[string, Record<string, unknown>]>([
    ['a path that leads upwards', { file: '../secret.yaml' }],
    ['an absolute path', { file: '/etc/passwd' }],
    ['a link to a file', { file: 'link.yaml', parameters: folder }],
    ['a folder outside the allowed one', { file: 'trial.yaml', parameters: { folder: '/etc' } }],
    ['a folder above the allowed one', { file: 'trial.yaml', parameters: { folder: '../..' } }],
    ['a link to a folder', { file: 'trial.yaml', parameters: { folder: 'linked' } }],
    ['a dangling link', { file: 'trial.yaml', parameters: { ...folder, out: 'dangling' } }],
    [
      'a missing folder below a link',
      { file: 'trial.yaml', parameters: { ...folder, out: 'linked/new' } },
    ],
  ])('%s is refused', async (_what, given) => {
    const { call } = await assistant(['--allow-runs']);
    for (const tool of ['plan_pipeline', 'run_pipeline']) {
      expect((await call(tool, given)).text).toMatch(/^OUTSIDE_FOLDERS: /);
    }
    expect((await call('run_pipeline', { ...given, confirm: true })).text).toMatch(
      /^OUTSIDE_FOLDERS: /,
    );
  });

  test.each([
    ['a folder above the allowed one', '..'],
    ['a folder in another place', '/etc'],
    ['a link to a folder', 'linked'],
    ['a missing file elsewhere', '/etc/none.yaml'],
    ['a folder with a link to a file outside', '.'],
  ])('validate_pipeline reads nothing from %s', async (_what, path) => {
    const { call } = await assistant();
    expect((await call('validate_pipeline', { files: [path] })).text).toMatch(/^OUTSIDE_FOLDERS: /);
  });

  test('a second folder can be allowed by name', async () => {
    const { call } = await assistant(['--folder', '.', '--folder', outside]);
    const given = { file: 'trial.yaml', parameters: { folder: join(outside, 'in') } };
    expect((await call('plan_pipeline', given)).structuredContent).toMatchObject({
      pipeline: 'trial',
    });
  });

  test.each<[string, string, Record<string, unknown>, RegExp]>([
    ['a misspelt argument', 'plan_pipeline', { fil: 'x' }, /no argument "fil".*"file"/],
    ['a wrong type', 'validate_pipeline', { files: 'x' }, /^VALIDATION_ERROR: files/],
    ['an invalid run id', 'show_run', { run: '--all' }, /^VALIDATION_ERROR: run/],
    ['a run of a schedule', 'show_run', { run: 'trial-2026-11-23T01:00:00Z' }, /^TEMPORAL_/],
    ['a run of a folder', 'show_run', { run: 'team/trial-2026-11-23T01:00:00Z' }, /^TEMPORAL_/],
    ['an invalid time', 'report_since', { since: '--json' }, /^VALIDATION_ERROR: since/],
    ['an option instead of a file', 'plan_pipeline', { file: '--help' }, /^ENOENT: /],
    ['a missing parameter', 'plan_pipeline', { file: 'trial.yaml' }, /RL.*folder/s],
  ])('%s is a tool error', async (_what, tool, given, message) => {
    const { call } = await assistant();
    const result = await call(tool, given);
    expect(result.isError).toBe(true);
    expect(result.text).toMatch(message);
  });

  test('long lists are truncated and marked, and secrets are redacted', async () => {
    const password = 'hunter2hunter2';
    const nodes = Array.from({ length: 80 }, (_, at) => `  - { id: n${at}, type: ${password} }`);
    const name = `svc_c4n4ry_0123456789.yaml`;
    writeFileSync(join(place, name), `${pipeline}${nodes.join('\n')}\n`);
    const { call } = await assistant([], { RENDERLINE_SECRET_SHOP: password });
    const { text, structuredContent } = await call('validate_pipeline', { files: [name] });
    expect(text.length).toBeLessThan(45_000);
    expect(text).toContain('the node type \\"[redacted]\\" does not exist');
    expect(text).not.toMatch(/c4n4ry|hunter2/);
    expect(structuredContent).toHaveProperty(['leftOut', 'files.problems']);
  });
});
