import { commandFailures } from '../failures/commands.ts';
import { RenderlineError } from './renderline-error.ts';

/** Parses a port; 0: a free one. @param origin option or variable with the value @throws RenderlineError BAD_NUMBER */
export function parsePort(origin: string, value: string): number {
  if (/^\d{1,5}$/.test(value) && Number(value) <= 65_535) return Number(value);
  throw badNumberError(origin, value, 'a port, 0 to 65535', '4010');
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
