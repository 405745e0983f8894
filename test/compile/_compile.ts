// Compiles pipeline text in tests: problem positions as `line:col code`, and plans.

import { type CompileResult, compileText } from '../../src/compile/compile.ts';
import type { Severity } from '../../src/compile/yaml/problem.ts';
import type { Plan } from '../../src/plan/types.ts';

export const cwd = '/home/person';
export const fileFolder = '/pipelines';

/** Checks text as `validate` does. Compiles it if parameters are given. */
export function compile(
  text: string,
  parameters: Readonly<Record<string, unknown>> | null = null,
  environment: Readonly<Record<string, string>> = {},
): CompileResult {
  return compileText(text, 'p.yaml', { cwd, fileFolder, parameters, environment });
}

/** `line:col code` of every problem of a severity, in the order of the file. */
export function placesOf(text: string, severity: Severity = 'error'): string[] {
  return compile(text)
    .problems.filter((problem) => problem.severity === severity)
    .map(({ line, col, code }) => `${line}:${col} ${code}`);
}

/** `line:col code message | hint` of errors and warnings, in the order of the file. */
export function told(
  text: string,
  parameters: Readonly<Record<string, unknown>> | null = null,
): string[] {
  return compile(text, parameters)
    .problems.filter(({ severity }) => severity !== 'note')
    .map(({ line, col, code, message, hint }) => {
      return `${line}:${col} ${code} ${message}${hint === undefined ? '' : ` | ${hint}`}`;
    });
}

/**
 * The plan of a text that must be valid.
 * @throws Error with the problems if the text is not valid
 */
export function planOf(text: string, parameters: Readonly<Record<string, unknown>> = {}): Plan {
  const { plan, problems } = compile(text, parameters);
  if (plan !== null) return plan;
  const lines = problems.map(({ line, col, code, message }) => `${line}:${col} ${code} ${message}`);
  throw new Error(`no plan:\n${lines.join('\n')}`);
}

/** A pipeline with the given nodes after take and ready. Their list starts at line 8. */
export function withNodes(...nodes: string[]): string {
  return [
    'name: test',
    'connectors:',
    '  models: { type: local, path: models }',
    '  out: { type: local, path: out }',
    'records: out',
    'nodes:',
    '  - { id: take, type: connector_poll, config: { connector: models } }',
    ...nodes.map((node) => `  - ${node}`),
  ].join('\n');
}
