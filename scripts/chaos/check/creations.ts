// I1: each resource was created once, or a report mentions the asset for which it may have been created twice.

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
  const ofModel = {
    subjectOf: text('modelId'),
    keyOf: (row: Row) => keys.get(String(row['modelId'])),
  };
  const sheets = { ...ofModel, operation: 'exportProductionFile' };
  const resourceKinds: ResourceKind[] = [
    {
      kind: 'projects',
      rows: platformState.projects,
      subjectOf: firstModel,
      keyOf: (project) => keys.get(firstModel(project)),
      operation: 'createProjects',
    },
    {
      kind: 'colorway jobs',
      rows: platformState.colorwayJobs,
      ...ofModel,
      operation: 'createColorwayBatch',
    },
    { kind: 'exports', rows: platformState.exports.filter(hasSucceeded), ...sheets },
    { kind: 'production files', rows: platformState.productionFiles, ...sheets },
    {
      kind: 'render jobs',
      rows: notCancelled,
      subjectOf: text('projectId'),
      keyOf: (job) => keys.get(modelOfJob(platformState, job)),
      operation: 'createRenders',
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
  rows: readonly Row[];
  /** Returns the subject that may have only one resource of this kind. */
  subjectOf: (row: Row) => string;
  /** Returns the key of the asset that the resource belongs to. */
  keyOf: (row: Row) => string | undefined;
  /** The creating operation. Possible duplicates of other operations do not count. */
  operation: string;
}

function findDuplicates(
  { kind, rows: allRows, subjectOf, keyOf, operation }: ResourceKind,
  possibleDuplicates: readonly PossibleDuplicate[],
): Violation[] {
  return [...groupBy(allRows, subjectOf)].flatMap(([subject, rows]) => {
    const owner = (rows[0] && keyOf(rows[0])) ?? '?';
    const isReported = possibleDuplicates.some(
      (duplicate) => duplicate.key === owner && duplicate.operation === operation,
    );
    if (rows.length < 2 || isReported) return [];
    return [violation(`${rows.length} ${kind} for ${owner} (of ${subject}): ${idsOf(rows)}`)];
  });
}

const uploads: readonly string[] = ['createJob', 'createModels'];

function findDuplicateModels(
  { models }: PlatformState,
  pipelines: readonly PipelineEvidence[],
  possibleDuplicates: readonly PossibleDuplicate[],
): Violation[] {
  const violations: Violation[] = [];
  for (const [key, modelsOfKey] of groupBy(models, modelKey)) {
    const owner = pipelines.find(({ sources }) => sources.has(key));
    if (!owner) {
      violations.push(violation(`models of no source file: ${key}`));
      continue;
    }
    const reportedIds = namedIds(
      possibleDuplicates.filter(
        (duplicate) => duplicate.key === key && uploads.includes(duplicate.operation),
      ),
    );
    if (reportedIds === null) continue;
    const rows = modelsOfKey.filter(({ id }) => !reportedIds.has(id));
    const contents = owner.sources.get(key) ?? [];
    const uploadedRows = rows.filter((row) => isUploaded(row) && !isGivenUp(row, contents));
    const contentGroups = [...groupBy(uploadedRows, contentOf).values()];
    const max = Math.max(0, ...contentGroups.map((group) => group.length));
    if (rows.length <= owner.sharingPipelines * contents.length && max <= owner.sharingPipelines)
      continue;
    const description = `${owner.sharingPipelines} pipelines and ${contents.length} contents`;
    violations.push(
      violation(`${rows.length} models for ${key}, which has ${description}: ${idsOf(rows)}`),
    );
  }
  return violations;
}

/** Formats the ids, each with its progress. */
function idsOf(rows: readonly Row[]): string {
  const descriptions = rows.map((row) => {
    const about = [progressOf(row), row.deleted ? 'deleted' : ''].filter((word) => word !== '');
    return about.length > 0 ? `${row.id} (${about.join(', ')})` : row.id;
  });
  return descriptions.join(', ');
}

/** Describes how far the upload of a model progressed. Empty for a confirmed model and for other resources. */
function progressOf(row: Row): string {
  if (row['uploadKey'] === undefined || row['confirmedAt'] !== undefined) return '';
  return isUploaded(row) ? 'not confirmed' : 'no file';
}

function violation(problem: string): Violation {
  return { invariant: 'I1', what: problem };
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
