// Reads who did what in a period from the histories of runs and the audit log, as far back as the server keeps them.

import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { asRecord } from '../../api/unknown-values.ts';
import type { AuditEntry } from '../../plan/contract/audit-contract.ts';
import { workflowNames } from '../../plan/contract/contract.ts';
import { runMemoField } from '../../plan/run/run-memo.ts';
import { callWithTimeout, responseTimeoutMs } from '../call-with-timeout.ts';
import { listWorkflows } from '../codec/tolerant-reader.ts';
import { readExecutionPages } from '../runs/read-history.ts';
import { LogEntries, unreadable } from './log-entries.ts';
import { runEntry } from './run-entries.ts';

export interface AuditQuery {
  sinceMs: number;
  /** The exclusive end. Null means no end, because the server's clock may be ahead. */
  untilMs: number | null;
  /** Limits the entries to actions on this pipeline, its runs and its schedules. */
  pipeline?: string | undefined;
  run?: string | undefined;
  /** A user, or `user@host`. */
  by?: string | undefined;
}

export interface Audit {
  /** Entries in chronological order. */
  entries: AuditEntry[];
  /** The server may have deleted runs that closed before this time, ISO 8601. Null if the retention is not known. */
  keptSince: string | null;
  /** Number of executions whose history was not read, because the maximum number of entries was reached. */
  unreadExecutions: number;
  /** Number of log entries that cannot be read, usually because their key is not set here. */
  unreadable: number;
}

export interface AuditOptions {
  nowMs: number;
  /** Called with the number of histories read so far. */
  onRead?: (histories: number) => void;
  signal?: AbortSignal;
  /** Maximum number of entries of runs. @default 50,000 */
  maxEntries?: number;
}

const maxConcurrentReads = 8;
const pageSize = 1_000;

/** Reads the entries that match the query. @param query the name of the run must not contain quotes */
export async function readAudit(
  client: Client,
  query: AuditQuery,
  { nowMs, onRead = () => {}, signal, maxEntries = 50_000 }: AuditOptions,
): Promise<Audit> {
  const matching = new MatchingEntries(query);
  const log = new LogEntries();
  let [read, unreadExecutions] = [0, 0];
  const readExecution = async (execution: WorkflowExecutionInfo) => {
    if (matching.size >= maxEntries) {
      unreadExecutions += 1;
      return;
    }
    await (execution.type === workflowNames.audit
      ? readLog(client, execution, log)
      : readRun(client, execution, matching));
    read += 1;
    onRead(read);
  };
  const batch: WorkflowExecutionInfo[] = [];
  for await (const execution of listWorkflows(client, { query: listQuery(query), pageSize })) {
    signal?.throwIfAborted();
    batch.push(execution);
    if (batch.length === maxConcurrentReads) await Promise.all(batch.splice(0).map(readExecution));
  }
  await Promise.all(batch.map(readExecution));
  for (const entry of log.entries()) matching.add(entry);
  const entries = matching.sorted();
  return {
    entries,
    keptSince: await readRetentionStart(client, nowMs),
    unreadExecutions,
    unreadable: entries.filter(({ what }) => what === unreadable).length,
  };
}

/** Finds executions that were open at some time in the period, since an earlier run may have been approved in it. */
function listQuery({ sinceMs, untilMs, run }: AuditQuery): string {
  const since = new Date(sinceMs).toISOString();
  const startCondition =
    untilMs === null ? '' : ` AND StartTime < '${new Date(untilMs).toISOString()}'`;
  const types = [
    `(WorkflowType = '${workflowNames.run}'${run === undefined ? '' : ` AND WorkflowId = '${run}'`})`,
    `WorkflowType = '${workflowNames.audit}'`,
  ];
  return `(${types.join(' OR ')}) AND (CloseTime >= '${since}' OR ExecutionStatus = 'Running')${startCondition}`;
}

async function readLog(
  client: Client,
  { workflowId, runId }: WorkflowExecutionInfo,
  log: LogEntries,
): Promise<void> {
  for await (const events of readExecutionPages(client, workflowId, runId)) {
    for (const event of events) await log.addEvent(client.options, event);
  }
}

async function readRun(
  client: Client,
  { workflowId: run, runId, memo }: WorkflowExecutionInfo,
  matching: MatchingEntries,
): Promise<void> {
  const memoFields = asRecord(memo?.[runMemoField]);
  const pipeline = typeof memoFields['pipeline'] === 'string' ? memoFields['pipeline'] : null;
  if (!matching.isOfPipeline({ pipeline })) return;
  for await (const events of readExecutionPages(client, run, runId)) {
    for (const event of events) {
      const entry = await runEntry(client.options, { run, pipeline }, event);
      // The history of a reset run starts with a copy of the earlier history, so events are deduplicated by this key.
      if (entry !== null) matching.add(entry, `${run} ${String(event.eventId)} ${entry.at}`);
    }
  }
}

/** Reads the time before which the server may have deleted closed executions. Null if the retention is not known. */
async function readRetentionStart(client: Client, nowMs: number): Promise<string | null> {
  const { namespace } = client.options;
  const { config } = await callWithTimeout(client, responseTimeoutMs.usual, () =>
    client.workflowService.describeNamespace({ namespace }),
  );
  const seconds = Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0);
  return seconds > 0 ? new Date(nowMs - seconds * 1_000).toISOString() : null;
}

/** The entries that match the query, without duplicates. */
class MatchingEntries {
  readonly #query: AuditQuery;
  readonly #entries: AuditEntry[] = [];
  readonly #seenKeys = new Set<string>();

  constructor(query: AuditQuery) {
    this.#query = query;
  }

  get size(): number {
    return this.#entries.length;
  }

  isOfPipeline({ pipeline }: Pick<AuditEntry, 'pipeline'>): boolean {
    return this.#query.pipeline === undefined || this.#query.pipeline === pipeline;
  }

  /** @param key identifies an entry that may occur more than once */
  add(entry: AuditEntry, key?: string): void {
    const { sinceMs, untilMs, run, by } = this.#query;
    const atMs = Date.parse(entry.at);
    const person = `${entry.by}@${entry.host}`;
    if (atMs < sinceMs || atMs >= (untilMs ?? Infinity) || !this.isOfPipeline(entry)) return;
    if (run !== undefined && entry.name !== run) return;
    if (by !== undefined && by !== entry.by && by !== person) return;
    if (key !== undefined) {
      if (this.#seenKeys.has(key)) return;
      this.#seenKeys.add(key);
    }
    this.#entries.push(entry);
  }

  sorted(): AuditEntry[] {
    return this.#entries.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  }
}
