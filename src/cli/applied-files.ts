// Reads the pipeline files whose runs start by themselves, and compiles them for those runs.
import { realpath } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { compileFile } from '../compile/compile.ts';
import type { Limits } from '../compile/pipeline.ts';
import type { ScheduleDeclaration } from '../compile/schedule.ts';
import { commandFailures } from '../failures/commands.ts';
import type { KnownFailure } from '../failures/define.ts';
import type { Plan } from '../plan/types.ts';
import { type CheckedFile, checkFile, refuseInvalid } from './compiled-file.ts';
import { CliError } from './exit.ts';
import { listFiles } from './pipeline-files.ts';
import { placed, type RunPlace } from './run-place.ts';
import { spelledOut } from './screen-text.ts';
import type { Session } from './session.ts';

/** A pipeline that begins with events. */
export interface EventFile {
  /** Path as the person named it, or found below the folder that they named. */
  file: string;
  /** Path with links resolved. It marks the owner of schedules and intakes. */
  path: string;
  plan: Plan;
  limits: Limits;
}

export interface ScheduledFile extends EventFile {
  declaration: ScheduleDeclaration;
}

export interface AppliedFiles {
  scheduled: ScheduledFile[];
  onEvents: EventFile[];
}

/** The files with the plans that their runs will have. */
export function placedFiles({ scheduled, onEvents }: AppliedFiles, place: RunPlace): AppliedFiles {
  const put = <F extends EventFile>(file: F): F => ({ ...file, plan: placed(file.plan, place) });
  return { scheduled: scheduled.map(put), onEvents: onEvents.map(put) };
}

/**
 * Reads folders (the YAML files directly in them, without settings and tests) and files. All of them are read before any is refused.
 * @throws CliError when a file that starts runs by itself is not valid, or two of one kind have one name.
 */
export async function readAppliedFiles(
  session: Session,
  paths: readonly string[],
): Promise<AppliedFiles> {
  const found: AppliedFiles = { scheduled: [], onEvents: [] };
  const invalid: CheckedFile[] = [];
  for (const { file, isNamed } of await listFiles(session, paths)) {
    const checked = await checkFile(session, file, null);
    const { schedules, isScheduled, isOnEvents } = checked;
    if (!isScheduled && !isOnEvents) {
      if (isNamed)
        session.output.note(
          `${spelledOut(file)} has no \`schedule:\` and no \`on:\`; it starts only by hand.`,
        );
      continue;
    }
    const path = lasting(await realpath(resolve(session.io.cwd, file)));
    // A `schedule:` without any readable entry is wrong, and so is the file.
    const wrong = isScheduled && schedules.length === 0 ? [checked] : [];
    const scheduled: ScheduledFile[] = [];
    for (const declaration of schedules) {
      const compiled = await compileApplied(session, checked, declaration);
      const { plan, limits } = compiled;
      if (plan === null) wrong.push(compiled);
      else scheduled.push({ file, path, declaration, plan, limits });
    }
    const byEvent = isOnEvents ? await compileApplied(session, checked, { parameters: {} }) : null;
    if (byEvent !== null && byEvent.plan === null) wrong.push(byEvent);
    if (wrong[0] !== undefined) {
      invalid.push(wrong[0]);
      continue;
    }
    refuseInvalid(session, checked);
    found.scheduled.push(...scheduled);
    if (byEvent?.plan) {
      found.onEvents.push({ file, path, plan: byEvent.plan, limits: byEvent.limits });
    }
  }
  refuseAll(session, invalid);
  refuseTwins(found.scheduled, commandFailures.SCHEDULE_TWICE, 'declare the schedule');
  refuseTwins(found.onEvents, commandFailures.INTAKE_TWICE, 'begin with events as');
  return found;
}

/**
 * A path without the folder of a version. Kubernetes lays the files of a ConfigMap into a folder that is named after
 * the moment, and links to them; the same file must have the same owner's mark after each change.
 */
const lasting = (path: string) => path.replace(/\/\.\.\d{4}(?:_\d\d){5}\.\d+(?=\/)/, '');

/** Code of a problem: a required parameter has no value. */
const withoutValue = 'RL309';

/** Compiles a file with the values that it starts by itself with. Relative folders begin at the file, wherever it is applied from. */
async function compileApplied(
  session: Session,
  checked: CheckedFile,
  start: Pick<ScheduleDeclaration, 'parameters'>,
): Promise<CheckedFile> {
  const { file } = checked;
  const absolute = resolve(session.io.cwd, file);
  const { parameters } = start;
  const { env: environment } = session.io;
  const compiled = await compileFile(absolute, { cwd: dirname(absolute), environment, parameters });
  const problems = compiled.problems.map((problem) => ({
    ...problem,
    file,
    // The check of the schedule has reported parameters without a value already.
    ...(problem.code === withoutValue
      ? { hint: 'Give it a default: nobody is there to be asked.' }
      : {}),
  }));
  return { ...compiled, file, problems };
}

/** Reports the problems of each file, and refuses them together. */
function refuseAll(session: Session, invalid: readonly CheckedFile[]): void {
  const refusals: unknown[] = [];
  for (const checked of invalid) {
    try {
      refuseInvalid(session, checked);
    } catch (refusal) {
      refusals.push(refusal);
    }
  }
  if (refusals.length === 0) return;
  if (refusals.length === 1) throw refusals[0];
  throw new CliError(
    commandFailures.INVALID_PIPELINE,
    `${invalid.map(({ file }) => file).join(' and ')} are not valid.`,
    { fix: '', details: { problems: invalid.flatMap(({ problems }) => problems) } },
  );
}

function refuseTwins(found: readonly EventFile[], failure: KnownFailure, both: string): void {
  const files = new Map<string, string>();
  for (const { file, plan } of found) {
    const other = files.get(plan.pipeline);
    files.set(plan.pipeline, file);
    // A file may have several schedules.
    if (other === undefined || other === file) continue;
    throw new CliError(failure, `${other} and ${file} both ${both} "${plan.pipeline}".`);
  }
}
