// Shows progress on stderr: a table that redraws itself on a terminal, otherwise occasional lines.
import { createLogUpdate } from 'log-update';
import { painter, usesColor } from '../color.ts';
import type { Io } from '../io.ts';
import { screenText, spelledOut } from '../screen-text.ts';
import { type ProgressView, progressLine, progressTable } from './progress-view.ts';

export interface Progress {
  /** Poll interval in ms. */
  readonly everyMs: number;
  show(view: ProgressView): void;
  /** Clears the table. */
  end(): void;
}

const lineEveryMs = 5_000;

/** Line output prints when the state or the remark changes, and otherwise at most every five seconds. */
export function startProgress(io: Io, quiet = false): Progress {
  if (quiet) return { everyMs: 2_000, show: () => {}, end: () => {} };
  const dumb = io.env['TERM'] === 'dumb' || Boolean(io.env['CI']);
  return io.stderr.isTTY === true && !dumb ? tableProgress(io) : lineProgress(io);
}

function tableProgress(io: Io): Progress {
  const draw = createLogUpdate(io.stderr, { showCursor: true });
  const paint = painter(io.stderr, io.env);
  return {
    everyMs: 1_000,
    show: (view) =>
      draw(screenText(progressTable(spelledOut(view), paint), usesColor(io.stderr, io.env))),
    end: () => draw.clear(),
  };
}

function lineProgress(io: Io): Progress {
  let last = { text: '', kind: '', atMs: -Infinity };
  return {
    everyMs: 2_000,
    show(view) {
      const kind = `${view.state} ${view.remark ?? ''}`;
      const text = progressLine(spelledOut(view));
      const due = io.now() - last.atMs >= lineEveryMs && text !== last.text;
      if (kind === last.kind && !due) return;
      last = { text, kind, atMs: io.now() };
      io.stderr.write(`${screenText(text, false)}\n`);
    },
    end: () => {},
  };
}
