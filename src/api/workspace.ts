// The workspace that an API key belongs to.
import type { CallOptions, Client } from './client.ts';

export interface Workspace {
  id: string;
  name: string | null;
}

/** Reads the workspace of the API key with one request, which also detects a wrong key. Request errors are thrown. */
export async function readWorkspace(
  client: Pick<Client, 'getMe'>,
  options: CallOptions = {},
): Promise<Workspace> {
  const { workspace } = await client.getMe({}, { priority: 'interactive', ...options });
  const { id, name = null } = workspace;
  return { id, name };
}
