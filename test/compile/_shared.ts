// Pipelines with shared parts in a temporary folder.

import { type CompileResult, compileFile } from '../../src/compile/compile.ts';
import type { Plan } from '../../src/plan/types.ts';
import { folderWith } from '../cli/_folder.ts';

/** A pipeline without any value of its own that a shared part may contain. */
export const bare = [
  'name: test',
  'include: all.shared.yaml',
  'nodes:',
  '  - { id: take, type: connector_poll, config: { connector: models } }',
  '  - { id: ready, type: model_ready, parentIds: [take] }',
  '  - { id: shots, type: render, parentIds: [ready] }',
  '  - { id: deliver, type: export, parentIds: [shots], config: { connector: out } }',
].join('\n');

/** Connectors that `bare` needs. */
export const connectors = [
  'connectors:',
  '  models: { type: local, path: models }',
  '  out: { type: local, path: out }',
].join('\n');

/** Compiles `p.yaml` of these files, or another one. */
export function compileIn(
  files: Record<string, string>,
  parameters: Readonly<Record<string, unknown>> | null = {},
  file = 'p.yaml',
): Promise<CompileResult> {
  return compileFile(file, { cwd: folderWith(files), environment: {}, parameters });
}

/** `file:line:col code` of each error. */
export function errorsOf({ problems }: CompileResult): string[] {
  return problems
    .filter(({ severity }) => severity === 'error')
    .map(({ file, line, col, code }) => `${file}:${line}:${col} ${code}`);
}

/** @throws Error with the problems of a pipeline that is not valid */
export async function planIn(
  files: Record<string, string>,
  parameters: Readonly<Record<string, unknown>> = {},
): Promise<Plan> {
  const { plan, problems } = await compileIn(files, parameters);
  if (plan !== null) return plan;
  throw new Error(problems.map(({ file, line, message }) => `${file}:${line} ${message}`).join());
}
