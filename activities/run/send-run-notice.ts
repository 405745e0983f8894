// Sends a run notice to one receiver. Temporal retries it for a day.
import { Context } from '@temporalio/activity';
import { createRunMessage, formatChatBody } from '../../src/features/notices/chat.ts';
import { formatNoticeBody, sendNotice } from '../../src/features/notices/send-notice.ts';
import { readPaidWorkOfRun } from '../../src/features/paid-work.ts';
import { openRunStore } from '../../src/features/run-store.ts';
import { toDurationMs } from '../../src/language/duration.ts';
import type {
  Notice,
  NoticeInput,
  NoticeResult,
  SentNotice,
} from '../../src/plan/contract/notice-contract.ts';
import { ExportTally } from '../../src/plan/run/export-tally.ts';
import { createLinkUrl } from '../../src/settings/secrets/decision-link.ts';
import type { Deps } from '../deps.ts';
import { toFailure } from '../failures.ts';

export async function sendRunNotice(input: NoticeInput, deps: Deps): Promise<NoticeResult> {
  const { id, target, notice: facts } = input;
  const { info, cancellationSignal } = Context.current();
  const { endedAt, ...rest } = facts;
  const temporalUi = deps.runPageUrlOf(facts.run);
  const recordedFacts = await readRecordedFacts(input, deps);
  const data = { ...rest, ...recordedFacts, temporalUi, ...createDecisionLink(input, deps) };
  const type = isEndNotice(facts) ? 'run.ended' : `run.${facts.outcome}`;
  const { format } = target;
  const body =
    format === undefined
      ? formatNoticeBody(type, endedAt, data)
      : formatChatBody(format, createRunMessage(data));
  try {
    const notice = { id, target, body };
    const status = await sendNotice(notice, deps.operatorRules, deps.now(), cancellationSignal);
    return { status, attempts: info.attempt };
  } catch (error) {
    throw toFailure(error, info.attempt, deps.secrets);
  }
}

/**
 * Creates the decision link if the run waits and the receiver's entry requests a link. Each attempt creates the same
 * link, which works once. The link is secret, so no input or result contains it.
 */
function createDecisionLink(
  { id, target: { link }, notice: { run, outcome, endedAt } }: NoticeInput,
  { decisionLinks }: Pick<Deps, 'decisionLinks'>,
): Pick<SentNotice, 'decide'> {
  if (link === undefined || outcome !== 'waiting') return {};
  if (decisionLinks === null) return { decide: null };
  const { for: person, within } = link;
  const untilMs = Date.parse(endedAt) + toDurationMs(within);
  const url = createLinkUrl({ id: `${id} ${person}`, run, person, untilMs }, decisionLinks);
  return { decide: { person, until: new Date(untilMs).toISOString(), url } };
}

function isEndNotice({ outcome }: Notice): boolean {
  return outcome !== 'waiting' && outcome !== 'late';
}

type RecordedFacts = Pick<SentNotice, 'paid' | 'startPoints' | 'exports'>;

/** Reads facts from the run's records. If this worker cannot, they are unknown, and the notice is sent anyway. */
async function readRecordedFacts(
  { notice, records, exports }: NoticeInput,
  deps: Pick<Deps, 'connectorOf'>,
): Promise<RecordedFacts> {
  const { run, pipeline } = notice;
  const unknownFacts: RecordedFacts = { paid: null, startPoints: null, exports: [] };
  try {
    const context = { run, lineage: run, pipeline, recipe: '' };
    const store = openRunStore(deps.connectorOf(records), context);
    const tally = new ExportTally(exports);
    const paid = await readPaidWorkOfRun(store, isEndNotice(notice), (asset) => tally.add(asset));
    const discovery = await store.runAssets.readDiscovery();
    return { paid, startPoints: discovery && (discovery.startPoints ?? []), exports: tally.counts };
  } catch {
    return unknownFacts;
  }
}
