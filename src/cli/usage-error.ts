import { RenderlineError } from '../app/renderline-error.ts';
import { commandFailures } from '../failures/commands.ts';

/** The error of a wrong command line. */
export function usageError(message: string, fix: string): RenderlineError {
  return new RenderlineError(commandFailures.USAGE, message, { fix });
}
