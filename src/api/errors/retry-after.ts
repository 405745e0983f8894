// Reads the delay that a rate-limited response requests, whatever unit its headers use.

export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Rate headers as delays. Absolute times would depend on another clock. */
export interface RateHeaders {
  /** Requests per window. */
  limit?: number;
  remaining?: number;
  /** Time until the window resets, ms. */
  resetInMs?: number;
  retryAfterMs?: number;
}

const maxDelayMs = 120_000;
/** Temporal fails an activity whose retry delay is 0 instead of retrying it. */
const minDelayMs = 250;

export function clampDelayMs(delayMs: number): number {
  return Math.min(Math.max(delayMs, minDelayMs), maxDelayMs);
}

/** Returns a header's value, or the first value if the header was sent several times. */
export function getHeader(headers: ResponseHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** Returns the platform's clock in epoch ms, from the Date header. */
export function parseServerDate(headers: ResponseHeaders): number | undefined {
  const dateMs = Date.parse(getHeader(headers, 'date') ?? '');
  return Number.isNaN(dateMs) ? undefined : dateMs;
}

function count(text: string | undefined): number | undefined {
  if (text === undefined || !/^\s*\d+(\.\d+)?\s*$/.test(text)) return undefined;
  return Number(text);
}

/** Converts seconds or an HTTP-date (RFC 9110) to ms from `serverNowMs`. Returns undefined if the text is neither. */
export function parseRetryAfter(text: string | undefined, serverNowMs: number): number | undefined {
  const seconds = count(text);
  if (seconds !== undefined) return seconds * 1000;
  // Date.parse accepts almost anything, but an HTTP-date starts with the name of a day.
  const date = /^[a-z]{3,9},? /i.test(text ?? '') ? Date.parse(text ?? '') : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - serverNowMs);
}

/** Returns the delay until a reset, in ms. The magnitude shows whether the text is in epoch s, epoch ms or seconds. */
export function parseReset(text: string | undefined, serverNowMs: number): number | undefined {
  const value = count(text);
  if (value === undefined) return undefined;
  if (value >= 1e12) return Math.max(0, value - serverNowMs);
  if (value >= 1e9) return Math.max(0, value * 1000 - serverNowMs);
  return value * 1000;
}

/** Reads the rate headers relative to the server's own Date, so that a skewed local clock has no effect. */
export function readRateHeaders(headers: ResponseHeaders, localNowMs: number): RateHeaders {
  const serverNowMs = parseServerDate(headers) ?? localNowMs;
  const limit = count(getHeader(headers, 'x-ratelimit-limit'));
  const remaining = count(getHeader(headers, 'x-ratelimit-remaining'));
  const resetInMs = parseReset(getHeader(headers, 'x-ratelimit-reset'), serverNowMs);
  const retryAfterMs = parseRetryAfter(getHeader(headers, 'retry-after'), serverNowMs);
  return {
    ...(limit !== undefined && limit >= 1 && { limit: Math.floor(limit) }),
    ...(remaining !== undefined && { remaining }),
    ...(resetInMs !== undefined && { resetInMs }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

/** Returns the longer of `Retry-After` and the reset, from 250 ms to 120 s. Undefined if neither is requested. */
export function findRequestedDelayMs(rate: RateHeaders): number | undefined {
  const demands = [rate.retryAfterMs, rate.resetInMs].filter((ms) => ms !== undefined);
  return demands.length === 0 ? undefined : clampDelayMs(Math.max(...demands));
}
