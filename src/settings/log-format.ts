// Whether all that a process prints is collected by machines: then remarks and errors are lines of the log too.
import type { Environment } from './environment.ts';

export const logFormatVariable = 'RENDERLINE_LOG_FORMAT';

/** True where each line is to be one JSON object. */
export function isLogJson(env: Environment): boolean {
  return env[logFormatVariable] === 'json';
}

const levels = { info: 30, error: 50 } as const;

/** The fields that a line of the logger begins with. */
export function logFields(level: keyof typeof levels, message: string, nowMs: number): object {
  return { level: levels[level], time: new Date(nowMs).toISOString(), msg: message };
}
