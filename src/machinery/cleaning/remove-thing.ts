// Deletes one thing of the platform, for good.
import type { CallOptions, Client } from '../../api/client.ts';
import { deletionOf } from '../../api/things.ts';
import type { PlatformThing } from '../../plan/contract.ts';
import { nullWhenGone } from '../null-when-gone.ts';

/** Gone already is as good as deleted. */
export async function removeThing(
  client: Client,
  { kind, id }: PlatformThing,
  options: CallOptions,
): Promise<void> {
  const { operation, input } = deletionOf(kind, id);
  await nullWhenGone(() => client.send(operation, input, options));
}
