// Decides whether a stream has colours. Checks FORCE_COLOR, then NO_COLOR and TERM=dumb, then whether it is a terminal.
import { styleText } from 'node:util';
import type { Environment } from '../settings/environment.ts';
import type { Terminal } from './io.ts';

export type Paint = (format: Parameters<typeof styleText>[0], text: string) => string;

export function isColorUsed(stream: Pick<Terminal, 'isTTY'>, env: Environment): boolean {
  const value = env['FORCE_COLOR'];
  if (value !== undefined) return !['0', 'false'].includes(value);
  if (env['NO_COLOR'] || env['TERM'] === 'dumb') return false;
  return stream.isTTY === true;
}

export function createPaint(stream: Pick<Terminal, 'isTTY'>, env: Environment): Paint {
  if (!isColorUsed(stream, env)) return (_format, text) => text;
  return (format, text) => styleText(format, text, { validateStream: false });
}

/** Returns the colour for the state or the outcome of a run. */
export function colorOfState(state: string): Parameters<Paint>[0] {
  if (state === 'complete' || state === 'completed') return 'green';
  if (state === 'running') return 'cyan';
  return state === 'partial_failure' || state === 'paused' ? 'yellow' : 'red';
}
