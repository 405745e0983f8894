// Looks up names for completion. Searches Temporal, the platform and the pipeline file on the command line, silently
// and within a second.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { formatTimestamp } from '../../plan/helpers/format-timestamp.ts';
import type { App } from '../app.ts';

/** A word that can complete the command line. */
export interface Candidate {
  value: string;
  description: string;
}

const timeoutMs = 1_000;
const maxRuns = 30;

/** Runs a query. Returns no candidates if no Temporal server responds in time. */
async function queryTemporal<T>(app: App, query: (client: Client) => Promise<T[]>): Promise<T[]> {
  const { withTemporal } = await import('../temporal-client.ts');
  const options = { notesPauses: false, timeoutMs };
  return limitTime(withTemporal(app, ({ client }) => query(client), options));
}

/** Returns no candidates if the search takes too long. */
function limitTime<T>(candidates: Promise<T[]>): Promise<T[]> {
  const timeout = sleep<T[]>(timeoutMs, [], { ref: false });
  return Promise.race([candidates.catch(() => []), timeout]);
}

async function listNewestRuns(client: Client) {
  const { readListedRun } = await import('../runs/listed-run.ts');
  const { workflowNames } = await import('../../plan/contract/contract.ts');
  const { listWorkflows } = await import('../../temporal/codec/tolerant-reader.ts');
  const runs = [];
  const query = `WorkflowType = '${workflowNames.run}'`;
  for await (const info of listWorkflows(client, { query, pageSize: maxRuns })) {
    if (info.status.name === 'CONTINUED_AS_NEW') continue;
    if (runs.push(await readListedRun(client, info)) >= maxRuns) break;
  }
  return runs;
}

/** Lists the ids of the newest runs, described by state and start time. */
export function listRunCandidates(app: App): Promise<Candidate[]> {
  return queryTemporal(app, async (client) =>
    (await listNewestRuns(client)).map(({ run, state, startedAt }) => ({
      value: run,
      description: `${state}, ${formatTimestamp(startedAt)}`,
    })),
  );
}

/** Lists the pipelines of the newest runs. */
export function listPipelineCandidates(app: App): Promise<Candidate[]> {
  return queryTemporal(app, async (client) => {
    const names = new Set((await listNewestRuns(client)).map(({ pipeline }) => pipeline));
    return [...names].map((value) => ({ value, description: '' }));
  });
}

/** Lists the platform's own pipelines. */
export async function listPlatformPipelineCandidates(app: App): Promise<Candidate[]> {
  const { listPlatformPipelines } = await import('../platform/manage-pipelines.ts');
  const pipelines = listPlatformPipelines(app).then((listed) => listed.pipelines);
  return (await limitTime(pipelines)).map(({ name }) => ({ value: name, description: '' }));
}

export function listScheduleCandidates(app: App): Promise<Candidate[]> {
  return queryTemporal(app, async (client) => {
    const { readSchedules } = await import('../schedules/list.ts');
    const schedules = await readSchedules(client, app.now());
    return schedules.map(({ schedule, times }) => ({ value: schedule, description: times }));
  });
}

/** Lists conditions on the nodes of a run, in the form that `rerun --where` accepts. */
export function listConditionCandidates(app: App, run: string | undefined): Promise<Candidate[]> {
  if (run === undefined) return Promise.resolve([]);
  return queryTemporal(app, async (client) => {
    const { readSnapshot } = await import('../runs/run-snapshot.ts');
    const { memo } = await readSnapshot(client, run);
    return conditionsOf(memo?.steps ?? []);
  });
}

/** @param steps step ids: the id of a node, or `<node>.<part>` */
export function conditionsOf(steps: readonly string[]): Candidate[] {
  const nodes = new Set(steps.map((id) => id.split('.')[0]));
  return [...nodes].map((node) => ({
    value: `node == "${node}"`,
    description: 'failures of this node',
  }));
}

/** Lists the parameters that a file declares, each followed by `=`. After `NAME=`, lists the values to choose from. */
export async function listParameterCandidates(
  app: App,
  file: string | undefined,
  typed: string,
): Promise<Candidate[]> {
  if (file === undefined) return [];
  const { cwd } = app;
  const { compileFile } = await import('../../compile/compile.ts');
  const { asRecord } = await import('../../api/unknown-values.ts');
  const { document } = await compileFile(file, { cwd, environment: {}, parameters: null });
  const declaredParameters = asRecord(asRecord(document?.value)['parameters']);
  const [, name = ''] = /^['"]?(\w+)=/.exec(typed) ?? [];
  if (!Object.hasOwn(declaredParameters, name)) {
    const names = Object.keys(declaredParameters);
    return names.map((declared) => ({ value: `${declared}=`, description: '' }));
  }
  const { Parameter } = await import('../../compile/pipeline.ts');
  const { readChoices } = await import('../choices/read-choices.ts');
  const parameter = Parameter.parse(declaredParameters[name]);
  const offered = await readChoices(app, { [name]: parameter }, timeoutMs);
  return (offered[name]?.choices ?? []).map(({ value, name: description }) => ({
    value: `${name}=${value}`,
    description: value === description ? '' : description,
  }));
}

export async function listCodeCandidates(): Promise<Candidate[]> {
  const { problemCodes } = await import('../../language/problem-codes.ts');
  const { knownFailures } = await import('../../features/failures.ts');
  return [
    ...Object.entries(problemCodes).map(([value, { title }]) => ({ value, description: title })),
    ...knownFailures.map(({ code, title }) => ({ value: code, description: title })),
  ];
}

export async function listOperationCandidates(): Promise<Candidate[]> {
  const { operations } = await import('../../api/operations/index.ts');
  return Object.values(operations).map(({ id, summary }) => ({ value: id, description: summary }));
}
