// The pipeline files that declare schedules, compiled as their runs will be started.
import { readdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Limits } from '../../compile/pipeline.ts';
import type { ScheduleDeclaration } from '../../compile/schedule.ts';
import type { Plan } from '../../plan/types.ts';
import { type CheckedFile, checkFile, refuseInvalid } from '../compiled-file.ts';
import { CliError, exitCode } from '../exit.ts';
import type { Session } from '../session.ts';

export interface ScheduledFile {
  /** As the person named it, or found below the folder that they named. */
  file: string;
  declaration: ScheduleDeclaration;
  plan: Plan;
  limits: Limits;
}

/**
 * Reads folders (the YAML files directly in them) and files. All are looked at before anything is refused.
 * @throws CliError when a scheduled file is not valid, or two declare one schedule.
 */
export async function readScheduledFiles(
  session: Session,
  paths: readonly string[],
): Promise<ScheduledFile[]> {
  const found: ScheduledFile[] = [];
  const invalid: CheckedFile[] = [];
  for (const { file, isNamed } of await listFiles(session, paths)) {
    const checked = await checkFile(session, file, null);
    if (!checked.isScheduled) {
      if (isNamed) session.output.note(`${file} has no \`schedule:\`; it starts only by hand.`);
      continue;
    }
    const { schedule } = checked;
    const compiled = schedule === null ? checked : await compileScheduled(session, file, schedule);
    const { plan, limits } = compiled;
    if (plan === null || schedule === null) {
      invalid.push(compiled);
      continue;
    }
    await refuseInvalid(session, checked);
    found.push({ file, declaration: schedule, plan, limits });
  }
  await refuseAll(session, invalid);
  refuseTwins(found);
  return found;
}

/** With the values that its schedule gives. Relative folders begin at the file, whoever applies it from where. */
async function compileScheduled(
  session: Session,
  file: string,
  { parameters }: ScheduleDeclaration,
): Promise<CheckedFile> {
  const { compileFile } = await import('../../compile/compile.ts');
  const absolute = resolve(session.io.cwd, file);
  const compiled = await compileFile(absolute, { cwd: dirname(absolute), parameters });
  const problems = compiled.problems.map((problem) => ({ ...problem, file }));
  return { ...compiled, file, problems };
}

async function listFiles(
  session: Session,
  paths: readonly string[],
): Promise<{ file: string; isNamed: boolean }[]> {
  const files: { file: string; isNamed: boolean }[] = [];
  for (const path of paths) {
    const absolute = resolve(session.io.cwd, path);
    if (!(await stat(absolute)).isDirectory()) {
      files.push({ file: path, isNamed: true });
      continue;
    }
    const names = (await readdir(absolute)).filter((name) => /\.ya?ml$/i.test(name)).sort();
    files.push(...names.map((name) => ({ file: join(path, name), isNamed: false })));
  }
  const seen = new Set<string>();
  return files.filter(({ file }) => {
    const absolute = resolve(session.io.cwd, file);
    return !seen.has(absolute) && seen.add(absolute);
  });
}

/** Says what is wrong with each file, and refuses them together. */
async function refuseAll(session: Session, invalid: readonly CheckedFile[]): Promise<void> {
  const refusals: unknown[] = [];
  for (const checked of invalid) {
    await refuseInvalid(session, checked).catch((refusal: unknown) => refusals.push(refusal));
  }
  if (refusals.length === 0) return;
  if (refusals.length === 1) throw refusals[0];
  throw new CliError(
    exitCode.usage,
    'INVALID_PIPELINE',
    `${invalid.map(({ file }) => file).join(' and ')} are not valid.`,
    '',
    { problems: invalid.flatMap(({ problems }) => problems) },
  );
}

function refuseTwins(found: readonly ScheduledFile[]): void {
  const files = new Map<string, string>();
  for (const { file, plan } of found) {
    const other = files.get(plan.pipeline);
    files.set(plan.pipeline, file);
    if (other === undefined) continue;
    throw new CliError(
      exitCode.usage,
      'SCHEDULE_TWICE',
      `${other} and ${file} both declare the schedule "${plan.pipeline}".`,
      'A schedule is named after its pipeline: give one of them another `name:`.',
    );
  }
}
