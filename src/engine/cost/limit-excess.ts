// Compares the work of a plan with the limits of a run. Pure.
import { parseSizeBytes } from '../../language/byte-size.ts';
import type { RunLimits } from '../../plan/run/run-limits.ts';
import { modelKeyOf } from '../../store/records/cell-keys.ts';
import { removeDuplicateIds } from '../remove-duplicate-ids.ts';
import { type FoundWork, isNewModel } from './found-work.ts';
import type { Estimate } from './step-cost.ts';

export interface Excess {
  limit: keyof RunLimits;
  allowed: number;
  planned: number;
  /** Set for renders if some conditions are decided only during the run, so that it may need fewer renders. */
  max?: true;
  /** Set if the limit was given for the run and differs from the limit in the file. */
  ofRun?: true;
}

export interface PlannedWork {
  assets: number;
  models: number;
  bytes: number;
}

/** Returns the size of a run: assets, models to create, and bytes of their files. Cells of a model share a file. */
export function plannedWorkOf({ assets }: Pick<FoundWork, 'assets'>): PlannedWork {
  const uploads = assets.filter(isNewModel);
  const files = removeDuplicateIds(uploads, modelKeyOf);
  const bytes = files.reduce((sum, { source }) => sum + source.bytes, 0);
  return { assets: assets.length, models: files.length, bytes };
}

/** Finds all limits that the plan exceeds. Empty if the run may start. */
export function findExcess(limits: RunLimits, cost: Estimate, plannedWork: PlannedWork): Excess[] {
  const maxCreated = (kind: string, max: number) => Math.min(max, cost.creates[kind] ?? 0);
  const needs = [
    { limit: 'renders', planned: cost.renders },
    { limit: 'models', planned: maxCreated('model', plannedWork.models) },
    { limit: 'projects', planned: maxCreated('project', plannedWork.assets) },
    { limit: 'requests', planned: cost.requests.total },
    { limit: 'storage', planned: plannedWork.bytes },
  ] as const;
  const storage = limits.storage === undefined ? undefined : parseSizeBytes(limits.storage);
  const caps = { ...limits, storage };
  return needs.flatMap(({ limit, planned }) => {
    const allowed = caps[limit];
    if (allowed === undefined || planned <= allowed) return [];
    const max = limit === 'renders' && cost.max ? { max: true as const } : {};
    return [{ limit, allowed, planned, ...max }];
  });
}

export function formatExcess(excess: readonly Excess[]): string {
  return excess
    .map(({ limit, allowed, planned, max, ofRun }) => {
      const unit = limit === 'storage' ? ' bytes' : '';
      const needs = max ? 'may need up to' : 'needs';
      return `${ofRun ? '--limit ' : 'limits.'}${limit} allows ${allowed}${unit}, but the plan ${needs} ${planned}${unit}`;
    })
    .join('\n');
}
