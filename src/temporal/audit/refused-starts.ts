// Records HTTP starts that a general pause refuses. The history of the pause keeps them, for all receivers together.
import type { Client } from '@temporalio/client';
import type { RecordedAction } from '../../plan/contract/audit-contract.ts';
import { messages } from '../../plan/contract/messages.ts';
import type { PauseScope } from '../../plan/run/general-pause.ts';
import { callWithTimeout, ignoreNotFound, responseTimeoutMs } from '../call-with-timeout.ts';
import { generalPauseIdOf } from '../runs/general-pause.ts';
import { readHistoryPages } from '../runs/read-history.ts';
import { LogEntries } from './log-entries.ts';

const refusedAction = 'refused';

/** Records a refused start. Each run counts once. Does nothing if the pause has ended. */
export async function recordRefusedStart(
  client: Client,
  pause: PauseScope,
  { run, pipeline, reason }: { run: string; pipeline: string; reason: string },
): Promise<void> {
  const subject = { subject: 'http-start', name: pipeline, pipeline } as const;
  const act: RecordedAction = { id: run, what: refusedAction, ...subject, reason };
  await callWithTimeout(client, responseTimeoutMs.usual, () =>
    client.workflow
      .getHandle(generalPauseIdOf(client, pause))
      .signal(messages.action, act)
      .catch(ignoreNotFound),
  );
}

/** Counts the starts that the pause has refused, by pipeline. */
export async function countRefusedStarts(
  client: Client,
  pause: PauseScope,
): Promise<{ pipeline: string; refused: number }[]> {
  const log = new LogEntries();
  for await (const events of readHistoryPages(client, generalPauseIdOf(client, pause))) {
    for (const event of events) await log.addEvent(client.options, event);
  }
  const counts = new Map<string, number>();
  for (const entry of log.entries()) {
    if (entry.what === refusedAction) counts.set(entry.name, (counts.get(entry.name) ?? 0) + 1);
  }
  return [...counts].map(([pipeline, refused]) => ({ pipeline, refused }));
}
