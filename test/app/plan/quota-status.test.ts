// The render quota of the month in a plan.
import { expect, it, test } from 'vitest';
import { App } from '../../../src/app/app.ts';
import { planPipeline } from '../../../src/app/plan/plan-pipeline.ts';
import { formatQuotaStatus, noteExceededQuota } from '../../../src/app/plan/quota-status.ts';
import { openConnector } from '../../../src/connectors/index.ts';
import { openQuotaCounts } from '../../../src/features/quota-counts.ts';
import { monthOf } from '../../../src/language/calendar/month.ts';
import { folderWith } from '../../cli/_folder.ts';
import { triangleGlb } from '../../glb/_make-glb.ts';

const renders = `  - { id: shots, type: render, parentIds: [ready] }
  - { id: deliver, type: export, parentIds: [shots], config: { connector: pictures } }`;
const productionFiles =
  '  - { id: deliver, type: export, parentIds: [ready], config: { connector: pictures, what: [production_files] } }';

const pipeline = (quota: string, nodes: string) => `name: trial
limits: { renders: ${quota} }
connectors:
  models: { type: local, path: ./models }
  pictures: { type: local, path: ./out }
nodes:
  - { id: take, type: connector_poll, config: { connector: models, stableFor: 0s } }
  - { id: ready, type: model_ready, parentIds: [take] }
${nodes}
`;

/** The plan of three models after earlier renders of the month. */
async function plan(quota: string, earlier = 0, nodes = renders) {
  const models = Object.fromEntries(
    ['a', 'b', 'c'].map((key) => [`models/${key}.glb`, triangleGlb()]),
  );
  const cwd = folderWith({ 'trial.yaml': pipeline(quota, nodes), ...models });
  const notes: string[] = [];
  const app = new App({ env: {}, cwd, onNote: (text) => notes.push(text) });
  const { plan } = await planPipeline(app, 'trial.yaml');
  const { name: month } = monthOf(app.now(), 'UTC');
  if (earlier > 0)
    await openQuotaCounts(plan, openConnector)?.reserve(
      { month, key: 'earlier', renders: earlier },
      1_000,
    );
  const { shape } = await planPipeline(app, 'trial.yaml');
  return { app, plan, shape, notes, month };
}

it.each([
  ['nothing is used', '{ perMonth: 10 }', 0, { used: 0, left: 10, needed: 3, excess: 0 }],
  ['all renders fit', '{ perMonth: 10 }', 7, { used: 7, left: 3, needed: 3, excess: 0 }],
  ['one render does not fit', '{ perMonth: 10 }', 8, { used: 8, left: 2, needed: 3, excess: 1 }],
  ['it is used up', '{ perMonth: 10 }', 10, { used: 10, left: 0, needed: 3, excess: 3 }],
  ['it was lowered', '{ perMonth: 5 }', 7, { used: 7, left: 0, needed: 3, excess: 3 }],
  [
    'other pipelines of the workspace count',
    '{ perMonth: 5, per: workspace, at: models }',
    4,
    { used: 4, left: 1, needed: 3, excess: 2 },
  ],
])('a plan shows the quota if %s', async (_what, quota, earlier, expected) => {
  const { shape } = await plan(quota, earlier);
  expect(shape.renderQuota).toMatchObject(expected);
});

it('the use of a quota is unknown if no run has counted at its own location, which may be missing', async () => {
  const { shape, notes } = await plan('{ perMonth: 5, per: workspace, at: models }');
  expect(shape.renderQuota).toMatchObject({ used: null, left: null });
  expect(notes).toContainEqual(expect.stringMatching(/^No run has counted renders in .*models/));
});

