// Tells a receiver how a run ended, or that it waits; Temporal tries again for a day.
import { Context } from '@temporalio/activity';
import { chatBody, runMessage } from '../src/capabilities/notices/chat.ts';
import { noticeBody, sendNotice } from '../src/capabilities/notices/send-notice.ts';
import { readPaidOfRun } from '../src/capabilities/paid-work.ts';
import { openRunStore } from '../src/capabilities/run-store.ts';
import type { Notice, NoticeInput, NoticeResult } from '../src/plan/notice-contract.ts';
import type { Paid } from '../src/plan/paid.ts';
import type { ConnectorSpec } from '../src/plan/types.ts';
import type { Deps } from './deps.ts';
import { toFailure } from './failures.ts';

export async function sendRunNotice(
  { id, target, notice: said, records }: NoticeInput,
  deps: Deps,
): Promise<NoticeResult> {
  const { info, cancellationSignal } = Context.current();
  const { endedAt, ...told } = said;
  const data = { ...told, paid: records === undefined ? null : await paidOf(told, records, deps) };
  const type = said.outcome === 'waiting' ? 'run.waiting' : 'run.ended';
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

/** Null where this worker cannot read the records of the run: the notice is sent all the same. */
async function paidOf(
  { run, pipeline, outcome }: Pick<Notice, 'run' | 'pipeline' | 'outcome'>,
  records: ConnectorSpec,
  deps: Pick<Deps, 'connector'>,
): Promise<Paid | null> {
  try {
    const context = { run, lineage: run, pipeline, recipe: '' };
    const store = openRunStore(deps.connector(records), context);
    return await readPaidOfRun(store, outcome !== 'waiting');
  } catch {
    return null;
  }
}
