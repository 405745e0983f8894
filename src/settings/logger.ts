// Creates the logger. It removes secrets from every line. It writes readable lines to a terminal, unless
// RENDERLINE_LOG_FORMAT requires JSON. Elsewhere it writes JSON lines.
import { type Logger as PinoLogger, pino } from 'pino';
import { escapeToOneLine } from '../api/responses/plain-text.ts';
import { createScrubber } from '../api/responses/scrub.ts';
import { asRecord } from '../api/unknown-values.ts';
import type { Environment } from './environment.ts';
import { isJsonLogFormat } from './log-format.ts';

export type Logger = PinoLogger;

export interface LoggerOptions {
  readonly stream: { write(text: string): unknown; isTTY?: boolean };
  readonly env: Environment;
  /** Level if RENDERLINE_LOG is not set. @default 'warn' */
  readonly level?: string;
  /** Values that must never be printed, such as the API key. */
  readonly secrets?: readonly (string | null)[];
}

const levels = new Set(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']);

export function createLogger({ stream, env, level = 'warn', secrets = [] }: LoggerOptions): Logger {
  const requestedLevel = env['RENDERLINE_LOG'] ?? '';
  const clean = createScrubber(secrets.filter((secret) => secret !== null));
  const isForPeople = stream.isTTY === true && !isJsonLogFormat(env);
  const format = isForPeople ? formatLine : (line: string) => line.trimEnd();
  return pino(
    {
      level: levels.has(requestedLevel) ? requestedLevel : level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: pino.stdSerializers.err, error: pino.stdSerializers.err },
    },
    // The finished line is scrubbed, so that no field is missed. Control characters are escaped as in JSON.
    { write: (line: string) => void stream.write(`${clean(escapeToOneLine(format(line)))}\n`) },
  );
}

const names: Record<number, string> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
};

function formatLine(line: string): string {
  const { level, time, msg, ...fields } = asRecord(JSON.parse(line));
  const fieldTexts = Object.entries(fields).map(([name, value]) => `${name}=${formatValue(value)}`);
  const clock = String(time).slice(11, 19);
  return [clock, names[Number(level)] ?? level, msg, ...fieldTexts].join(' ');
}

function formatValue(value: unknown): string {
  if (typeof value === 'string') return value.includes(' ') ? JSON.stringify(value) : value;
  return JSON.stringify(value);
}
