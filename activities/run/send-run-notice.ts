// Notifies a receiver that a run has finished or waits; Temporal retries for a day.
import { Context } from '@temporalio/activity';
import { chatBody, runMessage } from '../../src/features/notices/chat.ts';
import { noticeBody, sendNotice } from '../../src/features/notices/send-notice.ts';
import { readPaidWorkOfRun } from '../../src/features/paid-work.ts';
import { openRunStore } from '../../src/features/run-store.ts';
import type {
  Notice,
  NoticeInput,
  NoticeResult,
  SentNotice,
} from '../../src/plan/contract/notice-contract.ts';
import { ExportTally } from '../../src/plan/run/export-tally.ts';
import type { Deps } from '../deps.ts';
import { toFailure } from '../failures.ts';

export async function sendRunNotice(input: NoticeInput, deps: Deps): Promise<NoticeResult> {
  const { id, target, notice: facts } = input;
  const { info, cancellationSignal } = Context.current();
  const { endedAt, ...rest } = facts;
  const temporalUi = deps.runPage(facts.run);
  const data = { ...rest, ...(await readRecordedFacts(input, deps)), temporalUi };
  const type = hasEnded(facts) ? 'run.ended' : `run.${facts.outcome}`;
  const { format } = target;
  const body =
    format === undefined ? noticeBody(type, endedAt, data) : chatBody(format, runMessage(data));
  try {
    const notice = { id, target, body };
    const status = await sendNotice(notice, deps.guard, deps.now(), cancellationSignal);
    return { status, attempts: info.attempt };
  } catch (error) {
    throw toFailure(error, info.attempt, deps.secrets);
  }
}

function hasEnded({ outcome }: Notice): boolean {
  return outcome !== 'waiting' && outcome !== 'late';
}

type RecordedFacts = Pick<SentNotice, 'paid' | 'startPoints' | 'exports'>;

/** Empty if this worker cannot read the run's records; the notice is sent anyway. */
async function readRecordedFacts(
  { notice, records, exports }: NoticeInput,
  deps: Pick<Deps, 'connector'>,
): Promise<RecordedFacts> {
  const { run, pipeline } = notice;
  const unknown: RecordedFacts = { paid: null, startPoints: null, exports: [] };
  try {
    const context = { run, lineage: run, pipeline, recipe: '' };
    const store = openRunStore(deps.connector(records), context);
    const tally = new ExportTally(exports);
    const paid = await readPaidWorkOfRun(store, hasEnded(notice), (asset) => tally.add(asset));
    const found = await store.manifest.discovery();
    return { paid, startPoints: found && (found.startPoints ?? []), exports: tally.counts };
  } catch {
    return unknown;
  }
}
