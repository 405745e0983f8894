// What a plan says about the cells of a model that a run would withdraw.
import { expect, it, vi } from 'vitest';
import { App } from '../../../src/app/app.ts';
import { previewWithdrawal } from '../../../src/app/plan/withdrawal-preview.ts';
import { openConnector } from '../../../src/connectors/index.ts';
import type { Plan } from '../../../src/plan/types.ts';
import { folderWith } from '../../cli/_folder.ts';
import { deliveredCells, rulesOf } from '../../features/_withdrawal.ts';
import { storeOn } from '../../store/_store.ts';

it('the records of a model are read once for all its withdrawn cells', async () => {
  const folder = folderWith({});
  const pictures = { type: 'local', path: folder };
  const connector = openConnector(pictures);
  await deliveredCells(connector, 'Oak', 'Navy', 'Moss');
  const store = storeOn(connector, 'second');
  const index = await store.records.index();
  const records = await store.records.cellsOf('chair');
  const missing = records.flatMap((record) => {
    const entry = index.get(record.key);
    return entry === null ? [] : [{ record, entry }];
  });
  const plan = { connectors: { pictures }, withdrawn: rulesOf('archive'), steps: [] };
  const cellsOf = vi.spyOn(store.records, 'cellsOf');

  const report = await previewWithdrawal(
    new App({ env: {}, cwd: folder }),
    plan as unknown as Plan,
    { missingSources: { records: missing, warnings: [] }, assets: [], store },
  );

  expect(report).toMatchObject({ assets: 3, archived: 4, deleted: 0 });
  expect(report?.files.map(({ path }) => path).sort()).toEqual([
    'ar/chair.glb',
    'chair/Moss.png',
    'chair/Navy.png',
    'chair/Oak.png',
  ]);
  expect(cellsOf).toHaveBeenCalledTimes(1);
});
