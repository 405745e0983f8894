// Parses the options of a step using the schema of its node type.
import type { z } from 'zod';
import { runFailures } from '../failures/runs.ts';
import { RunCauseError } from './engine-errors.ts';

/** Parses options. @throws RunCauseError for unknown or invalid options, perhaps from a newer version's plan */
export function parseOptions<Config extends z.ZodType>(
  { type, config }: { type: string; config: Config },
  options: unknown,
): z.infer<Config> {
  const result = config.safeParse(options);
  if (result.success) return result.data;
  const problems = result.error.issues.map(formatIssue).join('; ');
  throw new RunCauseError(
    runFailures.NODE_OPTIONS_UNKNOWN,
    `this worker does not support these options of step type ${type}: ${problems}`,
  );
}

function formatIssue(issue: z.core.$ZodIssue): string {
  const path = issue.path.join('.');
  if (issue.code !== 'unrecognized_keys') return `${path}: ${issue.message}`;
  return issue.keys.map((key) => (path === '' ? key : `${path}.${key}`)).join(', ');
}
