// `renderline plan` looks up the names of a file on the platform, as the run does before it creates anything.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startSandbox } from '../../packages/sandbox/src/server/server.ts';
import { triangleGlb } from '../../packages/sandbox/test/_test-sandbox.ts';
import type { RunningSandbox } from '../../src/sandbox/interface.ts';
import { folderWith } from './_folder.ts';
import { run } from './_run-cli.ts';

let sandbox: RunningSandbox;
let env: Record<string, string>;

beforeAll(async () => {
  sandbox = await startSandbox({ seed: 1, pictureScale: 0, rateLimit: 0, speed: 1000 });
  env = { RENDERLINE_BASE_URL: sandbox.url, RENDERLINE_API_KEY: sandbox.apiKey };
});

afterAll(() => sandbox.stop());

const file = (...nodes: string[]) => `name: trial
connectors: { in: { type: local, path: in } }
records: in
nodes:
  - { id: take, type: connector_poll, config: { connector: in, stableFor: 0s } }
  - { id: ready, type: model_ready, parentIds: [take] }
${nodes.map((node) => `  - { ${node} }\n`).join('')}`;

const swaps = (material: string, more = '') =>
  `id: oak, type: variant, parentIds: [ready]${more}, config: { swapRules: [{ matchText: seat, matchMode: exact, ${material} }] }`;
const looks = (config: string) =>
  `id: look, type: template_match, parentIds: [ready], config: ${config}`;
const marks = (values: string) =>
  `id: mark, type: set_properties, parentIds: [ready], config: { values: ${values} }`;

async function plan(text: string, models = ['chair.glb'], where = env) {
  const cwd = folderWith({ 'a.yaml': text });
  mkdirSync(join(cwd, 'in'));
  for (const name of models) writeFileSync(join(cwd, 'in', name), triangleGlb(['seat']));
  const ran = await run(['plan', 'a.yaml', '--json'], { cwd, env: where });
  return { code: ran.code, names: ran.json()['names'] };
}

describe('a name that does not exist', () => {
  test.each([
    ['material', swaps('material: Oak'), 'oak', 'MATERIAL_NOT_FOUND'],
    ['material id', swaps('materialId: m-1'), 'oak', 'MATERIAL_NOT_FOUND'],
    ['template', looks('{ default: Nowhere }'), 'look', 'TEMPLATE_NOT_FOUND'],
    [
      'template of a rule',
      looks('{ rules: [{ glob: "**", template: Nowhere }], default: Studio White }'),
      'look',
      'TEMPLATE_NOT_FOUND',
    ],
    ['property', marks('{ Saison: Winter }'), 'mark', 'PROPERTY_NOT_FOUND'],
  ])(
    'plan with an unknown %s exits with 5, and prints the node and a fix',
    async (_name, node, id, code) => {
      const problem = { node: id, code, kind: 'not-found', fix: expect.stringMatching(/\w/) };
      expect(await plan(file(node))).toMatchObject({ code: 5, names: [problem] });
    },
  );

  test('an unknown name is reported with all others of the same node', async () => {
    const rules = '{ rules: [{ glob: "a", template: Nowhere }], default: Studio\u00a0White }';
    const { names } = await plan(file(looks(rules), marks('{ Saison: x, Shade: y }')));
    expect(names).toMatchObject([
      {
        node: 'look',
        message: expect.stringMatching(
          /"Nowhere".*; no template .*U\+00A0 at position 7/,
        ) as string,
      },
      { node: 'mark', message: expect.stringMatching(/"Saison".*"Shade"/) as string },
    ]);
  });

  test('an unknown name is reported with all others of the file', async () => {
    const text = file(swaps('material: Oak'), looks('{ default: Nowhere }'));
    expect(await plan(text)).toMatchObject({ code: 5, names: [{ node: 'oak' }, { node: 'look' }] });
  });
});

describe('a plan without an unknown name', () => {
  test.each<[string, string, string[] | undefined, Record<string, string> | undefined, unknown]>([
    ['the name exists', file(looks('{ default: Studio White }')), undefined, undefined, []],
    ['nothing is named', file(), undefined, undefined, null],
    ['there are no assets', file(swaps('material: Oak')), [], undefined, null],
    ['no platform is set', file(swaps('material: Oak')), undefined, {}, null],
    [
      'a condition may exclude all assets',
      file(swaps('material: Oak', ', when: "asset.bytes > 1000000"')),
      undefined,
      undefined,
      null,
    ],
  ])('plan reports no unknown name if %s', async (_name, text, models, where, names) => {
    expect(await plan(text, models, where)).toEqual({ code: 0, names });
  });
});
