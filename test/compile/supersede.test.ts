// The field `supersede` for old versions of changed files, and where it is allowed.
import { describe, expect, it } from 'vitest';
import { compile, placesOf, planOf } from './_compile.ts';

/** `supersede` is on line 4, the root on line 6. */
const withRoot = (root: string, supersede = 'delete-after-success') =>
  [
    'name: test',
    'connectors: { out: { type: local, path: out } }',
    'records: out',
    `supersede: ${supersede}`,
    'nodes:',
    `  - { id: first, type: ${root} }`,
  ].join('\n');
const files = 'connector_poll, config: { connector: out }';
const library = 'library_import, config: { connector: out, props: { include: ["**"] } }';
const models = 'model_ready, config: { select: { models: {} } }';
const colorways =
  'variant, config: { modelScope: { type: all }, swapRules: [{ matchText: a, matchMode: exact, material: b }] }';

describe('supersede', () => {
  it.each([
    ['files', withRoot(files), []],
    ['files for the library', withRoot(library), []],
    ['models on the platform', withRoot(models), ['4:1 RL414']],
    ['models of events', withRoot('model_ready, config: { on: model.processed }'), ['4:1 RL414']],
    ['models of a scope', withRoot(colorways), ['4:1 RL414']],
    ['models on the platform, which are kept', withRoot(models, 'keep'), []],
    ['an unknown policy', withRoot(files, 'delete'), ['4:12 RL204']],
    // RL414 is not reported in addition.
    ['a node that cannot be a root', withRoot('render'), ['6:11 RL405']],
  ])('supersede is accepted, or is refused at its position: %s', (_what, text, places) => {
    expect(placesOf(text)).toEqual(places);
  });

  it('supersede is refused with the reason and a fix', () => {
    const { problems } = compile(withRoot(models));
    expect(problems.find(({ code }) => code === 'RL414')).toMatchObject({
      message:
        '"first" selects existing objects of the platform; a pipeline deletes only versions that it uploaded itself',
      hint: 'Remove `supersede`, or start with a connector_poll or library_import node.',
    });
  });

  it('supersede is in the plan, and does not change the recipe', () => {
    const deleting = planOf(withRoot(files));
    const keeping = planOf(withRoot(files, 'keep'));
    expect(deleting.supersede).toBe('delete-after-success');
    expect(keeping.supersede).toBeUndefined();
    expect(deleting.recipe).toBe(keeping.recipe);
  });
});
