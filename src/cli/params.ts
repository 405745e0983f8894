// Parsers for values of options and arguments: name=value pairs, numbers, durations, hosts, ports and reasons.

import { isIP } from 'node:net';
import { badNumberError, parsePort } from '../app/parse-port.ts';
import { badValueError, RenderlineError, usageError } from '../app/renderline-error.ts';
import { commandFailures } from '../failures/commands.ts';
import { findDurationProblem, parseDurationMs } from '../language/duration.ts';
import { maxReasonLength } from '../plan/contract/audit-contract.ts';
import { hostPattern } from '../plan/run/queues.ts';

/** Collects the values of a repeatable option. */
export function collectOption(value: string, values: string[] | undefined): string[] {
  return [...(values ?? []), value];
}

/**
 * Splits each pair at its first `=`. A value may be empty or contain `=`.
 * @param example a valid pair, shown in errors
 * @throws RenderlineError for a pair without a name or `=`, or for a repeated name
 */
export function parsePairs(
  flag: string,
  pairs: readonly string[] = [],
  example = 'folder=./models',
): Record<string, string> {
  const values = new Map<string, string>();
  for (const pair of pairs) {
    const equalsIndex = pair.indexOf('=');
    if (equalsIndex < 1) {
      const message = `${flag} "${pair}" is not name=value.`;
      throw badValueError(commandFailures.BAD_PAIR, message, `${flag} ${example}`);
    }
    const name = pair.slice(0, equalsIndex);
    if (values.has(name)) {
      throw new RenderlineError(commandFailures.REPEATED_PAIR, `${flag} sets "${name}" twice.`);
    }
    values.set(name, pair.slice(equalsIndex + 1));
  }
  return Object.fromEntries(values);
}

/** Maximum value of options that accept a whole number. It allows for seeds, which are 32-bit numbers. */
const maxWholeNumber = 2 ** 32 - 1;

/** Creates a parser for positive integers. */
export function createIntegerParser(flag: string): (value: string) => number {
  return (value) => {
    const number = /^\d{1,15}$/.test(value) ? Number(value) : 0;
    if (number > 0 && number <= maxWholeNumber) return number;
    throw badNumberError(flag, value, `a whole number from 1 to ${maxWholeNumber}`);
  };
}

/** Creates a parser for numbers from 0, including decimals. */
export function createNumberParser(flag: string): (value: string) => number {
  return (value) => {
    if (/^\d{1,15}(\.\d{1,9})?$/.test(value)) return Number(value);
    throw badNumberError(flag, value, 'a number, 0 or more');
  };
}

/** Parses the percentage of `deployments ramp`. */
export function parsePercent(value: string): number {
  const percent = /^\d{1,3}(\.\d{1,2})?$/.test(value) ? Number(value) : Number.NaN;
  if (percent <= 100) return percent;
  const example = 'renderline deployments ramp 10';
  throw badNumberError('The percentage', value, 'a number from 0 to 100', example);
}

/** Parses durations such as 12h to milliseconds. @param example a valid duration, shown in errors */
export function createDurationParser(flag: string, example: string): (value: string) => number {
  return (value) => {
    const ms = parseDurationMs(value);
    if (ms !== null) return ms;
    const message = `${flag} "${value}" ${findDurationProblem(value, 'is not a duration')}.`;
    throw badValueError(commandFailures.BAD_DURATION, message, `${flag} ${example}`);
  };
}

/** Checks the name of a host with workers. The name need not exist in the network. */
export function parseHost(value: string): string {
  if (hostPattern.test(value)) return value;
  const message = `--host ${JSON.stringify(value)} is not a host name.`;
  throw badValueError(commandFailures.BAD_HOST, message, '--host studio-2');
}

const hostNamePattern =
  /^(?=.{1,253}$)[a-z\d_]([a-z\d_-]*[a-z\d])?(\.[a-z\d_]([a-z\d_-]*[a-z\d])?)*$/i;

/** Checks an address to listen on: an IP address or a host name. */
export function parseAddress(value: string): string {
  if (isIP(value) !== 0 || hostNamePattern.test(value)) return value;
  const message = `--host ${JSON.stringify(value)} is neither an IP address nor a host name.`;
  throw badValueError(commandFailures.BAD_HOST, message, '--host 127.0.0.1');
}

/** Creates a parser for ports. 0 means any free port. */
export function createPortParser(flag: string): (value: string) => number {
  return (value) => parsePort(flag, value);
}

/** Trims the text of `--reason`. @throws RenderlineError if it is empty or too long */
export function parseReason(text: string): string {
  const reason = text.trim();
  if (reason !== '' && reason.length <= maxReasonLength) return reason;
  throw usageError(
    `--reason has ${reason.length} characters; the limit is 1 to ${maxReasonLength}.`,
  );
}
