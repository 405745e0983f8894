// Reads history files as exported by `temporal workflow show --output json` and the Temporal UI.
import { readFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { asRecord } from '../../api/unknown-values.ts';
import { commandFailures } from '../../failures/commands.ts';
import type { HistorySource } from '../../temporal/runs/replay-histories.ts';
import { RenderlineError } from '../renderline-error.ts';

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

interface Schema {
  fromJson: (type: unknown, json: unknown, options: { ignoreUnknownFields: boolean }) => unknown;
}

/**
 * Parses the JSON form of a history. If npm installs protobufjs twice, the SDK's own parser takes the schema and the parser
 * from different copies, and then rejects every file. Here both come from the same copy.
 * @throws Error if the JSON is not a valid history
 */
function parseHistory(json: { events: unknown[] }): unknown {
  const ownRequire = createRequire(import.meta.url);
  const commonRequire = createRequire(ownRequire.resolve('@temporalio/common'));
  const protoRequire = createRequire(commonRequire.resolve('@temporalio/proto'));
  const { fromJson }: Schema = protoRequire('protobufjs/ext/protojson');
  const proto: unknown = commonRequire('@temporalio/proto');
  const { patchProtobufRoot }: { patchProtobufRoot: (root: unknown) => Root } = commonRequire(
    '@temporalio/proto/lib/patch-protobuf-root',
  );
  const type = patchProtobufRoot(proto).lookupType('temporal.api.history.v1.History');
  return fromJson(type, json, { ignoreUnknownFields: true });
}

interface Root {
  lookupType: (name: string) => unknown;
}
