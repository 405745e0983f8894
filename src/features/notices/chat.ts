// Messages for Slack and Teams, in the form that their incoming webhooks accept. Pure.
import { removeControls, truncate } from '../../api/responses/plain-text.ts';
import { formatUtcMinutes } from '../../plan/contract/canary.ts';
import type { Notice, SentNotice } from '../../plan/contract/notice-contract.ts';
import type { LateRun } from '../../plan/deadline.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { formatExport } from '../../plan/run/export-tally.ts';
import { formatPaid } from '../../plan/run/paid-work.ts';
import { formatStartPoints } from '../../plan/run/start-points.ts';
import { formatTotals } from '../../plan/shard/format-totals.ts';
import type { StepAsset } from '../../plan/types.ts';
import { formatWithdrawn } from '../../plan/withdrawal.ts';

export type ChatFormat = 'slack' | 'teams';

/** A message, independent of the chat service. */
interface ChatMessage {
  title: string;
  facts: readonly (readonly [name: string, value: string])[];
  lines: readonly string[];
  /** A command to run next. Null if there is none. */
  next: string | null;
  /** The page for the decision, and the run's page in the Temporal UI, if known. */
  links: readonly { text: string; url: string }[];
}

// Slack refuses a header of more than 150 characters and a section of more than 3,000. Teams refuses more than 28 kB.
const maxTitleLength = 150;
const maxTextLength = 2_800;
const maxLinesShown = 10;
const linkText = 'Page of the run in the Temporal UI';

const outcomes: Readonly<Record<Notice['outcome'], string>> = {
  complete: 'complete',
  partial_failure: 'some assets failed',
  failed: 'failed',
  cancelled: 'was cancelled',
  waiting: 'is waiting for approval',
  late: 'is late',
};

/** Creates the message that a run has finished, waits for approval, or misses its deadline. */
export function createRunMessage(notice: SentNotice): ChatMessage {
  const { run, pipeline, outcome, assets, startPoints, exports, withdrawn, cause, failures, paid } =
    notice;
  const { deadline, report, temporalUi, decide } = notice;
  const { total, failed } = assets;
  const next: Partial<Record<Notice['outcome'], string>> = {
    waiting: `renderline approve ${run}`,
    late: `renderline show ${run}`,
    partial_failure: `renderline failures ${run}`,
    failed: `renderline failures ${run}`,
  };
  return {
    title: `${pipeline}: ${deadline?.lateness === 'expected' ? 'is expected to be late' : outcomes[outcome]}`,
    facts: [
      ['Run', run],
      ['Assets', formatTotals(assets)],
      ...formatStartPoints(startPoints ?? []).map((line) => ['Repeated', line] as const),
      ...exports.map((nodeExport) => [nodeExport.node, formatExport(nodeExport)] as const),
      ...(withdrawn ? [['Withdrawn', formatWithdrawn(withdrawn)] as const] : []),
      ...(total > 0 ? [['Paid', formatPaid(paid)] as const] : []),
      ...formatLateFacts(deadline),
      ...(cause ? [['Cause', `${cause.code}: ${cause.message}`] as const] : []),
      ...(report === null ? [] : [['Report', report] as const]),
    ],
    lines: shortenLines(
      failures.map(({ key, code, message }) => `${key}: ${code}: ${message}`),
      failed,
    ),
    next: decide ? null : (next[outcome] ?? null),
    links: [...createDecisionLinks(decide), ...createPageLinks(temporalUi)],
  };
}

/** Whoever opens the link decides on behalf of one person, so its text identifies that person. */
function createDecisionLinks(decide: SentNotice['decide']): ChatMessage['links'] {
  if (!decide) return [];
  const { person, until, url } = decide;
  return [{ text: `Review and decide as ${person}, until ${formatUtcMinutes(until)}`, url }];
}

function createPageLinks(temporalUi: string | null): ChatMessage['links'] {
  return temporalUi === null ? [] : [{ text: linkText, url: temporalUi }];
}

