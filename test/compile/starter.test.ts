import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import {
  formatColorwayTable,
  formatStarterPipeline,
  purposes,
} from '../../src/compile/starters/index.ts';
import { compile, planOf } from './_compile.ts';

const facts = { models: 'models', folders: ['shoes', 'bags [old]'], timezone: 'Europe/Berlin' };
const starter = formatStarterPipeline('catalog', facts);

describe.each(purposes)('the starter for %s', (purpose) => {
  const text = formatStarterPipeline(purpose, facts);

  it('the starter has no problems, not even a warning', () => {
    const { ok, problems } = compile(text);
    expect(problems.filter(({ severity }) => severity !== 'note')).toEqual([]);
    expect(ok).toBe(true);
  });

  it('the starter needs no values, so it runs unchanged', () => {
    expect(planOf(text, {}).steps.at(-1)?.activity).toBe('export');
  });

  it('the starter explains each of its nodes', () => {
    const { nodes } = parse(text) as { nodes: { id: string }[] };
    for (const { id } of nodes) {
      expect(text, id).toMatch(new RegExp(`^ {2}# .+\\n {2}- id: ${id}$`, 'm'));
    }
  });

  it('the starter has commented-out lines that are also valid', () => {
    const lines = text.split('\n');
    const shown = lines.map((line) =>
      line.replace(
        /^( *)# (- \{.*\}|(?:exclude|when|limits|canary|schedule|  cron|  timezone): ?.*)$/,
        '$1$2',
      ),
    );
    expect(shown).not.toEqual(lines);
    const { problems } = compile(shown.join('\n'));
    expect(problems.filter(({ severity }) => severity !== 'note')).toEqual([]);
  });
});

it('the default folders of a catalog are relative to the file, and given ones to the working directory', () => {
  expect(planOf(starter, { out: 'elsewhere' }).connectors).toEqual({
    models: { type: 'local', path: '/pipelines/models' },
    pictures: { type: 'local', path: '/home/person/elsewhere' },
  });
});

it('a catalog creates one still image per asset by default', () => {
  const render = planOf(starter, {}).steps.find(({ id }) => id === 'shots');
  expect(render?.config).toMatchObject({
    settings: { renderShots: false, renderVariants: false },
  });
});

it('names of folders are text in the file, whatever they contain', () => {
  const odd = { ...facts, models: 'my "models": # new', folders: ['a"b', '**', '{x}'] };
  expect(planOf(formatStarterPipeline('catalog', odd), {}).connectors).toMatchObject({
    models: { path: '/pipelines/my "models": # new' },
  });
});

it('a table of colorways is quoted as CSV requires', () => {
  const table = formatColorwayTable([{ key: 'a,b', slot: 'say "seat"' }]);
  expect(table.split('\n')[1]).toBe('"a,b",Oak,"say ""seat""",Oak');
});
