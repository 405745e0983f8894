import type { PlatformResource } from '../../plan/contract/contract.ts';

/** One text for each platform resource, for comparing. */
export function resourceId({ kind, id }: PlatformResource): string {
  return `${kind} ${id}`;
}