function formatLateFacts(deadline: LateRun | undefined): [name: string, value: string][] {
  if (deadline === undefined) return [];
  const { dueAt, expectedEnd, unfinished, steps } = deadline;
  const atSteps = steps.map(({ step, assets }) => `${assets} at ${step}`).join(', ');
  const endLabel = expectedEnd === null ? 'unknown' : formatUtcMinutes(expectedEnd);
  return [
    ['Deadline', `${formatUtcMinutes(dueAt)}; expected end ${endLabel}`],
    ['Missing', `${formatCount(unfinished, 'asset')}${atSteps === '' ? '' : `: ${atSteps}`}`],
  ];
}

/** Creates the message that assets have reached a node. */
export function createAssetsMessage(
  assets: readonly StepAsset[],
  occasion: Pick<SentNotice, 'run' | 'pipeline' | 'temporalUi'> & { node: string },
): ChatMessage {
  const { run, pipeline, node, temporalUi } = occasion;
  const lines = assets.map(({ key, earlierResults }) => {
    const files = earlierResults?.filesTotal ?? 0;
    return files === 0 ? key : `${key}: ${formatCount(files, 'file')}`;
  });
  return {
    title: `${pipeline}: ${formatCount(assets.length, 'asset')} at ${node}`,
    facts: [['Run', run]],
    lines: shortenLines(lines, lines.length),
    next: null,
    links: createPageLinks(temporalUi),
  };
}

function shortenLines(lines: readonly string[], total: number): string[] {
  const shownLines = lines.slice(0, maxLinesShown);
  const omittedCount = Math.max(total, lines.length) - shownLines.length;
  return [...shownLines, ...(omittedCount > 0 ? [`and ${omittedCount} more`] : [])];
}

/** Returns the body of the POST, as JSON. */
export function formatChatBody(format: ChatFormat, message: ChatMessage): string {
  return JSON.stringify(format === 'slack' ? toSlackBody(message) : toTeamsBody(message));
}

function toSlackBody({ title, facts, lines, next, links }: ChatMessage) {
  const section = (text: string) => ({
    type: 'section',
    text: { type: 'mrkdwn', text: truncate(text, 3_000) },
  });
  const sections = [
    facts.map(([name, value]) => `*${name}*  ${escapeSlack(value)}`).join('\n'),
    lines.map((line) => `• ${escapeSlack(line)}`).join('\n'),
    next === null ? '' : `\`${escapeSlack(next)}\``,
    links.map(({ text, url }) => `<${escapeSlackUrl(url)}|${escapeSlack(text)}>`).join('\n'),
  ];
  const header = truncate(toOneLine(title), maxTitleLength);
  return {
    // This text is shown in notifications, and by clients without block support.
    text: escapeSlack(title),
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: header } },
      ...sections.filter((text) => text !== '').map(section),
    ],
  };
}

/** Escapes text, because a name such as `<!channel>` would notify everybody. */
function escapeSlack(text: string): string {
  const plain = truncate(toOneLine(text), maxTextLength / maxLinesShown);
  return plain.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Escapes an address, because `|` and `>` would end the link. */
function escapeSlackUrl(url: string): string {
  return url.replaceAll('&', '&amp;').replaceAll(/[<>|]/g, encodeURIComponent);
}

function toTeamsBody({ title, facts, lines, next, links }: ChatMessage) {
  const block = (text: string, extraFields: object = {}) => ({
    type: 'TextBlock',
    text,
    wrap: true,
    ...extraFields,
  });
  const factSet = facts.map(([name, value]) => ({ title: name, value: escapeTeams(value) }));
  const list = lines.map((line) => `- ${escapeTeams(line)}`).join('\n');
  const actions = links.map(({ text, url }) => ({ type: 'Action.OpenUrl', title: text, url }));
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [
            block(escapeTeams(title), { size: 'Large', weight: 'Bolder' }),
            { type: 'FactSet', facts: factSet },
            ...(lines.length === 0 ? [] : [block(list)]),
            ...(next === null ? [] : [block(next, { fontType: 'Monospace' })]),
          ],
          ...(links.length === 0 ? {} : { actions }),
        },
      },
    ],
  };
}

/** Escapes Markdown, which Teams interprets in card text. */
function escapeTeams(text: string): string {
  const plain = truncate(toOneLine(text), maxTextLength / maxLinesShown);
  return plain.replaceAll(/[\\[\]*_`~<>]/g, '\\$&');
}

function toOneLine(text: string): string {
  return removeControls(text).replaceAll(/\s+/g, ' ').trim();
}
