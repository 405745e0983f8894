// Reads the files for `renderline apply` and sorts them by how their runs start: by schedule, event, HTTP, or manually.
import { realpath } from 'node:fs/promises';
import { dirname, isAbsolute, resolve } from 'node:path';
import { compileFile } from '../../compile/compile.ts';
import { namesOf } from '../../compile/http-start.ts';
import type { Limits, Pipeline } from '../../compile/pipeline.ts';
import type { ScheduleDeclaration } from '../../compile/schedule.ts';
import { createResolvedFile } from '../../compile/shared/resolved-file.ts';
import type { Path } from '../../compile/yaml/document.ts';
import { commandFailures } from '../../failures/commands.ts';
import type { KnownFailure } from '../../failures/define.ts';
import type { Plan } from '../../plan/types.ts';
import type { App } from '../app.ts';
import { checkChoices } from '../choices/check-choices.ts';
import {
  assertValid,
  type CheckedFile,
  checkFile,
  reportProblems,
  withDocsLinks,
} from '../compile-pipeline.ts';
import type { StoredStart } from '../http-starts/stored-start.ts';
import { RenderlineError } from '../renderline-error.ts';
import { type RunTarget, withWorkspace } from '../run-target.ts';
import { type AppliedDays, readScheduleDays } from '../schedules/calendars.ts';
import { listFiles } from '../validate/pipeline-files.ts';

/** A file whose runs start automatically, with the plan of these runs. */
export interface CompiledFile {
  /** Path as given on the command line, or as found below a given folder. */
  file: string;
  /** Real path without the version folder of a ConfigMap. Schedules, triggers and HTTP starts store it as owner. */
  path: string;
  plan: Plan;
  limits: Limits;
}

export interface ScheduledFile extends CompiledFile, AppliedDays {
  declaration: ScheduleDeclaration;
}

export interface HttpStartedFile {
  file: string;
  start: Omit<StoredStart, 'schema'>;
  /** True if the file may contain relative paths, which would refer to other files if it were in another folder. */
  usesFolder: boolean;
}

export interface ReadPipeline {
  file: string;
  pipeline: string;
  path: string;
}

export interface AppliedFiles {
  scheduled: ScheduledFile[];
  eventTriggered: CompiledFile[];
  httpStarted: HttpStartedFile[];
  /** All files that contain a pipeline, even if its runs start only manually. */
  pipelines: ReadPipeline[];
  /** Files that were given explicitly but declare no start. `pipeline` is null if the file contains none. */
  manual: { file: string; pipeline: string | null }[];
}

/** Adds the workspace of the target to all plans. HTTP starts contain no plan. */
export function withWorkspaceInFiles(
  { scheduled, eventTriggered, ...others }: AppliedFiles,
  target: RunTarget,
): AppliedFiles {
  const addWorkspace = <F extends CompiledFile>(file: F): F => ({
    ...file,
    plan: withWorkspace(file.plan, target),
  });
  return {
    ...others,
    scheduled: scheduled.map(addWorkspace),
    eventTriggered: eventTriggered.map(addWorkspace),
  };
}

/**
 * Reads the given files, and the YAML files directly in the given folders, except settings and tests. Reads all files
 * before it refuses invalid files.
 * @throws RenderlineError if a file that declares a start is invalid, if two files declare a schedule, event trigger or
 * HTTP start of the same pipeline, or if a calendar cannot be read
 */
export async function readAppliedFiles(app: App, paths: readonly string[]): Promise<AppliedFiles> {
  const appliedFiles: Omit<AppliedFiles, 'scheduled'> & { scheduled: CompiledSchedule[] } = {
    scheduled: [],
    eventTriggered: [],
    httpStarted: [],
    pipelines: [],
    manual: [],
  };
  const invalid: CheckedFile[] = [];
  for (const { file, isNamed } of await listFiles(app, paths)) {
    const checkedFile = await checkFile(app, file, null);
    const { schedules, isScheduled, isOnEvents, isStartedByHttp, pipeline } = checkedFile;
    const path = removeVersionFolder(await realpath(resolve(app.cwd, file)).catch(() => file));
    if (pipeline !== null) appliedFiles.pipelines.push({ file, path, pipeline: pipeline.name });
    if (!isScheduled && !isOnEvents && !isStartedByHttp) {
      if (isNamed) appliedFiles.manual.push({ file, pipeline: pipeline?.name ?? null });
      continue;
    }
    // A `schedule:` without a single valid entry makes the file invalid.
    const isWrong = (isScheduled && schedules.length === 0) || (isStartedByHttp && !checkedFile.ok);
    const invalidFiles = isWrong ? [checkedFile] : [];
    const scheduled: CompiledSchedule[] = [];
    for (const declaration of schedules) {
      const valuesPath = parametersPathOf(checkedFile, declaration);
      const { parameters } = declaration;
      const compiled = await compileApplied(app, checkedFile, parameters, valuesPath);
      const { plan, limits } = compiled;
      if (plan === null) invalidFiles.push(compiled);
      else scheduled.push({ file, path, declaration, plan, limits });
    }
    const forEvents = isOnEvents ? await compileApplied(app, checkedFile, {}, null) : null;
    if (forEvents?.plan === null) invalidFiles.push(forEvents);
    if (invalidFiles[0] !== undefined) {
      invalid.push(invalidFiles[0]);
      continue;
    }
    assertValid(app, checkedFile);
    appliedFiles.scheduled.push(...scheduled);
    if (isStartedByHttp)
      appliedFiles.httpStarted.push(await compileHttpStart(app, checkedFile, path));
    if (forEvents?.plan) {
      const { plan, limits } = forEvents;
      appliedFiles.eventTriggered.push({ file, path, plan, limits });
    }
  }
  assertAllValid(app, invalid);
  const { SCHEDULE_TWICE, EVENT_TRIGGER_TWICE, HTTP_START_TWICE } = commandFailures;
  const planName = ({ plan }: Pick<CompiledFile, 'plan'>) => plan.pipeline;
  assertUniqueNames(appliedFiles.scheduled, planName, SCHEDULE_TWICE, 'schedule');
  assertUniqueNames(appliedFiles.eventTriggered, planName, EVENT_TRIGGER_TWICE, 'event trigger');
  assertUniqueNames(
    appliedFiles.httpStarted,
    (file) => file.start.pipeline,
    HTTP_START_TWICE,
    'HTTP start',
  );
  const scheduled: ScheduledFile[] = [];
  for (const schedule of appliedFiles.scheduled) {
    const { declaration, plan } = schedule;
    scheduled.push({ ...schedule, ...(await readScheduleDays(declaration, plan, app.now())) });
  }
  return { ...appliedFiles, scheduled };
}

