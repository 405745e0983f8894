// Locates the records of runs: of a given file, or of all runs in Temporal and all pipelines in the folder.
import { readdir } from 'node:fs/promises';
import type { Client } from '@temporalio/client';
import { compileFile } from '../../compile/compile.ts';
import { workflowNames } from '../../plan/contract.ts';
import type { RunMemo } from '../../plan/run-memo.ts';
import type { ConnectorSpec, Plan } from '../../plan/types.ts';
import { listWorkflows, type Readable } from '../../temporal/codec/tolerant-reader.ts';
import { compilePipeline } from '../compiled-file.ts';
import { snapshotOf } from '../runs/run-snapshot.ts';
import type { Session } from '../session.ts';

/** Where a pipeline keeps its records. */
export interface PipelineRecords {
  pipeline: string;
  records: ConnectorSpec;
}

export interface Places {
  places: PipelineRecords[];
  /** Files whose records cannot be located, because they need parameters or are not valid. */
  unplaced: string[];
}

/** Locates the records of a file's runs. @throws CliError if the file is not valid */
export async function placeOfFile(
  session: Session,
  file: string,
  parameters: Readonly<Record<string, string>>,
): Promise<Places> {
  const { plan } = await compilePipeline(session, file, parameters);
  return { places: [placeOfPlan(plan)], unplaced: [] };
}

/** All distinct locations, those of the folder's files first. @param pipeline only locations of this pipeline */
export async function placesAtHand(
  session: Session,
  known: readonly PipelineRecords[],
  pipeline: string | undefined,
): Promise<Places> {
  const { places, unplaced } = await placesOfFolder(session);
  const distinct = new Map<string, PipelineRecords>();
  for (const place of [...places, ...known]) {
    if (pipeline === undefined || place.pipeline === pipeline) {
      distinct.set(JSON.stringify([place.pipeline, place.records]), place);
    }
  }
  return { places: [...distinct.values()], unplaced };
}

async function placesOfFolder(session: Session): Promise<Places> {
  const { cwd, env: environment } = session.io;
  const names = (await readdir(cwd)).filter((name) => /\.ya?ml$/i.test(name)).sort();
  const found: Places = { places: [], unplaced: [] };
  for (const name of names) {
    const { pipeline, schedules } = await compileFile(name, { cwd, environment, parameters: null });
    // Other YAML files in the folder are ignored.
    if (pipeline === null) continue;
    const starts = schedules.length > 0 ? schedules : [{ parameters: {} }];
    const plans = [];
    for (const { parameters } of starts) {
      const { plan } = await compileFile(name, { cwd, environment, parameters });
      if (plan) plans.push(plan);
    }
    found.places.push(...plans.map(placeOfPlan));
    if (plans.length === 0) found.unplaced.push(name);
  }
  return found;
}

function placeOfPlan({ pipeline, records }: Plan): PipelineRecords {
  return { pipeline, records };
}

export interface KnownRuns {
  places: PipelineRecords[];
  /** Ids of open runs. */
  open: Set<string>;
  /** Runs whose memo, with the location of the records, cannot be decoded here. */
  unreadable: Readable[];
}

/** Reads all runs that Temporal knows, or only the open ones. */
export async function knownRuns(client: Client, which: 'all' | 'open'): Promise<KnownRuns> {
  const type = `WorkflowType = '${workflowNames.run}'`;
  const query = which === 'all' ? type : `${type} AND ExecutionStatus = 'Running'`;
  const places = new Map<string, PipelineRecords>();
  const open = new Set<string>();
  const unreadable: Readable[] = [];
  for await (const info of listWorkflows(client, { query, pageSize: 1_000 })) {
    const { run, status, memo } = snapshotOf(info);
    if (status === 'running') open.add(run);
    if (memo !== null) places.set(JSON.stringify(placeOfMemo(memo)), placeOfMemo(memo));
    if (info.unreadable !== null) unreadable.push(info);
  }
  return { places: [...places.values()], open, unreadable };
}

function placeOfMemo({ pipeline, records }: RunMemo): PipelineRecords {
  return { pipeline, records };
}
