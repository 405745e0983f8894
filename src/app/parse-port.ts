import { commandFailures } from '../failures/commands.ts';
import type { Environment } from '../settings/environment.ts';
import { RenderlineError } from './renderline-error.ts';

/** Parses a port, or 0 for any. @param origin option or variable with the value @throws RenderlineError BAD_NUMBER */
export function parsePort(origin: string, value: string): number {
  if (/^\d{1,5}$/.test(value) && Number(value) <= 65_535) return Number(value);
  throw badNumberError(origin, value, 'a port, 0 to 65535', '4010');
}

/** Returns the port set by a variable, or undefined if the variable is not set. @throws RenderlineError BAD_NUMBER */
export function readPort(variable: string, env: Environment): number | undefined {
  const text = env[variable];
  return text ? parsePort(variable, text) : undefined;
}

export function badNumberError(
  origin: string,
  value: string,
  requirement: string,
  example = '10',
): RenderlineError {
  const message = `${origin} "${value}" is not ${requirement}.`;
  const fix = `For example: ${origin} ${example}`;
  return new RenderlineError(commandFailures.BAD_NUMBER, message, { fix });
}
