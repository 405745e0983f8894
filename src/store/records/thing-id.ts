import type { PlatformThing } from '../../plan/contract.ts';

/** One text for each platform resource, for comparing. */
export function thingId({ kind, id }: PlatformThing): string {
  return `${kind} ${id}`;
}
