// Warnings about possible duplicates are stored with the platform ids until a step result reports them.
import type { PlatformIds } from './platform-ids.ts';

export function takeDuplicateWarning({ possibleDuplicate, ...platformIds }: PlatformIds): {
  platformIds: PlatformIds;
  warnings: string[];
} {
  return { platformIds, warnings: possibleDuplicate === undefined ? [] : [possibleDuplicate] };
}
