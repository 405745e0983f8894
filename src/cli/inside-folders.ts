// Keeps commands that a program asks for, rather than a person, inside the folders that the person chose.
import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { isInside } from '../connectors/local-jail.ts';
import { commandFailures } from '../failures/commands.ts';
import type { Plan } from '../plan/types.ts';
import { CliError } from './exit.ts';
import type { Io } from './io.ts';

type Bounds = Pick<Io, 'cwd' | 'folders'>;

/** @throws CliError for a path that lies, or leads by a link, out of the folders */
export async function refuseOutside({ cwd, folders }: Bounds, path: string): Promise<void> {
  if (folders === undefined) return;
  const real = await realOf(resolve(cwd, path));
  const roots = await Promise.all(folders.map((folder) => realOf(folder)));
  if (real !== null && roots.some((root) => root !== null && isInside(root, real))) return;
  throw new CliError(
    commandFailures.OUTSIDE_FOLDERS,
    `${path} lies outside the folders of this server: ${folders.join(', ')}.`,
  );
}

/** @throws CliError for a plan with a local folder that is outside, whether its file names it or a parameter */
export async function refusePlanOutside(bounds: Bounds, plan: Plan): Promise<void> {
  const { connectors, records, destination } = plan;
  for (const spec of [...Object.values(connectors), records, destination]) {
    const path = spec?.type === 'local' ? spec['path'] : undefined;
    if (typeof path === 'string') await refuseOutside(bounds, path);
  }
}

/** The path without links; its end need not exist. null for a link that leads nowhere. */
async function realOf(path: string): Promise<string | null> {
  try {
    return await realpath(path);
  } catch {
    const isThere = await lstat(path).then(
      () => true,
      () => false,
    );
    if (isThere || dirname(path) === path) return null;
    const parent = await realOf(dirname(path));
    return parent && join(parent, basename(path));
  }
}
