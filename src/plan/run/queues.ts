// Chooses the task queue of an activity. Workflows stay on the queue of their run. Pure.
import { textBytesOf } from '../helpers/bytes.ts';
import { shortHashOf } from '../helpers/short-hash.ts';
import type { RunContext } from './run-context.ts';

/** Default task queue of a workspace's workers and runs. */
export const workspaceQueueOf = (workspace: string) => `renderline-${workspace}`;

/** Pattern of valid host names, which are one line. */
export const hostPattern = /^\P{Cc}{1,200}$/u;

/** Maximum size of a task queue name in Temporal, in bytes. */
const nameBytes = 1_000;
const hostChars = 300;

/** Queue of waits. Only the poll leader polls this queue, so that one worker polls the platform for all waits. */
export const pollQueue = (queue: string) => subQueueOf(queue, 'polls');

/** Queue of urgent runs. It has its own slots, so that tasks do not queue behind bulk work that waits for permits. */
export const urgentQueueOf = (queue: string) => subQueueOf(queue, 'urgent');

/** Returns the queue that only one host's workers poll. Long names are shortened with a hash. @param host any text */
export function hostQueue(queue: string, host: string): string {
  const name = encodeURIComponent(host.replace(/\p{Surrogate}/gu, '?'));
  const short =
    name.length <= hostChars ? name : `${name.slice(0, hostChars)}~${shortHashOf(name)}`;
  return subQueueOf(queue, `host/${short}`);
}

/** Returns the queue of an activity, or undefined for the queue of its workflow. @param queue queue of the workflow */
export function chooseQueue(
  queue: string,
  { host, urgent }: Pick<RunContext, 'host' | 'urgent'>,
  isPoll: boolean,
): string | undefined {
  const home = host === undefined ? queue : hostQueue(queue, host);
  if (isPoll) return pollQueue(home);
  if (urgent) return urgentQueueOf(home);
  return home === queue ? undefined : home;
}

function subQueueOf(queue: string, name: string): string {
  const full = `${queue}/${name}`;
  if (textBytesOf(full) <= nameBytes) return full;
  return `renderline~${shortHashOf(queue)}/${name}`;
}
