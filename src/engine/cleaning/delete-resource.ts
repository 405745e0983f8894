// Deletes one resource of the platform permanently.
import type { CallOptions, Client } from '../../api/client.ts';
import { deletionOf } from '../../api/resources.ts';
import type { PlatformResource } from '../../plan/contract/contract.ts';
import { nullWhenMissing } from '../null-when-missing.ts';

/** Deletes a resource. A missing resource counts as deleted. */
export async function deleteResource(
  client: Client,
  { kind, id }: PlatformResource,
  options: CallOptions,
): Promise<void> {
  const { operation, input } = deletionOf(kind, id);
  await nullWhenMissing(() => client.send(operation, input, options));
}
