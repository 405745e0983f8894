// Parses the options of a step using the schema of its node type.
import type { z } from 'zod';
import { formatIssues } from '../api/format-issue.ts';
import { runFailures } from '../failures/runs.ts';
import { RunCauseError } from './engine-errors.ts';

/** Parses options. @throws RunCauseError for unknown or invalid options, perhaps from a newer version's plan */
export function parseOptions<Config extends z.ZodType>(
  { type, config }: { type: string; config: Config },
  options: unknown,
): z.infer<Config> {
  const result = config.safeParse(options);
  if (result.success) return result.data;
  throw new RunCauseError(
    runFailures.NODE_OPTIONS_UNKNOWN,
    `this worker does not support these options of step type ${type}: ${formatIssues(result.error.issues, 'config')}`,
  );
}