it('a start prints a note about renders that exceed the quota, and none if all fit', async () => {
  const exceeded = await plan('{ perMonth: 2, onBreach: wait }');
  await noteExceededQuota(exceeded.app, exceeded.plan, null);
  const until = exceeded.shape.renderQuota?.until.slice(0, 10) ?? '';
  expect(exceeded.notes).toEqual([
    `renders of ${exceeded.month} (UTC) by this pipeline: 0 of 2 used, 2 left; the run needs 3, so 1 render waits until ${until} 00:00 UTC`,
  ]);
  const fits = await plan('{ perMonth: 3 }');
  await noteExceededQuota(fits.app, fits.plan, { renders: 3, max: false });
  expect(fits.notes).toEqual([]);
});

it('a start does not count models that the run refuses', async () => {
  const { app, plan: of, notes, month } = await plan('{ perMonth: 2 }');
  await openConnector(of.connectors['models'] ?? { type: '' }).write('d.glb', Buffer.from('none'));
  await noteExceededQuota(app, of, null);
  expect(notes).toEqual([
    expect.stringContaining(
      `of ${month} (UTC) by this pipeline: 0 of 2 used, 2 left; the run needs 3, so 1 render fails`,
    ),
  ]);
});

it.each([
  [
    3,
    ': 0 of 3 used, 3 left; the run needs at least 3 (each variant of a production file is a render)',
  ],
  [150, null],
])(
  'a start with production files and a quota of %d renders prints a note only if the quota may be exceeded',
  async (perMonth, note) => {
    const {
      app,
      plan: of,
      shape,
      notes,
      month,
    } = await plan(`{ perMonth: ${perMonth} }`, 0, productionFiles);
    expect(shape.renderQuota).toMatchObject({ needed: 3, excess: 0, min: true });
    await noteExceededQuota(app, of, null);
    expect(notes).toEqual(
      note === null ? [] : [`renders of ${month} (UTC) by this pipeline${note}`],
    );
  },
);

it('a count that cannot be read is unknown, and a file without a quota has none', async () => {
  const { app, plan: of, month } = await plan('{ perMonth: 10 }', 4);
  await openConnector(of.records).write(
    `.renderline/trial/renders/${month}/000002.json`,
    Buffer.from('{'),
  );
  const { shape } = await planPipeline(app, 'trial.yaml');
  expect(shape.renderQuota).toMatchObject({ used: null, left: null, excess: null, needed: 3 });
  expect((await plan('10')).shape.renderQuota).toBeNull();
});

const status = {
  perMonth: 5_000,
  per: 'workspace',
  timezone: 'Europe/Berlin',
  onBreach: 'stop',
  month: '2026-11',
  until: '2026-11-30T23:00:00.000Z',
  used: 4_980,
  left: 20,
  needed: 40,
  excess: 20,
  min: false,
} as const;
const head = 'renders of 2026-11 (Europe/Berlin) by all pipelines of the workspace: ';

test.each([
  [
    status,
    false,
    '4,980 of 5,000 used, 20 left; the run needs 40, so 20 renders fail with RENDER_QUOTA_REACHED and can be rerun after 2026-11-30 23:00 UTC',
  ],
  [
    { ...status, onBreach: 'wait' } as const,
    true,
    '4,980 of 5,000 used, 20 left; the run needs at most 40, so at most 20 renders wait until 2026-11-30 23:00 UTC',
  ],
  [
    { ...status, min: true },
    false,
    '4,980 of 5,000 used, 20 left; the run needs at least 40 (each variant of a production file is a render), so at least 20 renders fail with RENDER_QUOTA_REACHED and can be rerun after 2026-11-30 23:00 UTC',
  ],
  [
    { ...status, needed: 20, excess: 0, min: true },
    true,
    '4,980 of 5,000 used, 20 left; the run needs about 20 (each variant of a production file is a render)',
  ],
  [{ ...status, needed: 20, excess: 0 }, false, '4,980 of 5,000 used, 20 left; the run needs 20'],
  [
    { ...status, used: null, left: null, excess: null },
    false,
    'it is unknown how many of 5,000 are used; the run needs 40',
  ],
])('the status of the quota is one line', (given, max, line) => {
  expect(formatQuotaStatus(given, max)).toBe(head + line);
});
