// Restricts commands that are called by a program (such as an MCP client) to the folders that the user allowed.
import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { isInsideFolder } from '../connectors/disk/local-jail.ts';
import { commandFailures } from '../failures/commands.ts';
import { memoize } from '../plan/helpers/memoize.ts';
import { destinationsOf, type RunMemo } from '../plan/run/run-memo.ts';
import type { ConnectorSpec, Plan } from '../plan/types.ts';
import type { App, AppOptions } from './app.ts';
import { RenderlineError } from './renderline-error.ts';

/** `cwd` is the base folder of relative paths. Only `folders` may be read; if undefined, all folders may be. */
export type FolderBounds = Pick<AppOptions, 'cwd' | 'folders'>;

/** @throws RenderlineError for a path outside the allowed folders, even through a symbolic link */
export async function assertPathAllowed(bounds: FolderBounds, path: string): Promise<void> {
  if (await isPathAllowed(bounds, path)) return;
  throw new RenderlineError(
    commandFailures.OUTSIDE_FOLDERS,
    `${path} is outside the folders of this server: ${(bounds.folders ?? []).join(', ')}.`,
  );
}

async function isPathAllowed({ cwd, folders }: FolderBounds, path: string): Promise<boolean> {
  if (folders === undefined) return true;
  const real = await resolveRealPath(resolve(cwd, path));
  const roots = await Promise.all(folders.map((folder) => resolveRealPath(folder)));
  return real !== null && roots.some((root) => root !== null && isInsideFolder(root, real));
}

/** @throws RenderlineError if a local folder of the plan is outside the allowed folders */
export async function assertPlanAllowed(bounds: FolderBounds, plan: Plan): Promise<void> {
  const specs = [...Object.values(plan.connectors), plan.records, plan.destination];
  for (const path of localFoldersOf(specs)) await assertPathAllowed(bounds, path);
}

/** @throws RenderlineError if the run's memo in Temporal contains a local folder outside the allowed folders */
export async function assertRunAllowed(bounds: FolderBounds, run: RunWithMemo): Promise<void> {
  for (const path of foldersOf(run)) await assertPathAllowed(bounds, path);
}

/**
 * Returns a function that checks whether the records and destinations of a run are in allowed folders. Each folder is
 * resolved only once, even if many runs use it.
 */
export function createRunFilter(bounds: FolderBounds): (run: RunWithMemo) => Promise<boolean> {
  const isAllowed = memoize((path) => isPathAllowed(bounds, path));
  return async (run) => {
    const verdicts = await Promise.all(foldersOf(run).map(isAllowed));
    return verdicts.every((isInsideRoots) => isInsideRoots);
  };
}

/** Notes how many runs a list leaves out. See `createRunFilter`. */
export function noteRunsOutside(app: Pick<App, 'note'>, runs: number): void {
  if (runs === 0) return;
  app.note(
    runs === 1
      ? '1 run is not shown, because its records are outside the folders of this server.'
      : `${runs} runs are not shown, because their records are outside the folders of this server.`,
  );
}

/** A run as Temporal lists it. The memo is null for a run that Renderline did not start. */
type RunWithMemo = { memo: RunMemo | null };

function foldersOf({ memo }: RunWithMemo): string[] {
  return memo === null ? [] : localFoldersOf([memo.records, ...destinationsOf(memo)]);
}

function localFoldersOf(specs: readonly (ConnectorSpec | null | undefined)[]): string[] {
  return specs.flatMap((spec) => {
    const path = spec?.type === 'local' ? spec['path'] : undefined;
    return typeof path === 'string' ? [path] : [];
  });
}

/** Resolves symbolic links. The last parts of the path need not exist. Returns null for a broken link. */
async function resolveRealPath(path: string): Promise<string | null> {
  try {
    return await realpath(path);
  } catch {
    const stats = await lstat(path).catch(() => null);
    if (stats !== null || dirname(path) === path) return null;
    const parent = await resolveRealPath(dirname(path));
    return parent && join(parent, basename(path));
  }
}
