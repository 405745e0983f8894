// `renderline apply`: Temporal's schedules made to match the files, the difference first.
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from '@commander-js/extra-typings';
import { CliError, exitCode } from '../exit.ts';
import type { Change, Planned } from '../schedules/changes.ts';
import { readScheduledFiles, type ScheduledFile } from '../schedules/files.ts';
import { changesText, countsText } from '../schedules/words.ts';
import type { Session } from '../session.ts';
import { withTemporal } from '../temporal-session.ts';

interface ApplyFlags {
  dryRun?: true | undefined;
  prune?: true | undefined;
}

export function addApply(program: Command, session: Session): void {
  program
    .command('apply')
    .description('make Temporal’s schedules match the files; shows the difference first')
    .argument('<paths...>', 'folders of pipeline files, or single files')
    .option('--dry-run', 'only show the difference')
    .option('--prune', 'remove our schedules of this task queue that no file declares')
    .action(session.action((paths, flags) => apply(session, paths, flags)));
}

async function apply(session: Session, paths: string[], flags: ApplyFlags): Promise<number> {
  const areFolders = await allFolders(session, paths);
  const prune = flags.prune === true;
  if (prune && !areFolders) {
    throw new CliError(
      exitCode.usage,
      'PRUNE_NEEDS_FOLDERS',
      'A single file cannot tell which schedules there should be.',
      'Apply the folders that hold all of them: renderline apply DIR --prune',
    );
  }
  const files = await readScheduledFiles(session, paths);
  const taskQueue = (await session.config()).taskQueue.value;
  return withTemporal(session, async (temporal) => {
    const { planWanted, planOthers, makeChange } = await import('../schedules/changes.ts');
    const { isSearchable } = await import('../start-run.ts');
    const searchable = await isSearchable(temporal);
    const { client } = temporal;
    const planned: Planned[] = [];
    for (const { file, ...own } of files) {
      const wanted = { ...own, taskQueue, searchable };
      planned.push(await planWanted(client, file, wanted, session.io.now()));
    }
    const declared = new Set(files.map(({ plan }) => plan.pipeline));
    if (areFolders) planned.push(...(await planOthers(client, declared, taskQueue, prune)));
    const changes = planned.map(({ change }) => change);
    const dryRun = flags.dryRun === true;
    const { output } = session;
    const difference = () => changesText(withZones(changes, files), output.paint);
    if (!dryRun) {
      if (!output.json) output.raw(difference());
      for (const one of planned) await makeChange(client, one);
    }
    const shape = { schema: 'renderline/apply/v1', dryRun, taskQueue, changes };
    output.answer(shape, () =>
      dryRun ? `${difference()}\nNothing was changed.` : countsText(changes),
    );
    return exitCode.done;
  });
}

async function allFolders(session: Session, paths: readonly string[]): Promise<boolean> {
  const stats = await Promise.all(paths.map((path) => stat(resolve(session.io.cwd, path))));
  return stats.every((one) => one.isDirectory());
}

function withZones(
  changes: readonly Change[],
  files: readonly ScheduledFile[],
): (Change & { timezone: string })[] {
  return changes.map((change) => {
    const file = files.find(({ plan }) => plan.pipeline === change.schedule);
    return { ...change, timezone: file?.declaration.timezone ?? 'UTC' };
  });
}
