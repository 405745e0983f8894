// Texts about a rerun: its choice of assets. Pure.
import type { Rerun } from '../../plan/rerun.ts';

/** `what failed of RUN, where …, with its own plan` */
export function againWords({ of, failed, where, plan }: Rerun): string {
  const what = failed ? 'what failed' : 'what was not delivered';
  const which = where === null ? '' : `, where ${where}`;
  const by = plan === 'pinned' ? 'with its plan' : 'with the file as it is now';
  return `${what} of ${of}${which}, ${by}`;
}
