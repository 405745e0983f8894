// `renderline replay`: checks before a release that a build can replay the open workflows.
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from '@commander-js/extra-typings';
import type { Client } from '@temporalio/client';
import { RenderlineError } from '../../app/renderline-error.ts';
import { readHistoryFiles } from '../../app/replay/history-files.ts';
import { withTemporal } from '../../app/temporal-client.ts';
import { installTemporalRuntime } from '../../app/worker/run-worker.ts';
import { commandFailures } from '../../failures/commands.ts';
import { exitCode } from '../../failures/exit-code.ts';
import { workflowNames } from '../../plan/contract/contract.ts';
import { formatNumber } from '../../plan/helpers/format-count.ts';
import { createLogger } from '../../settings/logger.ts';
import { createDataConverter } from '../../temporal/codec/data-converter.ts';
import { grpcCode, grpcStatusOf } from '../../temporal/connection/grpc-status.ts';
import { buildIdOf } from '../../temporal/deployments/worker-version.ts';
import {
  type HistorySource,
  openHistories,
  openQuery,
  type ReplayResult,
  replayHistories,
} from '../../temporal/runs/replay-histories.ts';
import { builtBundle } from '../../temporal/workflow-code.ts';
import { wholeNumberParser } from '../params.ts';
import type { Session } from '../session.ts';
import { escapeForTerminal } from '../terminal-text.ts';

const limitOfEach = 100;

interface Flags {
  bundle?: string | undefined;
  query?: string | undefined;
  limit?: number | undefined;
  allowNone?: true | undefined;
}

export function declareReplay(command: Command, session: Session): void {
  command
    .argument('[paths...]', 'history files (default: open workflows of the server)')
    .option('--bundle <file>', 'workflow bundle of another build (default: this build)')
    .option('--query <search>', 'additional condition, in Temporal’s query language')
    .option(
      '--limit <n>',
      `maximum number of histories per workflow type, newest first (default: ${limitOfEach})`,
      wholeNumberParser('--limit'),
    )
    .option('--allow-none', 'succeed even if there is nothing to replay')
    .action(session.action((paths, flags) => replayAll(session, paths, flags)));
}

async function replayAll(
  session: Session,
  paths: readonly string[],
  { bundle, query = '', limit = limitOfEach, allowNone }: Flags,
): Promise<number> {
  const { cwd, env, stderr } = session.io;
  const code = bundle === undefined ? builtBundle() : await readFile(resolve(cwd, bundle), 'utf8');
  if (code === null) {
    throw new RenderlineError(commandFailures.USAGE, 'This program has no workflow bundle.', {
      fix: 'Build it (npm run build), or give one: --bundle FILE',
    });
  }
  // Silences the SDK's replay warnings, because the result of this command contains them.
  await installTemporalRuntime(createLogger({ stream: stderr, env, level: 'fatal', secrets: [] }));
  const program = { workflowBundle: { code }, dataConverter: createDataConverter(env) };
  const check = async (sources: AsyncGenerator<HistorySource>, notReplayed: number) => {
    const replayed: ReplayResult[] = [];
    for await (const one of replayHistories(program, sources)) {
      replayed.push(one);
      if (one.problem !== null)
        session.output.note(`${escapeForTerminal(one.workflowId)} does not replay`);
    }
    return { replayed, notReplayed };
  };
  const files = paths.map((path) => resolve(cwd, path));
  const checked =
    files.length > 0
      ? await check(readHistoryFiles(files), 0)
      : await withTemporal(session, async ({ client }) => {
          const where = await searchConditionOf(session, query);
          return check(
            eachOpen(client, where, limit),
            await countBeyondLimit(client, where, limit),
          );
        });
  return printReplayResult(session, {
    ...checked,
    buildId: buildIdOf(code),
    allowNone: allowNone === true,
  });
}

/** Adds the configured task queue to the query. */
async function searchConditionOf(session: Session, query: string): Promise<string> {
  const { value: queue } = (await session.config()).taskQueue;
  const parts = [...(queue === null ? [] : [`TaskQueue = '${queue}'`]), ...(query ? [query] : [])];
  return parts.map((part) => (parts.length > 1 ? `(${part})` : part)).join(' AND ');
}

async function* eachOpen(
  client: Client,
  where: string,
  limit: number,
): AsyncGenerator<HistorySource> {
  for (const type of Object.values(workflowNames)) {
    yield* openHistories(client, type, { where, limit });
  }
}

/** Counts the open workflows beyond the limit. */
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
      fix: 'For example: --query "PipelineName = \'catalog\'"',
    },
  );
}

interface ReplayReport {
  replayed: readonly ReplayResult[];
  notReplayed: number;
  buildId: string;
  allowNone: boolean;
}

function printReplayResult(
  session: Session,
  { replayed, notReplayed, buildId, allowNone }: ReplayReport,
): number {
  if (replayed.length === 0 && !allowNone) {
    throw new RenderlineError(
      commandFailures.NO_HISTORIES,
      'There was no history to replay, so nothing was checked.',
    );
  }
  const failed = replayed.filter(({ problem }) => problem !== null);
  const shape = { buildId, replayed: replayed.length, notReplayed, failed };
  session.output.result({ schema: 'renderline/replay/v1', ...shape }, () => {
    const more =
      notReplayed === 0 ? '' : ` ${notReplayed} more open workflows were not checked: --limit N.`;
    const lines = escapeForTerminal(failed).map(
      ({ workflowId, workflowType, problem }) => `  ${workflowId}  ${workflowType}\n    ${problem}`,
    );
    const verdict =
      failed.length === 0
        ? `${formatKinds(replayed)} replay with build ${buildId}.${more}`
        : `${failed.length} of ${formatHistoryCount(replayed.length)} cannot be replayed with build ${buildId}. Keep workers of their own build for the workflows above.${more}`;
    return [...lines, verdict].join('\n');
  });
  return failed.length === 0 ? exitCode.done : exitCode.runFailed;
}

/** For example "3 histories (2 pipelineRun, 1 pollLeader)". */
function formatKinds(replayed: readonly ReplayResult[]): string {
  const counts = new Map<string, number>();
  for (const { workflowType } of replayed) {
    counts.set(workflowType, (counts.get(workflowType) ?? 0) + 1);
  }
  const parts = [...counts].map(([type, number]) => `${number} ${type}`).join(', ');
  return `${formatHistoryCount(replayed.length)}${parts === '' ? '' : ` (${parts})`}`;
}

function formatHistoryCount(number: number): string {
  return `${formatNumber(number)} ${number === 1 ? 'history' : 'histories'}`;
}
