import type { CheckedFile } from '../app/compile-pipeline.ts';
import { docsUrlOf } from '../app/docs-page.ts';
import { formatProblems, type Problem } from '../compile/yaml/problem.ts';
import { createPaint, isColorUsed } from './color.ts';
import type { Io, Terminal } from './io.ts';

/** Formats the problems of a pipeline file for people, each with the surrounding source lines. */
export function formatFileProblems(
  io: Pick<Io, 'env' | 'stderr'>,
  { source, shared }: Pick<CheckedFile, 'source'> & Partial<Pick<CheckedFile, 'shared'>>,
  problems: readonly Problem[],
  stream: Terminal = io.stderr,
): string {
  const codes = new Set(problems.flatMap((entry) => (entry.severity === 'note' ? [] : entry.code)));
  const paint = createPaint(stream, io.env);
  const links = [...codes].map((code) =>
    paint('dim', `${code}: ${docsUrlOf(code)}, or type: renderline explain ${code}`),
  );
  return [
    formatProblems(problems, source, { color: isColorUsed(stream, io.env), shared }),
    ...links,
  ].join('\n');
}
