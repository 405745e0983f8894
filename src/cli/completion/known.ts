// Looks up names for completion: in Temporal, silently and within a second, and in the pipeline file on the command line.
import { resolve } from 'node:path';
import type { Client } from '@temporalio/client';
import type { Session } from '../session.ts';
import type { Candidate } from './words.ts';

const withinMs = 1_000;
const runsAtMost = 30;

/** Runs a query; empty if no Temporal server responds in time. */
async function asked<T>(session: Session, ask: (client: Client) => Promise<T[]>): Promise<T[]> {
  const { connectTemporal } = await import('../../temporal/connect.ts');
  const late = new Promise<T[]>((end) => {
    setTimeout(() => end([]), withinMs).unref();
  });
  const asking = async (): Promise<T[]> => {
    const temporal = await connectTemporal({ env: session.io.env, timeoutMs: withinMs });
    try {
      return await ask(temporal.client);
    } finally {
      await temporal.close();
    }
  };
  return Promise.race([asking().catch(() => []), late]);
}

async function listed(client: Client) {
  const { listedRun } = await import('../runs/listed-run.ts');
  const { workflowNames } = await import('../../plan/contract.ts');
  const { listWorkflows } = await import('../../temporal/codec/tolerant-reader.ts');
  const runs = [];
  const query = `WorkflowType = '${workflowNames.run}'`;
  for await (const info of listWorkflows(client, { query, pageSize: runsAtMost })) {
    if (info.status.name === 'CONTINUED_AS_NEW') continue;
    if (runs.push(listedRun(info)) >= runsAtMost) break;
  }
  return runs;
}

/** The newest runs. */
export function runIds(session: Session): Promise<Candidate[]> {
  return asked(session, async (client) =>
    (await listed(client)).map(({ run, state, startedAt }) => ({
      value: run,
      told: `${state}, ${startedAt.slice(0, 16).replace('T', ' ')}`,
    })),
  );
}

/** Pipelines of the newest runs. */
export function pipelineNames(session: Session): Promise<Candidate[]> {
  return asked(session, async (client) => {
    const names = new Set((await listed(client)).map(({ pipeline }) => pipeline));
    return [...names].map((value) => ({ value, told: '' }));
  });
}

export function scheduleNames(session: Session): Promise<Candidate[]> {
  return asked(session, async (client) => {
    const { listSchedules } = await import('../schedules/list.ts');
    const schedules = await listSchedules(client);
    return schedules.map(({ schedule, times }) => ({ value: schedule, told: times }));
  });
}

/** Conditions over the nodes of a run, as `rerun --where` takes them. */
export function nodeConditions(session: Session, run: string | undefined): Promise<Candidate[]> {
  if (run === undefined) return Promise.resolve([]);
  return asked(session, async (client) => {
    const { readSnapshot } = await import('../runs/run-snapshot.ts');
    const { memo } = await readSnapshot(client, run);
    return (memo?.steps ?? []).map((id) => ({
      value: `node == "${id}"`,
      told: 'failures of this node',
    }));
  });
}

/** Names of the parameters that a file declares, each followed by `=`. */
export async function parameterNames(
  { io: { cwd } }: Session,
  file: string | undefined,
): Promise<Candidate[]> {
  if (file === undefined) return [];
  const { readPipelineFile } = await import('../../compile/yaml/read-file.ts');
  const { loadText } = await import('../../compile/yaml/load.ts');
  const { looseFields } = await import('../../api/loose-fields.ts');
  const read = await readPipelineFile(resolve(cwd, file), file);
  const value = read.ok ? loadText(read.text, file).document?.value : null;
  const declared = looseFields(looseFields(value)['parameters']);
  return Object.keys(declared).map((name) => ({ value: `${name}=`, told: '' }));
}

export async function codes(): Promise<Candidate[]> {
  const { problemCodes } = await import('../../language/codes.ts');
  const { knownFailures } = await import('../../capabilities/failures.ts');
  return [
    ...Object.entries(problemCodes).map(([value, { title }]) => ({ value, told: title })),
    ...knownFailures.map(({ code, title }) => ({ value: code, told: title })),
  ];
}

export async function operationIds(): Promise<Candidate[]> {
  const { operations } = await import('../../api/operations/index.ts');
  return Object.values(operations).map(({ id, summary }) => ({ value: id, told: summary }));
}
