// Activities and checks about hosts, before a run spends anything: which hosts exist, and which folders they see.
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import { errnoOf } from '../../src/connectors/connector-error.ts';
import { type DiscoverInput, severalHostsType } from '../../src/plan/contract/contract.ts';
import {
  type FindHostInput,
  type FolderView,
  hasLocalFolders,
  type ProbeInput,
} from '../../src/plan/run/folders.ts';
import type { Deps } from '../deps.ts';

/**
 * @throws ApplicationFailure with the list of hosts if there are several and the run does not know which one has its
 * folders
 */
export async function assertSingleHost(
  { context, isHostChosen }: Pick<DiscoverInput, 'context' | 'isHostChosen'>,
  deps: Pick<Deps, 'listHosts'>,
): Promise<void> {
  if (context.host !== undefined || isHostChosen || !hasLocalFolders(context)) return;
  const hosts = await deps.listHosts();
  if (hosts.length <= 1) return;
  throw ApplicationFailure.create({
    message: `workers run on ${hosts.length} hosts, and each host may have different folders`,
    type: severalHostsType,
    nonRetryable: true,
    details: [hosts],
  });
}

/** Checks whether workers run on a host. */
export async function findHost(
  { host }: FindHostInput,
  deps: Pick<Deps, 'listHosts'>,
): Promise<{ here: boolean }> {
  return { here: (await deps.listHosts(host)).includes(host) };
}

/** Describes the folders as this host sees them. */
export function probeFolders({ paths }: ProbeInput): Promise<FolderView[]> {
  return Promise.all(paths.map(viewFolder));
}

async function viewFolder(path: string): Promise<FolderView> {
  const id = await readFolderId(path);
  if (id !== null) return { id, parentId: null };
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const ancestorId = await readFolderId(folder);
    if (ancestorId !== null)
      return { id: null, parentId: `${ancestorId} ${path.slice(folder.length)}` };
    if (folder === dirname(folder)) return { id: null, parentId: null };
  }
}

/**
 * Reads a folder's id: its inode and birth time, which are the same on every host that mounts it. Device numbers
 * are not used, because each host assigns its own. Returns null if the folder does not exist.
 */
async function readFolderId(path: string): Promise<string | null> {
  try {
    const { ino, birthtimeNs } = await stat(path, { bigint: true });
    return `${ino}:${birthtimeNs}`;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return null;
    // This worker may not look for the folder. The error is reported when the folder is used.
    if (errnoOf(error) === 'EACCES') return 'no access';
    throw error;
  }
}
