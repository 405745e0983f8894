// The steps of combinations of nodes: their order, their waits and their retries.
import { describe, expect, it } from 'vitest';
import type { Step } from '../../src/plan/types.ts';
import { planOf, withNodes } from './_compile.ts';

const ready = '{ id: ready, type: model_ready, parentIds: [take] }';
const shots = '{ id: shots, type: render, parentIds: [ready] }';
const big = "when: 'asset.bytes > 5'";
const small = "when: '!(asset.bytes > 5)'";
const hook = 'config: { url: "https://a.example/in", secretFrom: RENDERLINE_SECRET_HOOK }';
const views = 'views: [{ name: front, template: A }, { name: back, template: B }]';
const seat = '{ matchText: Seat, matchMode: contains, material: Oak }';
const out = 'config: { connector: out }';

/** `id activity < parents`, with the step that is repeated after a failure, and the number of repeats. */
function line({ id, activity, parents, retry: redo, when }: Step): string {
  return [
    `${id} ${activity} < ${parents.join(' ')}`,
    ...(redo ? [`redo ${redo.step} ${redo.max}`] : []),
    ...(when === null ? [] : [`when ${when}`]),
  ].join(', ');
}

const stepsOf = (...nodes: string[]) => planOf(withNodes(...nodes)).steps;
/** The steps after take and ready. */
const linesOf = (...nodes: string[]) =>
  stepsOf(ready, ...nodes)
    .slice(2)
    .map(line);

const rows: [what: string, nodes: string[], lines: string[]][] = [
  [
    'a render creates its project, and waits',
    [shots],
    [
      'shots.project project_created < ready',
      'shots render < shots.project',
      'shots.wait render_complete < shots, redo shots 2',
    ],
  ],
  [
    'a render after a project node uses its project',
    [
      '{ id: p, type: project_created, parentIds: [ready] }',
      '{ id: shots, type: render, parentIds: [p] }',
    ],
    [
      'p project_created < ready',
      'shots render < p',
      'shots.wait render_complete < shots, redo shots 2',
    ],
  ],
  [
    'a render creates a project if some assets have none',
    [
      `{ id: p, type: project_created, parentIds: [ready], ${big} }`,
      '{ id: shots, type: render, parentIds: [p, ready] }',
    ],
    [
      'p project_created < ready, when asset.bytes > 5',
      'shots.project project_created < p ready',
      'shots render < shots.project',
      'shots.wait render_complete < shots, redo shots 2',
    ],
  ],
  [
    'a render with `wait: false` has no wait step',
    ['{ id: shots, type: render, parentIds: [ready], config: { wait: false } }'],
    ['shots.project project_created < ready', 'shots render < shots.project'],
  ],
  [
    'a wait node after a render replaces its wait step',
    [shots, '{ id: w, type: render_complete, parentIds: [shots] }'],
    [
      'shots.project project_created < ready',
      'shots render < shots.project',
      'w render_complete < shots, redo shots 2',
    ],
  ],
  [
    'a wait node after a side step replaces the wait step too',
    [
      shots,
      `{ id: tell, type: notify, parentIds: [shots], ${hook} }`,
      '{ id: w, type: render_complete, parentIds: [tell] }',
    ],
    [
      'shots.project project_created < ready',
      'shots render < shots.project',
      'tell notify < shots',
      'w render_complete < tell, redo shots 2',
    ],
  ],
  [
    'a wait node for only some assets does not replace the wait step',
    [shots, `{ id: w, type: render_complete, parentIds: [shots], ${big} }`],
    [
      'shots.project project_created < ready',
      'shots render < shots.project',
      'shots.wait render_complete < shots, redo shots 2',
      'w render_complete < shots.wait, redo shots 2, when asset.bytes > 5',
    ],
  ],
  [
    'a wait node after a node that needs the pictures does not replace the wait step',
    [
      shots,
      `{ id: e, type: export, parentIds: [shots], ${out} }`,
      '{ id: w, type: render_complete, parentIds: [e] }',
    ],
    [
      'shots.project project_created < ready',
      'shots render < shots.project',
      'shots.wait render_complete < shots, redo shots 2',
      'e export < shots.wait',
      'w render_complete < e, redo shots 2',
    ],
  ],
  [
    'a wait for either of two renders repeats neither',
    [
      `{ id: a, type: render, parentIds: [ready], ${big}, config: { wait: false } }`,
      `{ id: b, type: render, parentIds: [ready], ${small}, config: { wait: false } }`,
      '{ id: w, type: render_complete, parentIds: [a, b] }',
    ],
    [
      'a.project project_created < ready, when asset.bytes > 5',
      'a render < a.project',
      'b.project project_created < ready, when !(asset.bytes > 5)',
      'b render < b.project',
      'w render_complete < a b',
    ],
  ],
  [
    'two renders that exclude each other have separate steps, and meet at the export',
    [
      `{ id: a, type: render, parentIds: [ready], ${big} }`,
      `{ id: b, type: render, parentIds: [ready], ${small}, retry: { max: 1 } }`,
      `{ id: e, type: export, parentIds: [a, b], ${out} }`,
    ],
    [
      'a.project project_created < ready, when asset.bytes > 5',
      'a render < a.project',
      'a.wait render_complete < a, redo a 2',
      'b.project project_created < ready, when !(asset.bytes > 5)',
      'b render < b.project',
      'b.wait render_complete < b, redo b 1',
      'e export < a.wait b.wait',
    ],
  ],
  [
    'views choose their templates first',
    [`{ id: shots, type: render, parentIds: [ready], config: { ${views} } }`],
    [
      'shots.template template_match < ready',
      'shots.project project_created < shots.template',
      'shots render < shots.project',
      'shots.wait render_complete < shots, redo shots 2',
    ],
  ],
  [
    'a variant reads, creates a batch, waits and chooses; a failed job repeats its batch',
    [
      `{ id: v, type: variant, parentIds: [ready], config: { swapRules: [${seat}] }, retry: { max: 4 } }`,
      '{ id: shots, type: render, parentIds: [v] }',
    ],
    [
      'v.before variants_before < ready',
      'v.batch colorway_batch < v.before',
      'v.wait colorway_complete < v.batch, redo v.batch 4',
      'v variant < v.wait',
      'shots.project project_created < v',
      'shots render < shots.project',
      'shots.wait render_complete < shots, redo shots 2',
    ],
  ],
];

describe('steps of nodes', () => {
  it.each(rows)('nodes compile to their steps: %s', (_, nodes, lines) =>
    expect(linesOf(...nodes)).toEqual(lines),
  );
});

describe('all steps', () => {
  const all = rows.map(([, nodes]) => stepsOf(ready, ...nodes));

  it('all steps come after their parents, and only the first step has no parents', () => {
    for (const steps of all) {
      const seen = new Set<string>();
      for (const { id, parents } of steps) {
        expect(parents.filter((parent) => !seen.has(parent))).toEqual([]);
        expect(parents.length > 0).toBe(id !== 'take');
        seen.add(id);
      }
    }
  });

  it('steps that wait process whole shards, and others one API call each', () => {
    const batches = all.flat().map(({ mode, activity, batch }) => [activity, mode, batch]);
    const odd = batches.filter(([, mode, batch]) => batch !== (mode === 'wait' ? 250 : 50));
    // A template match calls no API operation.
    expect([...new Set(odd.map(([activity]) => activity))]).toEqual(['template_match']);
  });

  it('only notify is a side step', () => {
    const aside = all.flat().filter((step) => step.isSideStep);
    expect(aside.map(({ activity }) => activity)).toEqual(['notify']);
  });
});
