// Compiles a pipeline file into a plan, or returns every problem that the file has.
import { basename, dirname, resolve } from 'node:path';
import { readAllowedHosts } from '../api/network/allowed-hosts.ts';
import { quoteForShell } from '../plan/helpers/quote-for-shell.ts';
import type { Plan } from '../plan/types.ts';
import type { Environment } from '../settings/environment.ts';
import { readAllowedSecrets } from '../settings/secrets/secret-names.ts';
import { buildPlan } from './build-plan.ts';
import { checkDocument } from './checks/check.ts';
import { findRootField } from './checks/check-graph.ts';
import { type GraphNode, graphNodesOf } from './graph/graph.ts';
import { capsOf, type Limits, type Pipeline } from './pipeline.ts';
import type { ScheduleDeclaration } from './schedule.ts';
import { readShared, type SharedText } from './shared/read-shared.ts';
import { resolveShared, sharedFileOf } from './shared/resolve-shared.ts';
import { isSharedFile } from './shared/shared-part.ts';
import type { LocatedDocument } from './yaml/document.ts';
import { loadText } from './yaml/load.ts';
import type { Problem, SharedTexts } from './yaml/problem.ts';
import { readPipelineFile } from './yaml/read-file.ts';

/** The start events of a run and of its shards contain the plan, parts of it twice. An event may have 100 KB. */
export const maxPlanBytes = 45_000;

export interface CompileOptions {
  /** Base folder for relative paths entered by a person. */
  cwd: string;
  /** Values by parameter name. If null, the file is checked without building a plan. */
  parameters: Readonly<Record<string, unknown>> | null;
  /** Environment of this process, which decides which variables and hosts the file may use. */
  environment: Environment;
  /** Channels of `renderline.yaml`, by name. @default none */
  channels?: Readonly<Record<string, unknown>>;
  /** Set if connectors of the file are never opened, as in tests. Credentials are then not sent anywhere. */
  opensNothing?: true;
  /** Absolute folders from which shared parts may be read. If absent, there is no restriction. */
  folders?: readonly string[] | undefined;
}

export interface CompileResult {
  /** True if there are no errors. Without parameters, `plan` is null even if this is true. */
  ok: boolean;
  plan: Plan | null;
  /** Errors, warnings, and notes about what only a run can check, in the order of the file. */
  problems: Problem[];
  /** Text of the file. Null if the file could not be read. */
  source: string | null;
  shared: SharedTexts;
  /** The file with its shared parts resolved, and the position of each value. Null if it is not a pipeline. */
  document: LocatedDocument | null;
  /** The enabled nodes of the file, even if there is no plan. Nodes in a cycle or after a cycle are missing. */
  graph: GraphNode[];
  limits: Limits;
  /** Fields of the file with parameter values filled in. Null if they are invalid. */
  pipeline: Pipeline | null;
  /** When runs start automatically. Empty if the file has no schedule or an invalid one. */
  schedules: ScheduleDeclaration[];
  /** True if the file has a `schedule:`, valid or not, or if its text cannot be read. */
  isScheduled: boolean;
  isOnEvents: boolean;
  /** True if the file has a `start:`, valid or not. */
  isStartedByHttp: boolean;
}

/** Reads, checks and compiles a file. Problems refer to it as `shownAs`, by default `path`. */
export async function compileFile(
  path: string,
  options: CompileOptions & { shownAs?: string },
): Promise<CompileResult> {
  const { shownAs = path } = options;
  const absolute = resolve(options.cwd, path);
  const file = await readPipelineFile(absolute, shownAs);
  if (!file.ok) {
    const nothing = {
      plan: null,
      source: null,
      shared: new Map<string, string>(),
      document: null,
      graph: [],
      limits: {},
      pipeline: null,
      schedules: [],
      isScheduled: true,
      isOnEvents: false,
      isStartedByHttp: false,
    };
    return { ok: false, problems: [file.problem], ...nothing };
  }
  const fileFolder = dirname(absolute);
  const sharedTexts = await readShared(file.text, fileFolder, options.folders);
  return compileText(file.text, shownAs, { ...options, fileFolder, shared: sharedTexts });
}

/** Compiles text. Pure. Relative paths start at `fileFolder`. `shared` is the result of `readShared`. */
export function compileText(
  text: string,
  file: string,
  options: CompileOptions & { fileFolder: string; shared?: readonly SharedText[] },
): CompileResult {
  const { cwd, fileFolder, parameters, environment } = options;
  const { channels = {}, opensNothing = false, shared: sharedTexts = [] } = options;
  const { findings, document: main } = loadText(text, file);
  const isOther = main !== null && reportOtherFile(main, file);
  const document = main === null || isOther ? null : resolveShared(main, sharedTexts);
  const checkedDocument =
    document === null
      ? null
      : checkDocument(document, {
          givenValues: parameters,
          cwd,
          fileFolder,
          channels,
          allowed: {
            secrets: readAllowedSecrets(environment),
            hosts: readAllowedHosts(environment),
            isAnyLogin: opensNothing,
          },
        });
  const pipeline = checkedDocument?.pipeline ?? null;
  let plan: Plan | null = null;
  const isPlanned = parameters !== null && findings.errorCount === 0;
  if (isPlanned && checkedDocument !== null && pipeline !== null) {
    plan = buildPlan({ ...checkedDocument, pipeline }, basename(file), { cwd, fileFolder });
    const bytes = Buffer.byteLength(JSON.stringify(plan));
    if (bytes > maxPlanBytes) {
      const message = `the plan has ${bytes} bytes; the maximum is ${maxPlanBytes}`;
      findings.error('RL105', [0, 0], message, 'Split the pipeline in two.');
    }
  }
  const ok = findings.errorCount === 0;
  return {
    ok,
    plan: ok ? plan : null,
    problems: findings.all(),
    source: findings.source.text,
    shared: new Map(
      sharedTexts.flatMap((sharedText): [string, string][] =>
        'text' in sharedText ? [[sharedFileOf(file, sharedText.path), sharedText.text]] : [],
      ),
    ),
    document,
    graph: checkedDocument === null ? [] : graphNodesOf(checkedDocument.graph),
    limits: pipeline === null ? {} : capsOf(pipeline),
    pipeline,
    schedules: checkedDocument?.schedules ?? [],
    isScheduled: main?.has(['schedule']) ?? true,
    isOnEvents: checkedDocument?.graph.nodes.some((node) => findRootField(node) === 'on') ?? false,
    isStartedByHttp: main?.has(['start']) ?? false,
  };
}

/** Reports tests and shared parts, which are not pipelines. Returns true for such a document. */
function reportOtherFile(document: LocatedDocument, file: string): boolean {
  if (document.has(['nodes'])) return false;
  const isTests = document.has(['tests']);
  if (!isTests && !isSharedFile(file)) return false;
  const content = isTests ? 'tests of a pipeline' : 'a shared part';
  const hint = isTests
    ? `Run the tests: renderline test ${quoteForShell(file)}`
    : 'Validate a pipeline that includes this file.';
  const message = `the file contains ${content}, not a pipeline`;
  if (isTests) document.errorAtKey('RL109', ['tests'], message, hint);
  else document.error('RL109', [], message, hint);
  return true;
}
