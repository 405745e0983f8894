// Checks pipeline files. Parameters are left open, because a file may be valid although required values are missing.

import { createResolvedFile, type ResolvedFile } from '../../compile/shared/resolved-file.ts';
import type { Problem } from '../../compile/yaml/problem.ts';
import { commandFailures } from '../../failures/commands.ts';
import type { App } from '../app.ts';
import {
  type CheckedFile,
  checkFile,
  checkPipelineText,
  withDocsLinks,
} from '../compile-pipeline.ts';
import { RenderlineError } from '../renderline-error.ts';
import { listFiles } from './pipeline-files.ts';

export interface ValidationShape {
  schema: 'renderline/validate/v1';
  valid: boolean;
  files: { file: string; valid: boolean; problems: (Problem & { docs: string })[] }[];
}

export interface Validation {
  shape: ValidationShape;
  checked: CheckedFile[];
}

/**
 * Checks files and, recursively, the pipelines in folders.
 * @param text text of a pipeline to check first, which problems refer to as `<stdin>`
 * @throws RenderlineError NO_PIPELINES
 */
export async function validateFiles(
  app: App,
  paths: readonly string[],
  text: string | null = null,
): Promise<Validation> {
  const checkedFiles = text === null ? [] : [await checkPipelineText(app, text)];
  for (const { file } of await listFiles(app, paths, { deep: true })) {
    checkedFiles.push(await checkFile(app, file, null));
  }
  if (checkedFiles.length === 0) {
    const folders = paths.map((path) => (path === '.' ? app.cwd : path));
    throw new RenderlineError(
      commandFailures.NO_PIPELINES,
      `No pipeline found in ${folders.join(' or ')}: no YAML file has \`nodes:\`.`,
    );
  }
  const files = checkedFiles.map(({ file, ok, problems }) => ({
    file,
    valid: ok,
    problems: withDocsLinks(problems),
  }));
  const valid = files.every((file) => file.valid);
  return { shape: { schema: 'renderline/validate/v1', valid, files }, checked: checkedFiles };
}

interface ResolvedShape extends Omit<ResolvedFile, 'text'> {
  schema: 'renderline/resolved/v1';
  file: string;
}

/** @returns null if the file is invalid */
export function resolveFile(
  checkedFile: CheckedFile,
): { shape: ResolvedShape; text: string } | null {
  const { file, ok, document } = checkedFile;
  if (!ok || document === null) return null;
  const { text, ...resolved } = createResolvedFile(document);
  return { shape: { schema: 'renderline/resolved/v1', file, ...resolved }, text };
}
