// I3: everything that the platform charges for belongs to an asset or has an explanation, and pipelines stay within
// their `limits`. I1 trusts the reports, whereas this check counts.

import { maxForgotten } from '../platform.ts';
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
import { isStopped } from './reports.ts';

export function checkCharges(evidence: Evidence): Violation[] {
  const charges = chargesOf(evidence.platformState);
  const problems = [...findUnexplained(charges, evidence), ...findOverspent(charges, evidence)];
  return problems.map((problem) => ({ invariant: 'I3', what: problem }));
}

const calls = {
  models: ['createJob', 'createModels'],
  projects: ['createProjects'],
  'colorway jobs': ['createColorwayBatch'],
  'render jobs': ['createRenders'],
  captures: ['exportProductionFile'],
};

/** A resource that the platform created, even if it has since been deleted or cancelled. */
interface Charge {
  kind: keyof typeof calls;
  row: Row;
  model: Row;
  /** Key of the asset. */
  key: string;
}

function chargesOf(platformState: PlatformState): Charge[] {
  const models = new Map(platformState.models.map((model) => [model.id, model]));
  const charges = (
    kind: Charge['kind'],
    rows: readonly Row[],
    modelId: (row: Row) => string,
  ): Charge[] =>
    rows.flatMap((row) => {
      const model = models.get(modelId(row));
      return model ? [{ kind, row, model, key: modelKey(model) }] : [];
    });
  const ofModel = ({ modelId }: Row) => String(modelId);
  return [
    ...charges('models', platformState.models, ({ id }) => id),
    ...charges('projects', platformState.projects, firstModel),
    ...charges('colorway jobs', platformState.colorwayJobs, ofModel),
    ...charges('render jobs', platformState.renderJobs, (job) => modelOfJob(platformState, job)),
    ...charges('captures', platformState.captures, ofModel),
  ];
}

/**
 * Finds unexplained resources. A resource that no record mentions must belong to older content or to an abandoned
 * upload, have been cancelled with its run, or be reported as a duplicate.
 */
function findUnexplained(charges: readonly Charge[], evidence: Evidence): string[] {
  const { pipelines, runs, platformState } = evidence;
  const recorded = recordedIds(pipelines, charges);
  const possibleDuplicates = possibleDuplicatesIn(runs);
  const unexplainedCharges = charges.filter(({ row, model, key }) => {
    const owners = pipelines.filter(({ sources }) => sources.has(key));
    const contents = owners[0]?.sources.get(key) ?? [];
    const isOld = contents.length > 1 && contentOf(model) !== contents.at(-1);
    const isCancelled = row['cancelledAt'] !== undefined && owners.some(hasStopped(runs));
    return !(recorded.has(row.id) || isOld || isCancelled || isGivenUp(model, contents));
  });
  return [...groupBy(unexplainedCharges, ({ kind, key }) => `${kind} for ${key}`)].flatMap(
    ([label, groupCharges]) => {
      const duplicates = possibleDuplicates.filter(({ key, operation }) =>
        groupCharges.some((charge) => charge.key === key && calls[charge.kind].includes(operation)),
      );
      const max = duplicates.reduce((sum, duplicate) => sum + maxOf(duplicate, platformState), 0);
      if (groupCharges.length <= max) return [];
      const ids = groupCharges.map(({ row }) => row.id).join(', ');
      return [
        `${groupCharges.length} ${label} that no asset has, and ${max} are reported as possible duplicates: ${ids}`,
      ];
    },
  );
}

/**
 * Returns the maximum number of resources that a report explains: those it mentions, or else all that the platform can
 * forget.
 */
function maxOf(duplicate: PossibleDuplicate, { starts }: PlatformState): number {
  return namedIds([duplicate])?.size ?? maxForgotten * starts;
}

/** True if a run of the pipeline was stopped. A terminated or reset shard cancels its jobs, as a cancelled run does. */
const hasStopped =
  (runs: Evidence['runs']) =>
  ({ name }: PipelineEvidence): boolean =>
    runs.some(({ pipeline, outcome }) => pipeline === name && isStopped(outcome));

/** Returns the ids in records, plus one colorway job per recorded model and one capture per variant. */
function recordedIds(
  pipelines: readonly PipelineEvidence[],
  charges: readonly Charge[],
): Set<unknown> {
  const platformIds = pipelines.flatMap(({ records }) =>
    records.map((record) => record.platformIds),
  );
  const idsInRecords = new Set(
    platformIds.flatMap(({ modelId, projectId, jobId }) => [modelId, projectId, jobId]),
  );
  const firstIds = (kind: Charge['kind'], keyOf: (row: Row) => string) => {
    const rows = charges.filter(
      (charge) => charge.kind === kind && idsInRecords.has(charge.model.id),
    );
    return [...groupBy(rows, ({ row }) => keyOf(row)).values()].map(([first]) => first?.row.id);
  };
  const colorways = firstIds('colorway jobs', ({ modelId }) => String(modelId));
  const captures = firstIds(
    'captures',
    ({ modelId, variantId }) => `${String(modelId)} ${String(variantId)}`,
  );
  return new Set([...idsInRecords, ...colorways, ...captures]);
}

/**
 * Finds limits that are exceeded. `limits` apply to each run, but all runs of a round together stay within them if
 * nothing is done twice. A run also counts resources that existed before it started. Reported duplicates do not count.
 */
function findOverspent(charges: readonly Charge[], evidence: Evidence): string[] {
  const { pipelines, runs, platformState } = evidence;
  const possibleDuplicates = possibleDuplicatesIn(runs);
  return pipelines.flatMap(({ name, sources, sharingPipelines, limits }) => {
    if (!limits) return [];
    const countCharges = (...kinds: Charge['kind'][]) => {
      const ownCharges = charges.filter(
        ({ kind, key }) => kinds.includes(kind) && sources.has(key),
      );
      const duplicates = possibleDuplicates.filter(
        ({ key, operation }) =>
          sources.has(key) && kinds.some((kind) => calls[kind].includes(operation)),
      );
      return (
        ownCharges.length -
        duplicates.reduce((sum, duplicate) => sum + maxOf(duplicate, platformState), 0)
      );
    };
    const requestCounts = runs.flatMap(({ pipeline, requests }) =>
      pipeline === name ? requests.total : 0,
    );
    const spent: [string, number, number][] = [
      ['models', countCharges('models'), sharingPipelines * limits.models],
      ['projects', countCharges('projects'), sharingPipelines * limits.projects],
      ['renders', countCharges('render jobs', 'captures'), sharingPipelines * limits.renders],
      ['requests of a run', Math.max(0, ...requestCounts), limits.requests],
    ];
    return spent
      .filter(([, count, max]) => count > max)
      .map(([label, count, max]) => `${name}: ${count} ${label}, and its limits allow ${max}`);
  });
}
