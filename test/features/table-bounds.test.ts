// Tables are limited in cells and rows before they are parsed: megabytes of commas must not kill a worker.
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { openPlanGrid } from '../../src/features/grid/dimensions.ts';
import { maxCells, readColorwayTable } from '../../src/features/variants/grid/colorway-table.ts';
import { parseCsv } from '../../src/tables/parse-csv.ts';
import { MemoryConnector } from '../connectors/_memory-connector.ts';
import { textFile } from '../engine/_table-file.ts';
import { workbook } from '../engine/_workbook.ts';

const head = 'model,colorway,slot,material\n';
const row = 'oslo,Oak,seat,Walnut\n';
const many = maxCells + 1;

it.each([
  ['with one row of commas', 'a.csv', ','.repeat(many)],
  ['with many rows of commas', 'a.csv', head + row + ',,,\n'.repeat(many / 4)],
  ['with only empty lines', 'a.csv', head + row + '\n'.repeat(many)],
  ['with semicolons and tabs', 'a.csv', ';\t'.repeat(many / 2)],
  ['with empty objects', 'a.jsonl', '{}\n'.repeat(many)],
  [
    'whose sep= line specifies an unusual delimiter',
    'a.csv',
    `sep=|\n${head.replaceAll(',', '|')}${'|'.repeat(many)}`,
  ],
  [
    'with nested lists',
    'a.jsonl',
    `{"model":${'['.repeat(9_900)}${']'.repeat(9_900)}}\n`.repeat(many / 9_900),
  ],
])('a table %s is refused', async (_, path, text) => {
  await expect(readColorwayTable(textFile(text, path))).rejects.toThrow(
    /more than 2000000 cells; delete empty rows and columns/,
  );
});

it.each([
  ['a.csv', `${head}oslo,Oak,seat,${'x'.repeat(30_000)}`, /record|size/i],
  ['a.jsonl', `{"model":"${'x'.repeat(30_000)}"}`, /line 1: is longer than 20000 characters/],
])('an overlong row of %s is refused', async (path, text, message) => {
  await expect(readColorwayTable(textFile(text, path))).rejects.toThrow(message);
});

it('a table with many empty cells is read', async () => {
  const table = await readColorwayTable(textFile(head + row + ',,,\n'.repeat(50_000), 'a.csv'));
  expect(table).toMatchObject([{ model: 'oslo', colorway: 'Oak' }]);
});

describe('parsing CSV in a process', () => {
  const rows = Array.from({ length: 50_000 }, (_, at) => `m${at},Oak,seat,${'x'.repeat(400)}`);
  const request = () => ({
    utf8: new TextEncoder().encode(rows.join('\n')),
    options: {},
    wanted: [0, 1, 2, 3],
  });
  const take = () => undefined;

  it("the process's memory is limited: a table above the limit fails, and the worker continues", async () => {
    const bounds = { memoryBytes: 4 * 1024 ** 2, timeoutMs: 600_000 };
    await expect(parseCsv(request(), take, bounds)).rejects.toThrow(
      /^needs more than 4 MiB to be read;/,
    );
  });

  it("the process's run time is limited", async () => {
    const bounds = { memoryBytes: 512 * 1024 ** 2, timeoutMs: 1 };
    await expect(parseCsv(request(), take, bounds)).rejects.toThrow(
      /^needs more than 0.001 s to be read;/,
    );
  });

  it('the main thread keeps working while CSV is parsed', async () => {
    let isRead = false;
    let turns = 0;
    let taken = 0;
    const reading = parseCsv(request(), () => (taken += 1)).finally(() => (isRead = true));
    while (!isRead) {
      await new Promise((resolve) => setImmediate(resolve));
      turns += 1;
    }
    await reading;
    // The first row is the headings.
    expect(taken).toBe(rows.length - 1);
    expect(turns).toBeGreaterThan(10);
  });
});

it('a workbook with a cell far beyond any sheet fails, and the worker continues', async () => {
  const parts = unzipSync(workbook({ S: [['model'], ['oslo']] }));
  const name = 'xl/worksheets/sheet0.xml';
  const xml = strFromU8(parts[name] ?? new Uint8Array());
  const cell = '<c r="ZZZZZZ99999999999"><v>1</v></c>';
  parts[name] = strToU8(xml.replace(/<row r="2">.*<\/row>/, `<row r="2">${cell}</row>`));
  const file = { bytes: zipSync(parts), path: 'a.xlsx', sheet: undefined };
  await expect(readColorwayTable(file)).rejects.toThrow(/needs more than 512 MiB to be read;/);
});

it('the number of materials that glob rows assign to models is limited', async () => {
  const connector = new MemoryConnector();
  const rows = Array.from({ length: 50_000 }, (_, at) => `*,Oak,slot${at},Walnut\n`);
  await connector.write('a.csv', Buffer.from(head + rows.join('')));
  const spec = { from: 'table', connector: 'in', path: 'a.csv', matchMode: 'exact' } as const;
  const context = { parameters: {}, getConnector: () => connector };
  const grid = await openPlanGrid({ grid: [{ name: 'colorway', node: 'v', spec }] }, context);
  const source = { path: 'm.glb', bytes: 1, mtimeMs: 0, version: '1' };
  const models = Array.from({ length: 101 }, (_, at) => `m${at}`);
  for (const model of models.slice(1)) {
    expect(grid?.cellsOf(model, source)).toMatchObject([{ key: expect.stringContaining(model) }]);
  }
  expect(() => grid?.cellsOf('m0', source)).toThrow(
    /a\.csv .*more than 5000000 materials to the models that are listed at once; match fewer/,
  );
});
