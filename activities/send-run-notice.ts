// Tells a receiver how a run ended, or that it waits; Temporal tries again for a day.
import { Context } from '@temporalio/activity';
import { chatBody, runMessage } from '../src/capabilities/notices/chat.ts';
import { noticeBody, sendNotice } from '../src/capabilities/notices/send-notice.ts';
import type { NoticeInput, NoticeResult } from '../src/plan/notice-contract.ts';
import type { Deps } from './deps.ts';
import { toFailure } from './failures.ts';

export async function sendRunNotice(
  { id, target, notice: said }: NoticeInput,
  deps: Deps,
): Promise<NoticeResult> {
  const { info, cancellationSignal } = Context.current();
  const { endedAt, ...data } = said;
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
