// Pipelines with the same name in two folders: the second takes over schedule and trigger only with `--take`.
import { realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { PipelineChange } from '../../src/app/apply/planned-change.ts';
import type { ScheduleChange } from '../../src/app/apply/schedule-changes.ts';
import { runInProcess } from './_in-process.ts';
import { errorOf } from './_runs.ts';
import { type CommandResult, tempFolder } from './_stack.ts';
import { useTemporal } from './_temporal.ts';

const temporal = useTemporal();

/** A pipeline in a folder of its own. */
async function madeIn(folder: string) {
  const file = join(await tempFolder(folder), 'shared.yaml');
  const write = (nodes: string, more: string[] = []) =>
    writeFile(
      file,
      [
        'name: shared',
        'connectors: { m: { type: local, path: /m } }',
        'records: m',
        nodes,
        ...more,
      ].join('\n'),
    );
  const apply = (...flags: string[]): Promise<CommandResult> =>
    runInProcess(['apply', file, '--json', ...flags], {
      ...temporal.env,
      RENDERLINE_TASK_QUEUE: 'q',
    });
  const changes = async (...flags: string[]) => {
    const applied = await apply(...flags);
    expect(applied, applied.stderr + applied.stdout).toMatchObject({ code: 0 });
    return JSON.parse(applied.stdout) as {
      changes: ScheduleChange[];
      eventTriggers: PipelineChange[];
    };
  };
  await write('nodes: []');
  return { path: await realpath(file), write, apply, changes };
}

const poll = 'nodes: [{ id: take, type: connector_poll, config: { connector: m } }]';
const cron = (...lines: string[]) => ['schedule:', ...lines.map((line) => `  ${line}`)];

test('a schedule of another folder is taken over only with --take', async () => {
  const mine = await madeIn('mine');
  const theirs = await madeIn('theirs');
  await mine.write(poll, cron('cron: "0 2 * * *"'));
  expect((await mine.changes()).changes).toMatchObject([{ change: 'create', takenFrom: null }]);

  await theirs.write(poll, cron('cron: "0 2 * * *"'));
  expect((await theirs.changes()).changes).toMatchObject([
    { change: 'unchanged', takenFrom: null },
  ]);
  await theirs.write(poll, cron('cron: "30 3 * * *"'));
  const dry = await theirs.changes('--dry-run');
  expect(dry.changes).toMatchObject([{ change: 'update', takenFrom: mine.path }]);
  const refused = errorOf(await theirs.apply(), 2);
  expect(refused.code).toBe('OF_ANOTHER_FILE');
  expect(refused.message).toContain(`"shared" belongs to ${mine.path}`);
  expect((await mine.changes()).changes).toMatchObject([{ change: 'unchanged' }]);

  expect((await theirs.changes('--take')).changes).toMatchObject([{ change: 'update' }]);
  const back = await mine.changes('--dry-run');
  expect(back.changes).toMatchObject([{ change: 'update', takenFrom: theirs.path }]);
});

test('an event trigger of another folder is taken over only with --take', async () => {
  const [mine, theirs] = [await madeIn('mine'), await madeIn('theirs')];
  const on = (gather: string) =>
    `nodes: [{ id: begin, type: model_ready, config: { on: model.processed, gather: ${gather} } }]`;
  await mine.write(on('1s'));
  expect((await mine.changes()).eventTriggers).toMatchObject([
    { change: 'create', takenFrom: null },
  ]);
  expect((await mine.changes()).eventTriggers).toMatchObject([{ change: 'unchanged', fields: [] }]);

  await theirs.write(on('1s'));
  expect((await theirs.changes()).eventTriggers).toMatchObject([
    { change: 'unchanged', fields: [] },
  ]);
  await theirs.write(on('2s'));
  const refused = errorOf(await theirs.apply(), 2);
  expect(refused.code).toBe('OF_ANOTHER_FILE');
  expect(refused.message).toContain(mine.path);
  expect((await theirs.changes('--take')).eventTriggers).toMatchObject([{ change: 'update' }]);
});
