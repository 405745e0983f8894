import { RenderlineError } from '../app/renderline-error.ts';
import { commandFailures } from '../failures/commands.ts';

/** Creates the error for an invalid command line. */
export function usageError(message: string, fix: string): RenderlineError {
  return new RenderlineError(commandFailures.USAGE, message, { fix });
}
