import type { PlatformThing } from '../../plan/contract.ts';

/** Text that is the same for the same thing of the platform. */
export function thingId({ kind, id }: PlatformThing): string {
  return `${kind} ${id}`;
}
