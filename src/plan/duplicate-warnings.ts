// Warnings about possible duplicates are stored with the platform ids, one per line, until a step result reports them.
import { omitUndefined } from './helpers/omit-undefined.ts';
import type { PlatformIds } from './platform-ids.ts';

export function takeDuplicateWarnings({ possibleDuplicate, ...platformIds }: PlatformIds): {
  platformIds: PlatformIds;
  warnings: string[];
} {
  return { platformIds, warnings: possibleDuplicate?.split('\n') ?? [] };
}

/** Joins warnings, each once. Undefined if there are none. */
export function joinDuplicateWarnings(
  ...warnings: readonly (string | undefined)[]
): string | undefined {
  const lines = new Set(warnings.flatMap((warning) => warning?.split('\n') ?? []));
  return lines.size === 0 ? undefined : [...lines].join('\n');
}

/** Merges the ids of two calls. Ids of the later call replace earlier ones, but the warnings of both are kept. */
export function mergeCreatedIds(earlier: PlatformIds, later: PlatformIds): PlatformIds {
  const possibleDuplicate = joinDuplicateWarnings(
    earlier.possibleDuplicate,
    later.possibleDuplicate,
  );
  return { ...earlier, ...later, ...omitUndefined({ possibleDuplicate }) };
}
