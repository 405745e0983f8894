// Reads included parts only from the file's folder or repository, so that nothing else affects what the file means.
import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isInsideFolder } from '../../connectors/disk/local-jail.ts';
import type { Json } from '../../plan/types.ts';
import { withParents } from '../../settings/trusted-path.ts';
import { toFields } from '../node-draft.ts';
import { maxIncludes, sharedPath } from '../pipeline.ts';
import type { Path } from '../yaml/document.ts';
import { loadText } from '../yaml/load.ts';
import { readPipelineFile } from '../yaml/read-file.ts';
import { isSharedFile } from './shared-part.ts';

/** The path of a shared part as the pipeline writes it, with the part's text or the reason why it cannot be used. */
export type SharedText = { path: string } & ({ text: string } | { refusal: string });

export interface IncludedFile {
  path: string;
  valuePath: Path;
}

/** Returns the valid paths under `include:`. */
export function includesOf(value: Json | undefined): IncludedFile[] {
  const include = toFields(value)?.['include'];
  const includes = Array.isArray(include)
    ? include.map((path, index) => ({ path, valuePath: ['include', index] }))
    : [{ path: include, valuePath: ['include'] }];
  return includes.slice(0, maxIncludes).flatMap(({ path, valuePath }) => {
    const result = sharedPath.safeParse(path);
    return result.success ? [{ path: result.data, valuePath }] : [];
  });
}

/** Reads all included parts. @param folder of the file @param bounds folders that may be read (default: all) */
export async function readShared(
  text: string,
  folder: string,
  bounds: readonly string[] | undefined,
): Promise<SharedText[]> {
  if (!text.includes('include')) return [];
  const { document } = loadText(text, '');
  const paths = new Set(includesOf(document?.value).map(({ path }) => path));
  return Promise.all([...paths].map((path) => readPart(path, folder, bounds)));
}

async function readPart(
  path: string,
  folder: string,
  bounds: readonly string[] | undefined,
): Promise<SharedText> {
  const base = await realpath(folder);
  const isRepository = (folder: string) => existsSync(join(folder, '.git'));
  const root = withParents(base).find(isRepository) ?? base;
  const outside = `it is outside ${root}, the folder or repository of the pipeline`;
  const absolute = resolve(base, path);
  if (!isInsideFolder(root, absolute)) return { path, refusal: outside };
  const real = await realpath(absolute).catch(() => absolute);
  // The real path is checked, because a link with the name of a shared part may lead to any file.
  if (!isInsideFolder(root, real) || !isSharedFile(real)) return { path, refusal: outside };
  const roots = await Promise.all(
    (bounds ?? ['/']).map((bound) => realpath(bound).catch(() => bound)),
  );
  if (!roots.some((boundRoot) => isInsideFolder(boundRoot, real))) {
    return { path, refusal: 'it is outside the folders of this server' };
  }
  const file = await readPipelineFile(real, path);
  return file.ok ? { path, text: file.text } : { path, refusal: file.reason };
}
