// Messages for Slack and Teams, as their incoming webhooks take them. Pure.
import { printable } from '../../api/plain-text.ts';
import { beginLines } from '../../plan/begins.ts';
import { exportWords } from '../../plan/export-tally.ts';
import type { Notice, SentNotice } from '../../plan/notice-contract.ts';
import { paidWords } from '../../plan/paid.ts';
import type { StepAsset } from '../../plan/types.ts';
import { withdrawnWords } from '../../plan/withdrawal.ts';

export type ChatFormat = 'slack' | 'teams';

/** A message, independent of the chat service. */
export interface ChatMessage {
  title: string;
  facts: readonly (readonly [name: string, value: string])[];
  lines: readonly string[];
  /** A command to run next. */
  next: string | null;
}

// Slack refuses a header of more than 150 characters and a section of more than 3,000; Teams a message of 28 kB.
const longestTitle = 150;
const longestText = 2_800;
const linesShown = 10;

const outcomes: Readonly<Record<Notice['outcome'], string>> = {
  complete: 'complete',
  partial_failure: 'some assets failed',
  failed: 'failed',
  cancelled: 'was cancelled',
  waiting: 'waits for approval',
};

/** The message that a run has finished, or waits for approval. */
export function runMessage(notice: SentNotice): ChatMessage {
  const { run, pipeline, outcome, assets, begins, exports, withdrawn, cause, failures, paid } =
    notice;
  const { total, complete, failed, skipped } = assets;
  const counts = [
    `${complete} of ${total} complete`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ];
  const next: Partial<Record<Notice['outcome'], string>> = {
    waiting: `renderline approve ${run}`,
    partial_failure: `renderline failures ${run}`,
    failed: `renderline failures ${run}`,
  };
  return {
    title: `${pipeline}: ${outcomes[outcome]}`,
    facts: [
      ['Run', run],
      ['Assets', counts.join(', ')],
      ...beginLines(begins ?? []).map((line) => ['Again', line] as const),
      ...exports.map((one) => [one.node, exportWords(one)] as const),
      ...(withdrawn ? [['Withdrawn', withdrawnWords(withdrawn)] as const] : []),
      ...(total > 0 ? [['Paid', paidWords(paid)] as const] : []),
      ...(cause ? [['Cause', `${cause.code}: ${cause.message}`] as const] : []),
    ],
    lines: shortened(
      failures.map(({ key, code, message }) => `${key}: ${code}: ${message}`),
      failed,
    ),
    next: next[outcome] ?? null,
  };
}

/** The message that assets have reached a node. */
export function assetsMessage(
  assets: readonly StepAsset[],
  { run, pipeline, node }: { run: string; pipeline: string; node: string },
): ChatMessage {
  const lines = assets.map(({ key, soFar }) => {
    const files = soFar?.filesTotal ?? 0;
    return files === 0 ? key : `${key}: ${files} ${files === 1 ? 'file' : 'files'}`;
  });
  return {
    title: `${pipeline}: ${assets.length} ${assets.length === 1 ? 'asset' : 'assets'} at ${node}`,
    facts: [['Run', run]],
    lines: shortened(lines, lines.length),
    next: null,
  };
}

function shortened(lines: readonly string[], total: number): string[] {
  const shown = lines.slice(0, linesShown);
  const rest = Math.max(total, lines.length) - shown.length;
  return [...shown, ...(rest > 0 ? [`and ${rest} more`] : [])];
}

/** The body of the POST, as JSON. */
export function chatBody(format: ChatFormat, message: ChatMessage): string {
  return JSON.stringify(format === 'slack' ? slackBody(message) : teamsBody(message));
}

function slackBody({ title, facts, lines, next }: ChatMessage) {
  const section = (text: string) => ({
    type: 'section',
    text: { type: 'mrkdwn', text: cut(text, 3_000) },
  });
  const told = [
    facts.map(([name, value]) => `*${name}*  ${slackText(value)}`).join('\n'),
    lines.map((line) => `• ${slackText(line)}`).join('\n'),
    next === null ? '' : `\`${slackText(next)}\``,
  ];
  return {
    // Shown in notifications, and by clients without block support.
    text: slackText(title),
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: cut(oneLine(title), longestTitle) } },
      ...told.filter((text) => text !== '').map(section),
    ],
  };
}

/** Escapes text: a name such as `<!channel>` would notify everybody. */
function slackText(text: string): string {
  const plain = cut(oneLine(text), longestText / linesShown);
  return plain.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function teamsBody({ title, facts, lines, next }: ChatMessage) {
  const block = (text: string, more: object = {}) => ({
    type: 'TextBlock',
    text,
    wrap: true,
    ...more,
  });
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
            block(teamsText(title), { size: 'Large', weight: 'Bolder' }),
            {
              type: 'FactSet',
              facts: facts.map(([name, value]) => ({ title: name, value: teamsText(value) })),
            },
            ...(lines.length === 0
              ? []
              : [block(lines.map((line) => `- ${teamsText(line)}`).join('\n'))]),
            ...(next === null ? [] : [block(next, { fontType: 'Monospace' })]),
          ],
        },
      },
    ],
  };
}

/** Escapes Markdown, which Teams interprets in card text. */
function teamsText(text: string): string {
  return cut(oneLine(text), longestText / linesShown).replaceAll(/[\\[\]*_`~<>]/g, '\\$&');
}

function oneLine(text: string): string {
  return printable(text).replaceAll(/\s+/g, ' ').trim();
}

function cut(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
}
