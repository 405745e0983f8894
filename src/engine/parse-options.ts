// Parses the options of a step by the schema of its node type.
import type { z } from 'zod';
import { runFailures } from '../failures/runs.ts';
import { RunCauseError } from './engine-errors.ts';

/** Parses options. @throws RunCauseError for unknown or invalid ones: a newer version may have planned the run */
export function parseOptions<Config extends z.ZodType>(
  { type, config }: { type: string; config: Config },
  given: unknown,
): z.infer<Config> {
  const read = config.safeParse(given);
  if (read.success) return read.data;
  const problems = read.error.issues.map(formatIssue).join('; ');
  throw new RunCauseError(
    runFailures.NODE_OPTIONS_UNKNOWN,
    `this worker does not support these options of step type ${type}: ${problems}`,
  );
}

function formatIssue(issue: z.core.$ZodIssue): string {
  const place = issue.path.join('.');
  if (issue.code !== 'unrecognized_keys') return `${place}: ${issue.message}`;
  return issue.keys.map((key) => (place === '' ? key : `${place}.${key}`)).join(', ');
}
