// Formats which assets a rerun takes, and with which plan. Pure.
import type { Rerun } from '../../plan/run/rerun.ts';

/** `failed assets of RUN, where …, with the plan of that run` */
export function formatRerunSelection({ of, failed, where, plan }: Rerun): string {
  const what = failed ? 'failed assets' : 'undelivered assets';
  const which = where === null ? '' : `, where ${where}`;
  const by = plan === 'pinned' ? 'with the plan of that run' : 'with the current file';
  return `${what} of ${of}${which}, ${by}`;
}
