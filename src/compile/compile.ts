// A pipeline file becomes a plan, or the list of everything that is wrong with it.
import { basename, dirname, resolve } from 'node:path';
import { allowedHosts } from '../api/allowed-hosts.ts';
import { shellQuoted } from '../plan/shell-quote.ts';
import type { Plan } from '../plan/types.ts';
import type { Environment } from '../settings/environment.ts';
import { allowedSecrets } from '../settings/secret-names.ts';
import { buildPlan } from './build-plan.ts';
import { checkDocument } from './checks/check.ts';
import { beginsBy } from './checks/check-graph.ts';
import { type GraphNode, graphNodes } from './graph/graph.ts';
import { capsOf, type Limits, type Pipeline } from './pipeline.ts';
import type { ScheduleDeclaration } from './schedule.ts';
import { loadText } from './yaml/load.ts';
import type { Problem } from './yaml/problem.ts';
import { readPipelineFile } from './yaml/read-file.ts';

/** The start of a run and of each shard carry the plan, parts of it twice, and an event of a history has up to 100 KB. */
export const largestPlan = 45_000;

export interface CompileOptions {
  /** Folder that relative paths given by a person begin at. */
  cwd: string;
  /** Values by parameter name; null checks the file without making a plan. */
  parameters: Readonly<Record<string, unknown>> | null;
  /** Environment of this process: it decides which variables and hosts the file may name. */
  environment: Environment;
  /** Set where no connector of the file is opened, as in tests: no credentials go anywhere. */
  opensNothing?: true;
}

export interface Compiled {
  /** No errors. Without parameters there is still no plan. */
  ok: boolean;
  plan: Plan | null;
  /** Errors, warnings, and notes on what only a run can check, in the order of the file. */
  problems: Problem[];
  /** The file's text; null where it could not be read. */
  source: string | null;
  /** The nodes of the file, also where there is no plan; empty where they do not make a graph. */
  graph: GraphNode[];
  /** Caps that the plan may not exceed. */
  limits: Limits;
  /** The file's fields with the values of parameters put in; null where they do not fit. */
  pipeline: Pipeline | null;
  /** When runs start by themselves; empty where the file does not say, or says it wrong. */
  schedules: ScheduleDeclaration[];
  /** The file has a `schedule:`, right or wrong. True also where its text cannot be read. */
  isScheduled: boolean;
  /** The file begins with events of the platform, right or wrong. */
  isOnEvents: boolean;
}

/** Reads, checks and compiles a file. `path` is shown in problems as it is given. */
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

/** Compiles text. Pure: `fileFolder` is where relative paths in the text begin. */
export function compileText(
  text: string,
  file: string,
  options: CompileOptions & { fileFolder: string },
): Compiled {
  const { cwd, fileFolder, parameters, environment, opensNothing = false } = options;
  const { findings, source, document } = loadText(text, file);
  const isTests = document !== null && document.has(['tests']) && !document.has(['nodes']);
  if (isTests) {
    const message = 'the file holds tests of a pipeline, and no pipeline';
    findings.error(
      'RL109',
      document.keyAt(['tests']),
      message,
      `Play them: renderline test ${shellQuoted(file)}`,
    );
  }
  const checked =
    document === null || isTests
      ? null
      : checkDocument(document, findings, {
          given: parameters,
          cwd,
          fileFolder,
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
    if (size > largestPlan) {
      const message = `the plan has ${size} characters; the most is ${largestPlan}`;
      findings.error('RL105', [0, 0], message, 'Make two pipelines of it.');
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
