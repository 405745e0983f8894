// Reads the arguments of commands that accept either one run or all runs since a point in time.
import { usageError } from '../../app/renderline-error.ts';

/**
 * @param otherFlags values of the other options that apply only to many runs, by option name
 * @param example options for many runs, shown in errors
 * @throws RenderlineError USAGE unless either a run or a time is given
 */
export function readRunOrSince(
  command: string,
  run: string | undefined,
  since: string | undefined,
  otherFlags: Readonly<Record<string, string | undefined>>,
  example = '--since 7d',
): { run: string; since: null } | { run: null; since: string } {
  const ofMany = Object.entries({ '--since': since, ...otherFlags }).find(([, value]) => value);
  if (run !== undefined && ofMany === undefined) return { run, since: null };
  if (run === undefined && since !== undefined) return { run: null, since };
  const message =
    run === undefined
      ? 'Specify a run or --since.'
      : `${String(ofMany?.[0])} applies to many runs and cannot be combined with the run ${run}.`;
  throw usageError(message, `renderline ${command} RUN, or renderline ${command} ${example}`);
}
