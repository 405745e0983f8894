// Opens tables (`data:`) of a pipeline from files in memory.
import { openRows } from '../../src/engine/rows/open-rows.ts';
import type { AssetSource } from '../../src/plan/types.ts';
import { planOf, withNodes } from '../compile/_compile.ts';
import { MemoryConnector } from '../connectors/_memory-connector.ts';
import { sourceOf } from '../store/_store.ts';

/** Tables of a pipeline whose file names show `row.NAME` of these columns. */
export async function open(
  files: Record<string, string | Buffer>,
  tables: string,
  columns: string[],
  { key, nodes = [] }: { key?: string; nodes?: string[] } = {},
) {
  const shown = columns.map((name) => `{{ row.${name} }}`).join('-');
  const text = withNodes(
    '{ id: ready, type: model_ready, parentIds: [take] }',
    ...nodes,
    `{ id: shots, type: render, parentIds: [${nodes.length > 0 ? 'grid' : 'ready'}], config: { settings: {} } }`,
    `{ id: deliver, type: export, parentIds: [shots], config: { connector: out, naming: "{{ key }}${shown}.{{ ext }}" } }`,
  ).replace('records: out', `data: ${tables}\n${key === undefined ? '' : `key: '${key}'\n`}`);
  const { discovery } = planOf(text);
  const connector = new MemoryConnector();
  for (const [path, content] of Object.entries(files))
    await connector.write(path, Buffer.from(content));
  const rows = await openRows(discovery.rows, {
    getConnector: () => connector,
    grid: discovery.grid ?? [],
  });
  if (rows === null) throw new Error('the plan has no tables');
  return rows;
}

export const table = (more = '') => `{ p: { connector: models, path: p.csv, key: Style${more} } }`;

export const valuesOf = (
  rows: Awaited<ReturnType<typeof open>>,
  key: string,
  source?: AssetSource,
) => {
  const found = rows.rowOf(key, source ?? sourceOf(key));
  if (found === 'skipped') return found;
  return 'row' in found ? found.row.values : `${found.failure.code}: ${found.message}`;
};
