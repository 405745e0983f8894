// The compiled plan of every shipped pipeline. A changed plan changes what runs do, so check that it is intended.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { compileText } from '../../src/compile/compile.ts';
import { formatStarterPipeline } from '../../src/compile/starters/index.ts';
import { expectGolden } from './_golden.ts';

const folder = fileURLToPath(new URL('../../pipelines/', import.meta.url));
const facts = { models: 'models', folders: ['shoes'], timezone: 'Europe/Berlin' };
const pipelines: [name: string, text: string][] = [
  ...readdirSync(folder)
    .filter((name) => /^[\w-]+\.yaml$/.test(name))
    .map((name): [string, string] => [name, readFileSync(folder + name, 'utf8')]),
  ['starter.yaml', formatStarterPipeline('catalog', facts)],
];

it('the shipped pipelines include catalog.yaml', () => {
  expect(pipelines.map(([name]) => name)).toContain('catalog.yaml');
});

it.each(pipelines)('%s compiles to the plan in its golden file', (name, text) => {
  // The folders are absolute, so that the plan is the same on every machine.
  const { plan, problems } = compileText(text, name, {
    cwd: '/',
    environment: {},
    fileFolder: '/',
    // Pipelines over objects of the platform have no folder parameter.
    parameters: {
      ...(text.includes('params.folder') ? { folder: '/models' } : {}),
      ...(text.includes('params.out') ? { out: '/pictures' } : {}),
      ...(text.includes('params.tag') ? { tag: 'tag-1' } : {}),
    },
  });
  expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  expectGolden(`plan-${name.replace('.yaml', '')}`, plan);
});
