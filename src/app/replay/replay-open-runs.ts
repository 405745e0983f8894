// Checks, before a release, that a build can replay the open workflows.
import { stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Client } from '@temporalio/client';
import { escapeToOneLine } from '../../api/responses/plain-text.ts';
import { asRecord } from '../../api/unknown-values.ts';
import { commandFailures } from '../../failures/commands.ts';
import { findGrpcStatus, grpcCode } from '../../failures/grpc-status.ts';
import { workflowNames } from '../../plan/contract/contract.ts';
import { searchAttributeNames } from '../../plan/search-attributes.ts';
import { createLogger } from '../../settings/logger.ts';
import { createDataConverter } from '../../temporal/codec/data-converter.ts';
import { buildIdOf } from '../../temporal/deployments/worker-version.ts';
import {
  type HistorySource,
  openHistories,
  openQuery,
  type ReplayResult,
  replayHistories,
} from '../../temporal/runs/replay-histories.ts';
import { readBuiltBundle } from '../../temporal/workflow-code.ts';
import type { App } from '../app.ts';
import { openInputFile } from '../file-paths.ts';
import { RenderlineError, usageError } from '../renderline-error.ts';
import { withTemporal } from '../temporal-client.ts';
import { installWorkerRuntime } from '../worker/run-worker.ts';

export const defaultReplayLimit = 100;

export interface ReplayOptions {
  /** History files. @default the open workflows of the server */
  paths: readonly string[];
  /** Workflow bundle of another build. @default this build */
  bundle?: string | undefined;
  /** Additional condition, in Temporal's query language. */
  query?: string | undefined;
  /** Maximum number of histories per workflow type, newest first. @default {@link defaultReplayLimit} */
  limit?: number | undefined;
  /** Succeed even if there is nothing to replay. */
  allowNone?: boolean | undefined;
}

export type ReplayReport = Awaited<ReturnType<typeof replayOpenRuns>>;

/** @throws RenderlineError NO_HISTORIES; BAD_HISTORY; USAGE without a bundle, or for a query that Temporal rejects */
export async function replayOpenRuns(
  app: App,
  { paths, bundle, query = '', limit = defaultReplayLimit, allowNone = false }: ReplayOptions,
) {
  const { cwd, env, logStream } = app;
  const code =
    bundle === undefined ? readBuiltBundle() : await text(openInputFile(resolve(cwd, bundle)));
  if (code === null) {
    const fix = 'Compile the bundle (npm run build), or specify one: --bundle FILE';
    throw usageError('This program has no workflow bundle.', fix);
  }
  // Silences the SDK's replay warnings, because the result already contains them.
  await installWorkerRuntime(createLogger({ stream: logStream, env, level: 'fatal', secrets: [] }));
  const workerOptions = { workflowBundle: { code }, dataConverter: createDataConverter(env) };
  const replay = async (sources: AsyncGenerator<HistorySource>) => {
    const results: ReplayResult[] = [];
    for await (const result of replayHistories(workerOptions, sources)) {
      results.push(result);
      if (result.problem !== null)
        app.note(`${escapeToOneLine(result.workflowId)} cannot be replayed`);
    }
    return results;
  };
  const replayFromServer = () =>
    withTemporal(app, async ({ client }) => {
      const condition = await searchCondition(app, query);
      const notReplayed = await countBeyondLimit(client, condition, limit);
      return { results: await replay(readHistories(client, condition, limit)), notReplayed };
    });
  const files = paths.map((path) => resolve(cwd, path));
  const { results, notReplayed } =
    files.length > 0
      ? { results: await replay(readHistoryFiles(files)), notReplayed: 0 }
      : await replayFromServer();
  if (results.length === 0 && !allowNone) {
    const message = 'No histories were found to replay, so nothing was checked.';
    throw new RenderlineError(commandFailures.NO_HISTORIES, message);
  }
  return {
    shape: {
      schema: 'renderline/replay/v1' as const,
      buildId: buildIdOf(code),
      replayed: results.length,
      notReplayed,
      failed: results.filter(({ problem }) => problem !== null),
    },
    results,
  };
}

/** Adds the configured task queue to the query. */
async function searchCondition(app: App, query: string): Promise<string> {
  const { value: queue } = (await app.config()).taskQueue;
  const parts = [...(queue === null ? [] : [`TaskQueue = '${queue}'`]), ...(query ? [query] : [])];
  return parts.map((part) => (parts.length > 1 ? `(${part})` : part)).join(' AND ');
}

async function* readHistories(
  client: Client,
  condition: string,
  limit: number,
): AsyncGenerator<HistorySource> {
  for (const type of Object.values(workflowNames)) {
    yield* openHistories(client, type, { where: condition, limit });
  }
}

async function countBeyondLimit(client: Client, condition: string, limit: number): Promise<number> {
  let notReplayed = 0;
  for (const type of Object.values(workflowNames)) {
    const openWorkflows = await client.workflow
      .count(openQuery(type, condition))
      .catch(throwBadQuery);
    notReplayed += Math.max(0, openWorkflows.count - limit);
  }
  return notReplayed;
}

function throwBadQuery(error: unknown): never {
  const status = findGrpcStatus(error);
  if (status?.code !== grpcCode.invalidArgument) throw error;
  const fix = `For example: --query "${searchAttributeNames.pipeline} = 'catalog'"`;
  throw usageError(`Temporal rejected the query: ${status.details}`, fix);
}

/** Temporal terminates a workflow when its history reaches 50 MB. As JSON, the same history is larger. */
const maxHistoryBytes = 200 * 1024 * 1024;

/** Reads histories as exported by `temporal workflow show --output json` or by the Temporal UI. */
async function* readHistoryFiles(paths: readonly string[]): AsyncGenerator<HistorySource> {
  for (const path of paths) {
    const history = await readHistory(path);
    const [first] = history.events;
    const { workflowExecutionStartedEventAttributes: start } = asRecord(first);
    const { workflowId, workflowType } = asRecord(start);
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
  const invalidHistory = (reason: string) => {
    const message = `${path} is not a Temporal history: ${reason}.`;
    return new RenderlineError(commandFailures.BAD_HISTORY, message);
  };
  if (size > maxHistoryBytes) throw invalidHistory('it is too large');
  let content: unknown;
  try {
    content = JSON.parse(await text(openInputFile(path)));
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
 * Parses the JSON form of a history. If npm installs protobufjs twice, the SDK's own function uses a schema and a
 * parser from different copies and rejects every file. Here, both come from the same copy.
 * @throws Error if the JSON is not a valid history
 */
function parseHistory(json: { events: unknown[] }): unknown {
  const ownRequire = createRequire(import.meta.url);
  const commonRequire = createRequire(ownRequire.resolve('@temporalio/common'));
  const protoRequire = createRequire(commonRequire.resolve('@temporalio/proto'));
  const { fromJson }: Schema = protoRequire('protobufjs/ext/protojson');
  const proto: unknown = commonRequire('@temporalio/proto');
  const patch: PatchModule = commonRequire('@temporalio/proto/lib/patch-protobuf-root');
  const type = patch.patchProtobufRoot(proto).lookupType('temporal.api.history.v1.History');
  return fromJson(type, json, { ignoreUnknownFields: true });
}

interface PatchModule {
  patchProtobufRoot: (root: unknown) => { lookupType: (name: string) => unknown };
}
