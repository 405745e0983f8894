// Compiles a pipeline file into a plan, or returns every problem that the file has.
import { basename, dirname, resolve } from 'node:path';
import { allowedHosts } from '../api/network/allowed-hosts.ts';
import { shellQuoted } from '../plan/helpers/shell-quote.ts';
import type { Plan } from '../plan/types.ts';
import type { Environment } from '../settings/environment.ts';
import { allowedSecrets } from '../settings/secrets/secret-names.ts';
import { buildPlan } from './build-plan.ts';
import { checkDocument } from './checks/check.ts';
import { beginsBy } from './checks/check-graph.ts';
import { type GraphNode, graphNodes } from './graph/graph.ts';
import { capsOf, type Limits, type Pipeline } from './pipeline.ts';
import type { ScheduleDeclaration } from './schedule.ts';
import { loadText } from './yaml/load.ts';
import type { Problem } from './yaml/problem.ts';
import { readPipelineFile } from './yaml/read-file.ts';

/** The start events of a run and of each shard contain the plan, and parts of it twice. A history event may have 100 KB. */
export const maxPlanBytes = 45_000;

export interface CompileOptions {
  /** Base folder for relative paths that a person gives. */
  cwd: string;
  /** Values by parameter name; null checks the file without building a plan. */
  parameters: Readonly<Record<string, unknown>> | null;
  /** Environment of this process: decides which variables and hosts the file may name. */
  environment: Environment;
  /** Channels of `renderline.yaml`, by name. @default none */
  channels?: Readonly<Record<string, unknown>>;
  /** Set if no connector of the file is opened, as in tests, so that no credentials are sent anywhere. */
  opensNothing?: true;
}

export interface Compiled {
  /** True if there are no errors. Without parameters `plan` is null even then. */
  ok: boolean;
  plan: Plan | null;
  /** Errors, warnings, and notes on what only a run can check, in the order of the file. */
  problems: Problem[];
  /** Text of the file; null if the file could not be read. */
  source: string | null;
  /** The nodes of the file, even if there is no plan; empty if they form no graph. */
  graph: GraphNode[];
  /** Limits that the plan may not exceed. */
  limits: Limits;
  /** Fields of the file with parameter values filled in; null if they are invalid. */
  pipeline: Pipeline | null;
  /** When runs start automatically; empty if the file has no schedule or an invalid one. */
  schedules: ScheduleDeclaration[];
  /** The file has a `schedule:`, valid or not. True if the text cannot be read. */
  isScheduled: boolean;
  /** The file starts on platform events; the fields may be invalid. */
  isOnEvents: boolean;
}

/** Reads, checks and compiles a file. Problems show `path` as it is given. */
export async function compileFile(path: string, options: CompileOptions): Promise<Compiled> {
  const absolute = resolve(options.cwd, path);
  const read = await readPipelineFile(absolute, path);
  if (!read.ok) {
    const nothing = {
      plan: null,
      source: null,
      graph: [],
      limits: {},
      pipeline: null,
      schedules: [],
      isScheduled: true,
      isOnEvents: false,
    };
    return { ok: false, problems: [read.problem], ...nothing };
  }
  return compileText(read.text, path, { ...options, fileFolder: dirname(absolute) });
}

/** Compiles text. Pure. Relative paths in the text are relative to `fileFolder`. */
export function compileText(
  text: string,
  file: string,
  options: CompileOptions & { fileFolder: string },
): Compiled {
  const { cwd, fileFolder, parameters, environment, channels = {}, opensNothing = false } = options;
  const { findings, source, document } = loadText(text, file);
  const isTests = document !== null && document.has(['tests']) && !document.has(['nodes']);
  if (isTests) {
    const message = 'the file contains tests of a pipeline, not a pipeline';
    findings.error(
      'RL109',
      document.keyRange(['tests']),
      message,
      `Run them: renderline test ${shellQuoted(file)}`,
    );
  }
  const checked =
    document === null || isTests
      ? null
      : checkDocument(document, findings, {
          given: parameters,
          cwd,
          fileFolder,
          channels,
          allowed: {
            secrets: allowedSecrets(environment),
            hosts: allowedHosts(environment),
            isAnyLogin: opensNothing,
          },
        });
  const pipeline = checked?.pipeline ?? null;
  let plan: Plan | null = null;
  if (checked !== null && pipeline !== null && parameters !== null && findings.errorCount === 0) {
    plan = buildPlan({ ...checked, pipeline }, basename(file), { cwd, fileFolder });
    const size = JSON.stringify(plan).length;
    if (size > maxPlanBytes) {
      const message = `the plan has ${size} characters; the most is ${maxPlanBytes}`;
      findings.error('RL105', [0, 0], message, 'Split it into two pipelines.');
    }
  }
  const ok = findings.errorCount === 0;
  return {
    ok,
    plan: ok ? plan : null,
    problems: findings.all(),
    source: source.text,
    graph: checked === null ? [] : graphNodes(checked.graph),
    limits: pipeline === null ? {} : capsOf(pipeline),
    pipeline,
    schedules: checked?.schedules ?? [],
    isScheduled: document?.has(['schedule']) ?? true,
    isOnEvents: checked?.graph.nodes.some((node) => beginsBy(node) === 'on') ?? false,
  };
}
