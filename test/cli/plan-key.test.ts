// A rejected API key ends a command with exit code 4, whichever request is rejected.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startSandbox } from '../../packages/sandbox/src/server/server.ts';
import { triangleGlb } from '../../packages/sandbox/test/_test-sandbox.ts';
import type { RunningSandbox } from '../../src/sandbox/interface.ts';
import { folderWith } from './_folder.ts';
import { run } from './_run-cli.ts';

let sandbox: RunningSandbox;

beforeAll(async () => {
  sandbox = await startSandbox({ seed: 1, pictureScale: 0, rateLimit: 0, speed: 1000 });
});

afterAll(() => sandbox.stop());

const top = 'name: trial\nconnectors: { in: { type: local, path: in } }\nrecords: in\nnodes:\n';
const take = '  - { id: take, type: connector_poll, config: { connector: in, stableFor: 0s } }\n';
const files = {
  files: `${top}${take}  - { id: ready, type: model_ready, parentIds: [take] }\n`,
  names: `${top}${take}  - { id: ready, type: model_ready, parentIds: [take] }
  - { id: look, type: template_match, parentIds: [ready], config: { default: Studio White } }\n`,
  properties: `${top}${take}  - { id: ready, type: model_ready, parentIds: [take] }
  - { id: mark, type: set_properties, parentIds: [ready], config: { values: { Season: Winter } } }
`,
  models: `${top}  - { id: ready, type: model_ready, config: { select: { models: {} } } }\n`,
  projects: `${top}  - { id: shots, type: render, config: { select: { projects: {} } } }\n`,
  outputs: `${top}  - { id: out, type: export, config: { connector: in, select: { renders: {} } } }\n`,
  tags: `${top}  - { id: oak, type: variant, config: { modelScope: { type: all }, swapRules: [{ matchText: seat, matchMode: exact, material: Oak }] } }\n`,
  broken: top,
};

const whose = {
  'a good key': () => ({ RENDERLINE_BASE_URL: sandbox.url, RENDERLINE_API_KEY: sandbox.apiKey }),
  'a wrong key': () => ({ RENDERLINE_BASE_URL: sandbox.url, RENDERLINE_API_KEY: 'wrong' }),
  'no key': () => ({ RENDERLINE_BASE_URL: sandbox.url }),
  'a platform that does not answer': () => ({
    RENDERLINE_BASE_URL: 'http://127.0.0.1:1/api/v1',
    RENDERLINE_API_KEY: sandbox.apiKey,
  }),
};

function folder(file: File): string {
  const cwd = folderWith({ 'a.yaml': files[file] });
  mkdirSync(join(cwd, 'in'));
  writeFileSync(join(cwd, 'in', 'chair.glb'), triangleGlb(['seat']));
  return cwd;
}

type File = keyof typeof files;
type Who = keyof typeof whose;

const ends: Record<Who, Partial<Record<File, [exit: number, code?: string]>>> = {
  'a good key': {
    files: [0],
    names: [0],
    // The sandbox has no such property.
    properties: [5],
    models: [0],
    projects: [0],
    outputs: [0],
    tags: [0],
    broken: [2, 'INVALID_PIPELINE'],
  },
  'a wrong key': {
    files: [4, 'INVALID_API_KEY'],
    names: [4, 'INVALID_API_KEY'],
    properties: [4, 'INVALID_API_KEY'],
    models: [4, 'INVALID_API_KEY'],
    projects: [4, 'INVALID_API_KEY'],
    outputs: [4, 'INVALID_API_KEY'],
    tags: [4, 'INVALID_API_KEY'],
    broken: [2, 'INVALID_PIPELINE'],
  },
  // A plan of files does not need the platform.
  'no key': {
    files: [0],
    names: [0],
    properties: [0],
    models: [2, 'PLATFORM_NOT_SET'],
    projects: [2, 'PLATFORM_NOT_SET'],
    outputs: [2, 'PLATFORM_NOT_SET'],
    tags: [2, 'PLATFORM_NOT_SET'],
    broken: [2, 'INVALID_PIPELINE'],
  },
  // Only one file of each kind, because the client retries for some time before it fails.
  'a platform that does not answer': {
    files: [0],
    names: [0],
    models: [69, 'API_UNREACHABLE'],
    broken: [2, 'INVALID_PIPELINE'],
  },
};

describe.each(Object.entries(ends) as [Who, (typeof ends)[Who]][])('plan with %s', (who, table) => {
  test.each(Object.entries(table) as [File, [number, string?]][])(
    'plan of %s ends with %j',
    async (file, [exit, code]) => {
      const ran = await run(['plan', 'a.yaml', '--json'], { cwd: folder(file), env: whose[who]() });
      expect([ran.code, ran.json()['code']]).toEqual([exit, code]);
      if (exit !== 0) return;
      // A skipped optional part is reported in a note.
      const isTold = /^(?:The quota is unknown|Names were not checked): /m.test(ran.stderr);
      expect(isTold).toBe(who === 'a platform that does not answer');
    },
  );
});

test.each([
  ['explain', ['explain', 'm-1', 'a.yaml']],
  ['platform list', ['platform', 'list']],
  ['api', ['api', 'getMe']],
  ['mcp', ['mcp']],
])('%s with a wrong key exits with 4', async (_name, argv) => {
  const ran = await run(argv, { cwd: folder('models'), env: whose['a wrong key']() });
  expect([ran.code, ran.stdout]).toEqual([4, '']);
  expect(ran.stderr).toContain('RENDERLINE_API_KEY');
});
