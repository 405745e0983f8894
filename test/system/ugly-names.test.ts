// File names with line breaks, escape sequences and bidirectional controls, in every command that shows names: a line
// stays a line, and no name controls the terminal.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { runInProcess, terminalOutput } from './_in-process.ts';
import { writeModels } from './_models.ts';
import {
  createPipelineFolder,
  type PipelineFolder,
  reportOf,
  runArguments,
  useProduct,
} from './_runs.ts';
import { useTemporal } from './_temporal.ts';

const temporal = useTemporal();
const product = useProduct(temporal);

const [red, plain] = ['\u001b[31m', '\u001b[39m'];
const color = new RegExp(`${'\u001b'}\\[\\d+m`, 'g');
const lie = 'error ALL IS LOST';
const ugly = (name: string) => `${name}\n${lie}\r\u001b[2K\u001b[31mred\u202e\u2028`;
const good = ugly('good');
const bad = ugly('bad');
let place: PipelineFolder;
let run = '';
let model = '';

beforeAll(async () => {
  place = await createPipelineFolder('ugly');
  await writeModels(place.folder, [good, 'plain']);
  await mkdir(place.folder, { recursive: true });
  await writeFile(join(place.folder, `${bad}.glb`), 'no model');
  const args = runArguments(place, '--wait', '--json');
  const report = reportOf(await runInProcess(args, product.env), 3);
  run = report.run;
  const shown = await runInProcess(['show', run, '--json'], product.env);
  const { results } = JSON.parse(shown.stdout) as {
    results: { key: string; platformIds: { modelId?: string } }[];
  };
  // JSON contains the names unchanged.
  expect(results.map(({ key }) => key).sort()).toEqual([bad, good, 'plain'].sort());
  model = results.find(({ key }) => key === good)?.platformIds.modelId ?? '';
});

const parameters = () => runArguments(place).slice(2);
/** Commands that show names of assets. The pattern is null if a command prints neither of the two ugly names. */
const commands: [string, () => string[], RegExp | null][] = [
  [
    'show',
    () => ['show', run],
    /good\\nerror ALL IS LOST\\r\\u001b\[2K\\u001b\[31mred\\u202e\\u2028/,
  ],
  ['show --wait', () => ['show', run, '--wait', '--all'], /good\\n/],
  ['runs', () => ['runs', '--paid'], null],
  ['failures', () => ['failures', run], /bad\\n/],
  ['failures of the latest run', () => ['failures'], /bad\\n/],
  ['find', () => ['find', model, place.file, ...parameters()], /good\\n/],
  ['explain', () => ['explain', good, place.file, ...parameters()], /good\\n/],
  ['explain, unknown', () => ['explain', ugly('other'), place.file, ...parameters()], /other/],
  ['plan', () => ['plan', place.file, ...parameters()], /bad\\n/],
  ['plan --only', () => ['plan', place.file, ...parameters(), '--force', '--only', '*'], /good\\n/],
  ['rerun --dry-run', () => ['rerun', run, '--failed', '--dry-run'], /bad\\n/],
  ['clean --dry-run', () => ['clean', place.file, ...parameters(), '--dry-run'], null],
  ['report', () => ['report', run, '--format', 'csv', '--output', join(place.root, 'r.csv')], null],
  ['doctor', () => ['doctor', place.file, ...parameters()], null],
  ['run --wait', () => runArguments(place, '--wait'), /bad\\n/],
];

test.each(commands)('the output of %s escapes names', async (_name, args, shows) => {
  const written = await terminalOutput(args(), product.env);
  expect(written).not.toMatch(new RegExp(`^\\s*${lie}`, 'm'));
  // Only the program sets colours: a colour of a name would be one more start without an end.
  const starts = written.split(red).length;
  const ends = written.split(plain).length;
  expect(ends).toBeGreaterThanOrEqual(starts);
  const hidden = ['\u001b', '\r', '\u202e', '\u2028'];
  const words = written.replaceAll(color, '');
  expect(hidden.filter((one) => words.includes(one))).toEqual([]);
  if (shows !== null) expect(written).toMatch(shows);
});
