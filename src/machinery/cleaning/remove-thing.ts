// Deletes one resource of the platform permanently.
import type { CallOptions, Client } from '../../api/client.ts';
import { deletionOf } from '../../api/things.ts';
import type { PlatformThing } from '../../plan/contract.ts';
import { nullWhenGone } from '../null-when-gone.ts';

/** A missing resource counts as deleted. */
export async function removeThing(
  client: Client,
  { kind, id }: PlatformThing,
  options: CallOptions,
): Promise<void> {
  const { operation, input } = deletionOf(kind, id);
  await nullWhenGone(() => client.send(operation, input, options));
}
