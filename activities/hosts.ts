// What a run asks about hosts before anything is spent: how many there are, and which folders each of them has.
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import { errnoOf } from '../src/connectors/connector-error.ts';
import { type DiscoverInput, severalHostsType } from '../src/plan/contract.ts';
import {
  type FindHostInput,
  type FolderView,
  hasLocalFolders,
  type ProbeInput,
} from '../src/plan/folders.ts';
import type { Deps } from './deps.ts';

/** Hosts that are asked; with more, somebody has to name one. */
const hostsAtMost = 50;

/** @throws ApplicationFailure with the hosts, where there are several and the run does not know yet which has its folders */
export async function mustKnowHost(
  { context, placed }: Pick<DiscoverInput, 'context' | 'placed'>,
  deps: Pick<Deps, 'hosts'>,
): Promise<void> {
  if (context.host !== undefined || placed || !hasLocalFolders(context)) return;
  const hosts = await deps.hosts();
  if (hosts.length <= 1) return;
  throw ApplicationFailure.create({
    message: `workers run on ${hosts.length} hosts, and each may have folders of its own`,
    type: severalHostsType,
    nonRetryable: true,
    details: [hosts.slice(0, hostsAtMost)],
  });
}

/** Tells whether workers run on a host. */
export async function findHost(
  { host }: FindHostInput,
  deps: Pick<Deps, 'hosts'>,
): Promise<{ here: boolean }> {
  return { here: (await deps.hosts(host)).includes(host) };
}

/** The folders as this host sees them. */
export function probeFolders({ paths }: ProbeInput): Promise<FolderView[]> {
  return Promise.all(paths.map(viewOf));
}

async function viewOf(path: string): Promise<FolderView> {
  const id = await identityOf(path);
  if (id !== null) return { id, above: null };
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const above = await identityOf(folder);
    if (above !== null) return { id: null, above: `${above} ${path.slice(folder.length)}` };
    if (folder === dirname(folder)) return { id: null, above: null };
  }
}

/**
 * Number and birth of a folder: they are the same wherever one folder is mounted, and no two folders share both. The device
 * is not in it, since every host numbers its own.
 */
async function identityOf(path: string): Promise<string | null> {
  try {
    const { ino, birthtimeNs } = await stat(path, { bigint: true });
    return `${ino}:${birthtimeNs}`;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return null;
    // It is there, but not for this worker: its own words come when it is used.
    if (errnoOf(error) === 'EACCES') return 'no access';
    throw error;
  }
}
