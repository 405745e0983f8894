// Which task queue an activity goes to. Workflows stay at the queue of their run. Pure.
import { textBytes } from './bytes.ts';
import type { RunContext } from './run-context.ts';
import { shortHash } from './short-hash.ts';

/** Task queue of a workspace's workers and runs, unless another is set. */
export const workspaceQueue = (workspace: string) => `renderline-${workspace}`;

/** What may be the name of a host: one line. */
export const hostPattern = /^\P{Cc}{1,200}$/u;

/** What Temporal takes as the name of a task queue, in bytes. */
const nameBytes = 1_000;
const hostChars = 300;

/** Polled by one worker at a time, so that everybody's waits are looked at together. */
export const looksQueue = (queue: string) => below(queue, 'looks');

/** Polled with slots of its own: what goes there does not stand behind bulk work that waits for its allowance. */
export const urgentQueue = (queue: string) => below(queue, 'urgent');

/** Polled by the workers of one host. @param host any text */
export function hostQueue(queue: string, host: string): string {
  const name = encodeURIComponent(host.replace(/\p{Surrogate}/gu, '?'));
  const short = name.length <= hostChars ? name : `${name.slice(0, hostChars)}~${shortHash(name)}`;
  return below(queue, `host/${short}`);
}

/**
 * Queue of an activity, where it is not that of its workflow.
 * @param queue that of the workflow
 */
export function queueOf(
  queue: string,
  { host, urgent }: Pick<RunContext, 'host' | 'urgent'>,
  isLook: boolean,
): string | undefined {
  const home = host === undefined ? queue : hostQueue(queue, host);
  if (isLook) return looksQueue(home);
  if (urgent) return urgentQueue(home);
  return home === queue ? undefined : home;
}

function below(queue: string, name: string): string {
  const full = `${queue}/${name}`;
  if (textBytes(full) <= nameBytes) return full;
  return `renderline~${shortHash(queue)}/${name}`;
}
