// The workspace that a key belongs to.
import type { CallOptions, Client } from './client.ts';

export interface Workspace {
  id: string;
  name: string | null;
}

/** Reads the workspace of a key with one request, which also detects a wrong key. @throws the platform's refusal */
export async function workspaceOf(
  client: Pick<Client, 'getMe'>,
  options: CallOptions = {},
): Promise<Workspace> {
  const { workspace } = await client.getMe({}, { priority: 'interactive', ...options });
  const { id, name = null } = workspace;
  return { id, name };
}
