import { commandFailures } from '../failures/commands.ts';
import type { Environment } from '../settings/environment.ts';
import { badValueError, type RenderlineError } from './renderline-error.ts';

/** Parses a port, or 0 for any. @param origin option or variable with the value @throws RenderlineError BAD_NUMBER */
export function parsePort(origin: string, value: string): number {
  if (/^\d{1,5}$/.test(value) && Number(value) <= 65_535) return Number(value);
  throw badNumberError(origin, value, 'a port, 0 to 65535', `${origin} 4010`);
}

/** Returns the port set by a variable, or undefined if the variable is not set. @throws RenderlineError BAD_NUMBER */
export function readPort(variable: string, env: Environment): number | undefined {
  const text = env[variable];
  return text ? parsePort(variable, text) : undefined;
}

/** @param example a valid value together with its origin */
export function badNumberError(
  origin: string,
  value: string,
  requirement: string,
  example = `${origin} 10`,
): RenderlineError {
  const message = `${origin} "${value}" is not ${requirement}.`;
  return badValueError(commandFailures.BAD_NUMBER, message, example);
}
