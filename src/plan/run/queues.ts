// Chooses the task queue of an activity. Workflows stay at the queue of their run. Pure.
import { textBytes } from '../helpers/bytes.ts';
import { shortHash } from '../helpers/short-hash.ts';
import type { RunContext } from './run-context.ts';

/** Task queue of a workspace's workers and runs, unless another is set. */
export const workspaceQueue = (workspace: string) => `renderline-${workspace}`;

/** Valid host names: one line. */
export const hostPattern = /^\P{Cc}{1,200}$/u;

/** Maximum size of a task queue name in Temporal, in bytes. */
const nameBytes = 1_000;
const hostChars = 300;

/** Only one worker at a time polls this queue, so that one poller serves all waits. */
export const pollQueue = (queue: string) => subQueue(queue, 'polls');

/** Has its own slots, so that its tasks do not queue behind bulk work that waits for permits. */
export const urgentQueue = (queue: string) => subQueue(queue, 'urgent');

/**
 * Polled by the workers of one host.
 * @param host any text
 */
export function hostQueue(queue: string, host: string): string {
  const name = encodeURIComponent(host.replace(/\p{Surrogate}/gu, '?'));
  const short = name.length <= hostChars ? name : `${name.slice(0, hostChars)}~${shortHash(name)}`;
  return subQueue(queue, `host/${short}`);
}

/**
 * Queue of an activity; undefined for the queue of its workflow.
 * @param queue queue of the workflow
 */
export function queueOf(
  queue: string,
  { host, urgent }: Pick<RunContext, 'host' | 'urgent'>,
  isPoll: boolean,
): string | undefined {
  const home = host === undefined ? queue : hostQueue(queue, host);
  if (isPoll) return pollQueue(home);
  if (urgent) return urgentQueue(home);
  return home === queue ? undefined : home;
}

function subQueue(queue: string, name: string): string {
  const full = `${queue}/${name}`;
  if (textBytes(full) <= nameBytes) return full;
  return `renderline~${shortHash(queue)}/${name}`;
}
