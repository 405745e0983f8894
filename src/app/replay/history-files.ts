// Reads history files as exported by `temporal workflow show --output json` and the Temporal UI.
import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { asRecord } from '../../api/unknown-values.ts';
import { commandFailures } from '../../failures/commands.ts';
import type { HistorySource } from '../../temporal/runs/replay-histories.ts';
import { RenderlineError } from '../renderline-error.ts';
import { parseHistory } from './history-json.ts';

/** Temporal terminates a workflow with a history of 50 MB; as JSON a history is larger. */
const maxBytes = 200 * 1024 * 1024;

export async function* readHistoryFiles(paths: readonly string[]): AsyncGenerator<HistorySource> {
  for (const path of paths) {
    const history = await readHistory(path);
    const [first] = history.events;
    const { workflowId, workflowType } = asRecord(
      asRecord(first)['workflowExecutionStartedEventAttributes'],
    );
    const type = asRecord(workflowType)['name'];
    yield {
      workflowId: typeof workflowId === 'string' ? workflowId : basename(path, '.json'),
      workflowType: typeof type === 'string' ? type : '?',
      file: path,
      read: () => Promise.resolve(parseHistory(history)),
    };
  }
}

async function readHistory(path: string): Promise<{ events: unknown[] }> {
  const { size } = await stat(path);
  const invalidHistory = (why: string) =>
    new RenderlineError(commandFailures.BAD_HISTORY, `${path} is not a Temporal history: ${why}.`);
  if (size > maxBytes) throw invalidHistory('it is too large');
  let content: unknown;
  try {
    content = JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) throw invalidHistory(error.message);
    throw error;
  }
  const { events } = asRecord(content);
  if (!Array.isArray(events) || events.length === 0) throw invalidHistory('it has no events');
  return { events };
}
