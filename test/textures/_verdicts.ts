// Formats what a plan says about each path as one line.
import type { ImportPlan } from '../../src/textures/plan-import.ts';

export interface Verdict {
  readonly class: string;
  readonly material?: string;
  readonly channel?: string;
}

/** The verdict of every path. @throws Error if a path occurs twice in the plan */
export function verdictsOf(plan: ImportPlan): Map<string, Verdict> {
  const verdicts = new Map<string, Verdict>();
  const put = (path: string, verdict: Verdict) => {
    if (verdicts.has(path)) throw new Error(`${path} is in the plan twice.`);
    verdicts.set(path, verdict);
  };
  for (const { name, textures } of plan.materials) {
    for (const [channel, path] of Object.entries(textures)) {
      put(path, { class: 'channel', material: name, channel });
    }
  }
  for (const { file, material, channel } of plan.duplicates) {
    put(file, { class: 'duplicate', material, channel });
  }
  for (const list of ['ignored', 'packed', 'unmatched', 'skipped'] as const) {
    for (const path of plan[list]) put(path, { class: list });
  }
  return verdicts;
}
