// The workspace that a key belongs to.
import type { CallOptions, Client } from './client.ts';

export interface Workspace {
  id: string;
  name: string | null;
}

/** One request; it also shows a wrong key. @throws what the platform refuses */
export async function workspaceOf(
  client: Pick<Client, 'getMe'>,
  options: CallOptions = {},
): Promise<Workspace> {
  const { workspace } = await client.getMe({}, { priority: 'interactive', ...options });
  const { id, name = null } = workspace;
  return { id, name };
}
