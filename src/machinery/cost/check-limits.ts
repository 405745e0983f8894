// Compares a plan with the `limits` of its file. Pure.
import { sizeBytes } from '../../language/byte-size.ts';
import type { RunLimits } from '../../plan/run-limits.ts';
import { type FoundWork, isTakenUp } from './found-work.ts';
import type { Estimate } from './step-cost.ts';

export interface Excess {
  limit: keyof RunLimits;
  allowed: number;
  planned: number;
  /** Set if some conditions are only decided by the run, which may need fewer. */
  atMost?: true;
}

export interface Work {
  assets: number;
  models: number;
  bytes: number;
}

/** The size of a run: number of assets, number of models to create, and bytes of their files. */
export function workOf({ assets }: Pick<FoundWork, 'assets'>): Work {
  const files = assets.filter((asset) => asset.source.id === undefined && isTakenUp(asset));
  const bytes = files.reduce((sum, { source }) => sum + source.bytes, 0);
  return { assets: assets.length, models: files.length, bytes };
}

/** All limits that the plan exceeds; empty if the run may start. */
export function findExcess(limits: RunLimits, cost: Estimate, work: Work): Excess[] {
  const made = (kind: string, most: number) => Math.min(most, cost.makes[kind] ?? 0);
  const needs = [
    { limit: 'renders', planned: cost.renders },
    { limit: 'models', planned: made('model', work.models) },
    { limit: 'projects', planned: made('project', work.assets) },
    { limit: 'requests', planned: cost.requests.total },
    { limit: 'storage', planned: work.bytes },
  ] as const;
  const caps = {
    ...limits,
    storage: limits.storage === undefined ? undefined : sizeBytes(limits.storage),
  };
  return needs.flatMap(({ limit, planned }) => {
    const allowed = caps[limit];
    if (allowed === undefined || planned <= allowed) return [];
    const atMost = limit === 'renders' && cost.atMost ? { atMost: true as const } : {};
    return [{ limit, allowed, planned, ...atMost }];
  });
}

export function excessLines(excess: readonly Excess[]): string {
  return excess
    .map(({ limit, allowed, planned, atMost }) => {
      const unit = limit === 'storage' ? ' bytes' : '';
      const needs = atMost ? 'may need up to' : 'needs';
      return `limits.${limit} allows ${allowed}${unit}, the plan ${needs} ${planned}${unit}`;
    })
    .join('\n');
}
