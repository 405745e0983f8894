// Shows a pipeline file with its shared parts resolved.
import { type ResolvedFile, resolvedFile } from '../../compile/shared/resolved-file.ts';
import type { CheckedFile } from '../compile-pipeline.ts';

interface ResolvedShape extends Omit<ResolvedFile, 'text'> {
  schema: 'renderline/resolved/v1';
  file: string;
}

/** @returns null if the file is not valid */
export function resolveFile({
  file,
  ok,
  document,
}: CheckedFile): { shape: ResolvedShape; text: string } | null {
  if (!ok || document === null) return null;
  const { text, ...resolved } = resolvedFile(document);
  return { shape: { schema: 'renderline/resolved/v1', file, ...resolved }, text };
}
