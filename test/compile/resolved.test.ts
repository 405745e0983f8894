// `validate --resolved` writes a pipeline file without shared parts that compiles to the same plan.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { CompileResult } from '../../src/compile/compile.ts';
import { createResolvedFile } from '../../src/compile/shared/resolved-file.ts';
import { nodeTypes } from '../../src/features/index.ts';
import { compile } from './_compile.ts';
import { bare, compileIn, connectors } from './_shared.ts';

const folder = fileURLToPath(new URL('../../pipelines/', import.meta.url));
const shipped = readdirSync(folder).filter((name) => /^[\w-]+\.yaml$/.test(name));
const examples: [name: string, text: string][] = [
  ...shipped.map((name): [string, string] => [name, readFileSync(folder + name, 'utf8')]),
  ...nodeTypes.map(({ type, example }): [string, string] => [`example of ${type}`, example]),
];
const values = { folder: '/models', out: '/pictures', tag: 'spring' };

function resolvedOf({ document, problems }: CompileResult) {
  if (document === null) throw new Error(JSON.stringify(problems));
  return createResolvedFile(document);
}

/** Values for the parameters that a text declares. */
function valuesFor(text: string): Record<string, unknown> {
  const { parameters = {} } = parse(text) as { parameters?: object };
  return Object.fromEntries(Object.entries(values).filter(([name]) => name in parameters));
}

describe('the plan of the resolved file', () => {
  it.each(examples)('the resolved file compiles to the same plan: %s', (_, text) => {
    const compiled = compile(text, valuesFor(text));
    expect(compiled.plan).not.toBeNull();
    expect(compile(resolvedOf(compiled).text, valuesFor(text)).plan?.hash).toBe(
      compiled.plan?.hash,
    );
  });

  /** Moves all fields that are allowed in a shared part from the example to a part. */
  it.each(examples)(
    'the resolved file compiles to the same plan with shared parts: %s',
    async (_, text) => {
      const { connectors: places, parameters, tolerate, limits, notify, ...own } = parse(text);
      const defaults: Record<string, { config: unknown }> = {};
      for (const node of own.nodes) {
        // Exports of models and of pictures have different options.
        const isOneOfSome =
          own.nodes.filter(({ type }: { type: string }) => type === node.type).length > 1;
        if (node.config === undefined || isOneOfSome) continue;
        defaults[node.type] = { config: node.config };
        delete node.config;
      }
      const shared = { connectors: places, parameters, tolerate, limits, notify, defaults };
      const compiled = await compileIn(
        {
          'p.yaml': JSON.stringify({ ...own, include: 'a.shared.yaml' }),
          'a.shared.yaml': JSON.stringify(shared),
        },
        valuesFor(text),
      );
      expect(compiled.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
      const resolved = resolvedOf(compiled);
      const again = await compileIn({ 'p.yaml': resolved.text }, valuesFor(text));
      expect(again.plan?.recipe).toBe(compiled.plan?.recipe);
      expect(again.plan?.steps).toEqual(compiled.plan?.steps);
      expect(resolved.shared.length).toBeGreaterThan(0);
      expect(parse(resolved.text)).toEqual(resolved.pipeline);
    },
  );

  it.each([
    [
      'a number that is text',
      'config: { naming: "{{ key }}.{{ ext }}", verify: { minWidth: 0500 } }',
    ],
    ['text that looks like a number', 'config: { naming: "0510" }'],
    ['several lines', 'config: { production: { factoryNote: "one\\ntwo: # three" } }'],
    [
      'characters that act on a terminal',
      'config: { naming: "\\u202e\\u009b{{ key }}.{{ ext }}" }',
    ],
  ])('the resolved file compiles to the same plan with %s', async (_, config) => {
    const files = {
      'p.yaml': bare,
      'all.shared.yaml': `${connectors}\ndefaults: { export: { ${config} } }`,
    };
    const { text } = resolvedOf(await compileIn(files));
    const stays = await compileIn({ 'p.yaml': text });
    expect(stays.plan?.steps).toEqual((await compileIn(files)).plan?.steps);
    expect(text).not.toMatch(/[\u0080-\u009f\u202e]/);
  });
});

it('the resolved file contains the origin of each shared value', async () => {
  const { text, shared } = resolvedOf(
    await compileIn({
      'p.yaml': bare.replace(
        'parentIds: [ready]',
        'parentIds: [ready], config: { settings: { imageQuality: 0 } }',
      ),
      'all.shared.yaml': [
        connectors,
        '  unused: { type: local, path: unused }',
        'defaults:',
        '  render:',
        '    timeout: 4h',
        '    config: { settings: { imageQuality: 2, imageFormat: TIFF } }',
      ].join('\n'),
    }),
  );
  expect(shared).toEqual([
    { path: 'connectors.models', file: 'all.shared.yaml', line: 2 },
    { path: 'connectors.out', file: 'all.shared.yaml', line: 3 },
    { path: 'nodes[2].config.settings.imageFormat', file: 'all.shared.yaml', line: 8 },
    { path: 'nodes[2].timeout', file: 'all.shared.yaml', line: 7 },
  ]);
  expect(text).toContain(
    [
      '    config:',
      '      settings:',
      '        imageQuality: 0',
      '        # all.shared.yaml:8',
      '        imageFormat: TIFF',
      '    # all.shared.yaml:7',
      '    timeout: 4h',
    ].join('\n'),
  );
});

it('the resolved file keeps parameters as they are written', async () => {
  const { text } = resolvedOf(
    await compileIn(
      {
        'p.yaml': bare,
        'all.shared.yaml': `parameters: { to: { type: path } }\n${connectors.replace('path: out', 'path: "${{ params.to }}"')}`,
      },
      { to: '/private' },
    ),
  );
  expect(text).toContain('path: ${{ params.to }}');
  expect(text).not.toContain('/private');
});

it('the resolved file matches the example in docs/how-to/shared-parts.md', async () => {
  const page = readFileSync('docs/how-to/shared-parts.md', 'utf8').replaceAll('\n   ', '\n');
  const [, part = '', file = ''] = page.split('```yaml\n').map((text) => text.split('```')[0]);
  const [, shown = ''] = page.split('…\n');
  const files = { 'studio.shared.yaml': part, 'p.yaml': file };
  expect(resolvedOf(await compileIn(files)).text).toContain(shown.split('```')[0]);
  expect((await compileIn(files)).plan).not.toBeNull();
});
