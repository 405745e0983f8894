// Chooses the host of a run with local folders, from what each host sees of them. Pure.

import { formatFirst } from '../helpers/format-first.ts';
import type { ConnectorSpec, Plan } from '../types.ts';
import type { RunContext } from './run-context.ts';

export interface LocalFolder {
  path: string;
  /** True if runs write to the folder. They create it if it is missing. */
  isWritten: boolean;
}

export interface FolderView {
  /** Equal on two hosts if the path is the same shared folder. Null if the folder does not exist. */
  id: string | null;
  /** For a missing folder: id of the nearest existing parent, with the remaining path. */
  parentId: string | null;
}

export interface ProbeInput {
  context: RunContext;
  /** Absolute paths of the folders. */
  paths: string[];
}

export interface FindHostInput {
  host: string;
}

export interface HostView {
  host: string;
  /** In the order of the requested paths. */
  folders: FolderView[];
}

/** `host: null`: all hosts see the same folders, so any host will do. `conflict`: why no host can be chosen. */
export type HostChoice = { host: string | null } | { conflict: string };

export function localFoldersOf(
  plan: Pick<Plan, 'connectors' | 'records' | 'destination'>,
): LocalFolder[] {
  const { connectors, records, destination } = plan;
  const writtenPaths = [records, destination].flatMap((spec) => (spec ? localPathOf(spec) : []));
  const paths = [...Object.values(connectors).flatMap(localPathOf), ...writtenPaths];
  return [...new Set(paths)].map((path) => ({ path, isWritten: writtenPaths.includes(path) }));
}

/** True if the run uses a folder on the machine of its worker. */
export function hasLocalFolders(context: Pick<RunContext, 'connectors' | 'records'>): boolean {
  const { connectors, records } = context;
  return [...Object.values(connectors), records].some((spec) => localPathOf(spec).length > 0);
}

function localPathOf({ type, path }: ConnectorSpec): string[] {
  return type === 'local' && typeof path === 'string' ? [path] : [];
}

/**
 * Chooses the host of a run. A folder that is the same on all hosts binds the run to no host. A folder that only some
 * hosts have binds the run to those hosts.
 * @param views what each host sees, for hosts that responded
 */
export function chooseHost(
  folders: readonly LocalFolder[],
  views: readonly HostView[],
): HostChoice {
  const [only] = views;
  if (only === undefined) return { conflict: 'no host has responded' };
  if (views.length === 1) return { host: only.host };
  let candidates = [...views].sort((a, b) => (a.host < b.host ? -1 : 1));
  let isBound = false;
  folders.forEach(({ isWritten }, folderIndex) => {
    const hostsWithFolder = views.filter((view) => folderIdOf(view, folderIndex) !== null);
    if (hostsWithFolder.length === 0) {
      // A folder that is created later exists on one host only, unless its parent is shared.
      if (isWritten && hasDifferentFolders(views, folderIndex)) isBound = true;
      return;
    }
    if (hostsWithFolder.length === views.length && !hasDifferentFolders(views, folderIndex)) return;
    isBound = true;
    candidates = candidates.filter((view) => hostsWithFolder.includes(view));
  });
  if (!isBound) return { host: null };
  const [first, ...others] = candidates;
  const isOpen = folders.some((_, folderIndex) => hasDifferentFolders(candidates, folderIndex));
  if (first !== undefined && (others.length === 0 || !isOpen)) return { host: first.host };
  return { conflict: describeConflicts(folders, views, candidates) };
}

function folderIdOf({ folders }: HostView, folderIndex: number): string | null {
  return folders[folderIndex]?.id ?? null;
}

function hasDifferentFolders(views: readonly HostView[], folderIndex: number): boolean {
  const folderIds = views.map(
    ({ folders }) => folders[folderIndex]?.id ?? folders[folderIndex]?.parentId,
  );
  return new Set(folderIds).size > 1;
}

function describeConflicts(
  folders: readonly LocalFolder[],
  views: readonly HostView[],
  candidates: readonly HostView[],
): string {
  const lines = folders.flatMap(({ path }, folderIndex) => {
    const hostsWithFolder = views.filter((view) => folderIdOf(view, folderIndex) !== null);
    const hostsWithoutFolder = views.filter((view) => folderIdOf(view, folderIndex) === null);
    if (hostsWithFolder.length === 0) {
      return hasDifferentFolders(views, folderIndex)
        ? `"${path}" does not exist on ${formatHosts(views)}, and they do not share its parent folder`
        : [];
    }
    if (candidates.length === 0) {
      return hostsWithoutFolder.length > 0
        ? `"${path}" exists on ${formatHosts(hostsWithFolder)}, but not on ${formatHosts(hostsWithoutFolder)}`
        : [];
    }
    return hasDifferentFolders(hostsWithFolder, folderIndex)
      ? `"${path}" is a different folder on each of ${formatHosts(hostsWithFolder)}`
      : [];
  });
  return lines.join('; ');
}

function formatHosts(views: readonly HostView[]): string {
  return formatFirst(
    views.map(({ host }) => host),
    5,
  );
}
