// Locates the records of runs, either of a given file or of all runs in Temporal and all pipelines in the folder.
import { readdir } from 'node:fs/promises';
import type { Client } from '@temporalio/client';
import { compileFile } from '../../compile/compile.ts';
import { workflowNames } from '../../plan/contract/contract.ts';
import type { ConnectorSpec } from '../../plan/types.ts';
import { listWorkflows, type WithReadability } from '../../temporal/codec/tolerant-reader.ts';
import type { App } from '../app.ts';
import { compilePipeline } from '../compile-pipeline.ts';
import { snapshotOf } from '../runs/run-snapshot.ts';

export interface PipelineRecords {
  pipeline: string;
  records: ConnectorSpec;
}

export interface RecordLocations {
  locations: PipelineRecords[];
  /** Files whose records cannot be located, because they need parameters or are not valid. */
  unlocated: string[];
}

/** Locates the records of a file's runs. @throws RenderlineError if the file is invalid */
export async function locateRecordsOfFile(
  app: App,
  file: string,
  parameters: Readonly<Record<string, string>>,
): Promise<RecordLocations> {
  const { plan } = await compilePipeline(app, file, parameters);
  return { locations: [recordsOf(plan)], unlocated: [] };
}

/** Finds all distinct locations, those of the folder's files first. @param pipeline if set, only its locations */
export async function locateRecords(
  app: App,
  knownLocations: readonly PipelineRecords[],
  pipeline: string | undefined,
): Promise<RecordLocations> {
  const { locations, unlocated } = await locateRecordsInFolder(app);
  const distinct = new Map<string, PipelineRecords>();
  for (const location of [...locations, ...knownLocations]) {
    if (pipeline === undefined || location.pipeline === pipeline) {
      distinct.set(JSON.stringify([location.pipeline, location.records]), location);
    }
  }
  return { locations: [...distinct.values()], unlocated };
}

async function locateRecordsInFolder(app: App): Promise<RecordLocations> {
  const settings = await app.compileSettings();
  const names = (await readdir(app.cwd)).filter((name) => /\.ya?ml$/i.test(name)).sort();
  const recordLocations: RecordLocations = { locations: [], unlocated: [] };
  for (const name of names) {
    const { pipeline, schedules } = await compileFile(name, { ...settings, parameters: null });
    // The file is skipped, because the folder may contain other YAML files.
    if (pipeline === null) continue;
    const starts = schedules.length > 0 ? schedules : [{ parameters: {} }];
    const plans = [];
    for (const { parameters } of starts) {
      const { plan } = await compileFile(name, { ...settings, parameters });
      if (plan) plans.push(plan);
    }
    recordLocations.locations.push(...plans.map(recordsOf));
    if (plans.length === 0) recordLocations.unlocated.push(name);
  }
  return recordLocations;
}

function recordsOf({ pipeline, records }: PipelineRecords): PipelineRecords {
  return { pipeline, records };
}

export interface KnownRuns {
  locations: PipelineRecords[];
  openRuns: Set<string>;
  /** Runs whose memo, with the location of the records, cannot be decoded here. */
  unreadable: WithReadability[];
}

/** Reads all runs that Temporal knows, or only the open ones. */
export async function readKnownRuns(client: Client, scope: 'all' | 'open'): Promise<KnownRuns> {
  const type = `WorkflowType = '${workflowNames.run}'`;
  const query = scope === 'all' ? type : `${type} AND ExecutionStatus = 'Running'`;
  const locationsByKey = new Map<string, PipelineRecords>();
  const openRuns = new Set<string>();
  const unreadable: WithReadability[] = [];
  for await (const info of listWorkflows(client, { query, pageSize: 1_000 })) {
    const { run, status, memo } = snapshotOf(info);
    if (status === 'running') openRuns.add(run);
    if (memo !== null) locationsByKey.set(JSON.stringify(recordsOf(memo)), recordsOf(memo));
    if (info.unreadable !== null) unreadable.push(info);
  }
  return { locations: [...locationsByKey.values()], openRuns, unreadable };
}