type CompiledSchedule = Omit<ScheduledFile, keyof AppliedDays>;

/** Compiles the entry to store for a file with HTTP starts. Its parameters receive their values when a run starts. */
async function compileHttpStart(
  app: App,
  { file, pipeline, document }: CheckedFile,
  path: string,
): Promise<HttpStartedFile> {
  if (pipeline?.start === undefined || document === null) throw new Error('the file is invalid');
  const { secretFrom, tokenFrom, perMinute } = pipeline.start.http;
  const start = {
    pipeline: pipeline.name,
    path,
    text: createResolvedFile(document).text,
    channels: (await app.config()).channels.value,
    secretFrom: namesOf(secretFrom),
    tokenFrom: namesOf(tokenFrom),
    perMinute,
  };
  return { file, start, usesFolder: hasRelativePath(pipeline) };
}

/** True if the file has a `path` parameter, or a local folder that is relative or set by a parameter. */
function hasRelativePath({ connectors, parameters }: Pipeline): boolean {
  return (
    Object.values(parameters).some(({ type }) => type === 'path') ||
    Object.values(connectors).some(
      ({ type, path }) => type === 'local' && !isAbsolute(String(path)),
    )
  );
}

/**
 * Removes the version folder from the path of a file in a Kubernetes ConfigMap. Kubernetes mounts each version in a new
 * timestamped folder behind a symbolic link, but a file must keep its owner mark across versions.
 */
const removeVersionFolder = (path: string) =>
  path.replace(/\/\.\.\d{4}(?:_\d\d){5}\.\d+(?=\/)/, '');

/** Code of the problem that a required parameter has no value. */
const missingValueCode = 'RL309';

function parametersPathOf(
  { schedules, document }: CheckedFile,
  declaration: ScheduleDeclaration,
): Path {
  const isList = document?.has(['schedule', 0]) === true;
  return ['schedule', ...(isList ? [schedules.indexOf(declaration)] : []), 'parameters'];
}

/** Compiles a file with the parameters of its automatic runs. Relative paths start at the file's folder. */
async function compileApplied(
  app: App,
  checkedFile: CheckedFile,
  parameters: ScheduleDeclaration['parameters'],
  valuesPath: Path | null,
): Promise<CheckedFile> {
  const { file } = checkedFile;
  const absolute = resolve(app.cwd, file);
  const settings = await app.compileSettings();
  const options = { ...settings, cwd: dirname(absolute), parameters, shownAs: file };
  const result = await compileFile(absolute, options);
  const compiled = await checkChoices(app, result, parameters, valuesPath);
  // The usual hint suggests --param, which an automatic run cannot use.
  const hint =
    'Give the parameter a default: runs that start automatically cannot ask for a value.';
  const problems = compiled.problems.map((problem) =>
    problem.code === missingValueCode ? { ...problem, hint } : problem,
  );
  return { ...compiled, file, problems };
}

/** Emits the problems of each invalid file, then throws one error for all of them. */
function assertAllValid(app: App, invalid: readonly CheckedFile[]): void {
  const [first, ...others] = invalid;
  if (first === undefined) return;
  if (others.length === 0) return assertValid(app, first);
  for (const checkedFile of invalid) reportProblems(app, checkedFile);
  throw new RenderlineError(
    commandFailures.INVALID_PIPELINE,
    `${invalid.map(({ file }) => file).join(' and ')} are invalid.`,
    { fix: '', details: { problems: withDocsLinks(invalid.flatMap(({ problems }) => problems)) } },
  );
}

/** @throws RenderlineError if two files declare a schedule, event trigger or HTTP start of the same pipeline */
function assertUniqueNames<F extends { file: string }>(
  entries: readonly F[],
  nameOf: (entry: F) => string,
  failure: KnownFailure,
  kind: string,
): void {
  const files = new Map<string, string>();
  for (const entry of entries) {
    const { file } = entry;
    const pipeline = nameOf(entry);
    const other = files.get(pipeline);
    files.set(pipeline, file);
    // The same file is not a conflict, because a file may have several schedules.
    if (other === undefined || other === file) continue;
    const message = `${other} and ${file} both declare the ${kind} "${pipeline}".`;
    throw new RenderlineError(failure, message);
  }
}
