// Shows progress on stderr: a table that redraws itself on a terminal, otherwise occasional lines.
import { createLogUpdate } from 'log-update';
import { painter, usesColor } from '../color.ts';
import type { Io } from '../io.ts';
import { escapeForTerminal, sanitizeForTerminal } from '../terminal-text.ts';
import { formatProgressLine, formatProgressTable, type ProgressView } from './progress-view.ts';

export interface Progress {
  /** Poll interval in ms. */
  readonly pollIntervalMs: number;
  show(view: ProgressView): void;
  /** Clears the table. */
  close(): void;
}

const lineIntervalMs = 5_000;

/** Line output prints when the state or the remark changes, and otherwise at most every five seconds. */
export function startProgress(io: Io, quiet = false): Progress {
  if (quiet) return { pollIntervalMs: 2_000, show: () => {}, close: () => {} };
  const isPlainTerminal = io.env['TERM'] === 'dumb' || Boolean(io.env['CI']);
  return io.stderr.isTTY === true && !isPlainTerminal ? tableProgress(io) : lineProgress(io);
}

function tableProgress(io: Io): Progress {
  const draw = createLogUpdate(io.stderr, { showCursor: true });
  const paint = painter(io.stderr, io.env);
  return {
    pollIntervalMs: 1_000,
    show: (view) =>
      draw(
        sanitizeForTerminal(
          formatProgressTable(escapeForTerminal(view), paint),
          usesColor(io.stderr, io.env),
        ),
      ),
    close: () => draw.clear(),
  };
}

function lineProgress(io: Io): Progress {
  let last = { text: '', kind: '', atMs: -Infinity };
  return {
    pollIntervalMs: 2_000,
    show(view) {
      const kind = `${view.state} ${view.remark ?? ''}`;
      const text = formatProgressLine(escapeForTerminal(view));
      const due = io.now() - last.atMs >= lineIntervalMs && text !== last.text;
      if (kind === last.kind && !due) return;
      last = { text, kind, atMs: io.now() };
      io.stderr.write(`${sanitizeForTerminal(text, false)}\n`);
    },
    close: () => {},
  };
}
