// I1: each resource was created once, or a report names the asset for which it may have been created twice.

import type { Evidence, PipelineEvidence, PlatformState, Row, Violation } from './evidence.ts';
import {
  contentOf,
  firstModel,
  groupBy,
  isGivenUp,
  modelKey,
  modelOfJob,
} from './platform-rows.ts';
import { namedIds, type PossibleDuplicate, possibleDuplicatesIn } from './possible-duplicates.ts';

export function checkCreations({ platformState, pipelines, runs }: Evidence): Violation[] {
  const keys = new Map(platformState.models.map((model) => [model.id, modelKey(model)]));
  const possibleDuplicates = possibleDuplicatesIn(runs);
  const notCancelled = platformState.renderJobs.filter(
    ({ cancelledAt }) => cancelledAt === undefined,
  );
  const ofModel = { one: text('modelId'), key: (row: Row) => keys.get(String(row['modelId'])) };
  const sheets = { ...ofModel, by: 'exportProductionFile' };
  const resourceKinds: ResourceKind[] = [
    {
      kind: 'projects',
      of: platformState.projects,
      one: firstModel,
      key: (project) => keys.get(firstModel(project)),
      by: 'createProjects',
    },
    {
      kind: 'colorway jobs',
      of: platformState.colorwayJobs,
      ...ofModel,
      by: 'createColorwayBatch',
    },
    { kind: 'exports', of: platformState.exports.filter(hasSucceeded), ...sheets },
    { kind: 'production files', of: platformState.productionFiles, ...sheets },
    {
      kind: 'render jobs',
      of: notCancelled,
      one: text('projectId'),
      key: (job) => keys.get(modelOfJob(platformState, job)),
      by: 'createRenders',
    },
  ];
  const duplicateResources = resourceKinds.flatMap((resourceKind) =>
    findDuplicates(resourceKind, possibleDuplicates),
  );
  return [
    ...findDuplicateModels(platformState, pipelines, possibleDuplicates),
    ...duplicateResources,
  ];
}

interface ResourceKind {
  kind: string;
  of: readonly Row[];
  /** The subject that may have only one resource of this kind. */
  one: (row: Row) => string;
  /** Key of the asset that the resource belongs to. */
  key: (row: Row) => string | undefined;
  /** The creating operation; possible duplicates of other operations do not count. */
  by: string;
}

function findDuplicates(
  { kind, of, one, key, by }: ResourceKind,
  possibleDuplicates: readonly PossibleDuplicate[],
): Violation[] {
  return [...groupBy(of, one)].flatMap(([what, rows]) => {
    const owner = (rows[0] && key(rows[0])) ?? '?';
    const isReported = possibleDuplicates.some(
      (duplicate) => duplicate.key === owner && duplicate.operation === by,
    );
    if (rows.length < 2 || isReported) return [];
    return [violation(`${rows.length} ${kind} for ${owner} (of ${what}): ${idsOf(rows)}`)];
  });
}

const uploads: readonly string[] = ['createJob', 'createModels'];

function findDuplicateModels(
  { models }: PlatformState,
  pipelines: readonly PipelineEvidence[],
  possibleDuplicates: readonly PossibleDuplicate[],
): Violation[] {
  const found: Violation[] = [];
  for (const [key, made] of groupBy(models, modelKey)) {
    const owner = pipelines.find(({ sources }) => sources.has(key));
    if (!owner) {
      found.push(violation(`models of no source file: ${key}`));
      continue;
    }
    const named = namedIds(
      possibleDuplicates.filter(
        (duplicate) => duplicate.key === key && uploads.includes(duplicate.operation),
      ),
    );
    if (named === null) continue;
    const rows = made.filter(({ id }) => !named.has(id));
    const contents = owner.sources.get(key) ?? [];
    const kept = rows.filter((row) => isUploaded(row) && !isGivenUp(row, contents));
    const same = [...groupBy(kept, contentOf).values()];
    const max = Math.max(0, ...same.map((one) => one.length));
    if (rows.length <= owner.sharingPipelines * contents.length && max <= owner.sharingPipelines)
      continue;
    const allowed = `${owner.sharingPipelines} pipelines and ${contents.length} contents`;
    found.push(violation(`${rows.length} models for ${key}, which has ${allowed}: ${idsOf(rows)}`));
  }
  return found;
}

/** The ids, each with its progress. */
function idsOf(rows: readonly Row[]): string {
  const descriptions = rows.map((row) => {
    const about = [progressOf(row), row.deleted ? 'deleted' : ''].filter((word) => word !== '');
    return about.length > 0 ? `${row.id} (${about.join(', ')})` : row.id;
  });
  return descriptions.join(', ');
}

/** How far the upload of a model came; empty for a confirmed model and for other resources. */
function progressOf(row: Row): string {
  if (row['uploadKey'] === undefined || row['confirmedAt'] !== undefined) return '';
  return isUploaded(row) ? 'not confirmed' : 'no file';
}

function violation(what: string): Violation {
  return { invariant: 'I1', what };
}

const text =
  (field: string) =>
  (row: Row): string =>
    String(row[field]);

function isUploaded({ file }: Row): boolean {
  return file !== undefined;
}

function hasSucceeded({ failure }: Row): boolean {
  return failure === undefined;
}
