// Checks before a release that a build can replay the open workflows.
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Client } from '@temporalio/client';
import { escapeToOneLine } from '../../api/responses/plain-text.ts';
import { commandFailures } from '../../failures/commands.ts';
import { grpcCode, grpcStatusOf } from '../../failures/grpc-status.ts';
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
import { builtBundle } from '../../temporal/workflow-code.ts';
import type { App } from '../app.ts';
import { RenderlineError } from '../renderline-error.ts';
import { withTemporal } from '../temporal-client.ts';
import { installWorkerRuntime } from '../worker/run-worker.ts';
import { readHistoryFiles } from './history-files.ts';

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

export interface ReplayReport {
  shape: {
    schema: 'renderline/replay/v1';
    buildId: string;
    replayed: number;
    /** Open workflows beyond the limit. */
    notReplayed: number;
    failed: ReplayResult[];
  };
  results: ReplayResult[];
}

/** @throws RenderlineError NO_HISTORIES, BAD_HISTORY, or USAGE without a bundle and for a query that Temporal rejects */
export async function replayOpenRuns(
  app: App,
  { paths, bundle, query = '', limit = defaultReplayLimit, allowNone = false }: ReplayOptions,
): Promise<ReplayReport> {
  const { cwd, env, logStream } = app;
  const code = bundle === undefined ? builtBundle() : await readFile(resolve(cwd, bundle), 'utf8');
  if (code === null) {
    throw new RenderlineError(commandFailures.USAGE, 'This program has no workflow bundle.', {
      fix: 'Build it (npm run build), or give one: --bundle FILE',
    });
  }
  // Silences the SDK's replay warnings, because the result contains them.
  await installWorkerRuntime(createLogger({ stream: logStream, env, level: 'fatal', secrets: [] }));
  const program = { workflowBundle: { code }, dataConverter: createDataConverter(env) };
  const replay = async (sources: AsyncGenerator<HistorySource>) => {
    const results: ReplayResult[] = [];
    for await (const one of replayHistories(program, sources)) {
      results.push(one);
      if (one.problem !== null) app.note(`${escapeToOneLine(one.workflowId)} does not replay`);
    }
    return results;
  };
  const replayOpen = () =>
    withTemporal(app, async ({ client }) => {
      const where = await searchCondition(app, query);
      const notReplayed = await countBeyondLimit(client, where, limit);
      return { results: await replay(readOpen(client, where, limit)), notReplayed };
    });
  const files = paths.map((path) => resolve(cwd, path));
  const { results, notReplayed } =
    files.length > 0
      ? { results: await replay(readHistoryFiles(files)), notReplayed: 0 }
      : await replayOpen();
  if (results.length === 0 && !allowNone) {
    throw new RenderlineError(
      commandFailures.NO_HISTORIES,
      'There was no history to replay, so nothing was checked.',
    );
  }
  return {
    shape: {
      schema: 'renderline/replay/v1',
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

async function* readOpen(
  client: Client,
  where: string,
  limit: number,
): AsyncGenerator<HistorySource> {
  for (const type of Object.values(workflowNames)) {
    yield* openHistories(client, type, { where, limit });
  }
}

async function countBeyondLimit(client: Client, where: string, limit: number): Promise<number> {
  let notReplayed = 0;
  for (const type of Object.values(workflowNames)) {
    const { count: open } = await client.workflow
      .count(openQuery(type, where))
      .catch(throwBadQuery);
    notReplayed += Math.max(0, open - limit);
  }
  return notReplayed;
}

function throwBadQuery(error: unknown): never {
  const status = grpcStatusOf(error);
  if (status?.code !== grpcCode.invalidArgument) throw error;
  throw new RenderlineError(
    commandFailures.USAGE,
    `Temporal rejected the query: ${status.details}`,
    {
      fix: `For example: --query "${searchAttributeNames.pipeline} = 'catalog'"`,
    },
  );
}
