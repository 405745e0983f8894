// Reads the wake-ups of a receiver by long polling, for as long as the worker runs.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Agent, request } from 'undici';
import { z } from 'zod';
import { createTimeoutSignal } from '../api/abort.ts';
import { createHttpAgent } from '../api/network/http-agents.ts';
import { classifyNetworkError, formatNetworkError } from '../api/network/network-errors.ts';
import { readStart } from '../api/network/transfer-agent.ts';
import { JsonBoundsError, parseJson } from '../api/responses/bounded-json.ts';
import { wakeUpToken } from './wake-up-token.ts';

const WakeUpPage = z.object({ cursor: z.string(), wakeUps: z.array(z.string()) });

export interface ListenOptions {
  /** URL of the receiver's wake-ups, which the receiver prints when it starts. */
  url: string;
  apiKey: string;
  onWakeUps: (wakeUps: string[]) => void;
  /** Called after each request with whether the receiver responds. */
  onState: (state: { listening: boolean; reason: string }) => void;
  /** Waits, or returns early if the worker stops. Tests provide their own. */
  pause?: (waitMs: number, stop: AbortSignal) => Promise<void>;
}

export interface WakeUpListener {
  stop(): Promise<void>;
}

/** Time limit of a poll. It is longer than the time that a receiver holds a poll open. */
const responseTimeoutMs = 30_000;
/** Maximum size of a response. It is enough for the 10,000 wake-ups that a receiver keeps. */
const pageBytes = 4 * 1024 * 1024;
const retryMs = 1_000;
const maxRetryMs = 30_000;

/** Starts to listen. If the receiver does not respond, requests are retried with growing delays. */
export function listenForWakeUps(options: ListenOptions): WakeUpListener {
  const stopping = new AbortController();
  const agent = createHttpAgent('any', {
    connections: 1,
    headersTimeout: responseTimeoutMs,
    bodyTimeout: responseTimeoutMs,
  });
  const pollLoop = pollUntilStopped(options, agent, stopping.signal);
  return {
    async stop() {
      stopping.abort();
      await pollLoop;
      await agent.destroy();
    },
  };
}

async function pollUntilStopped(
  options: ListenOptions,
  agent: Agent,
  stop: AbortSignal,
): Promise<void> {
  const { pause = sleepUntilStopped } = options;
  let cursor = '';
  let failures = 0;
  while (!stop.aborted) {
    try {
      const sentAtMs = performance.now();
      const page = await read(options, cursor, agent, stop);
      const isEarly = cursor !== '' && performance.now() - sentAtMs < retryMs;
      cursor = page.cursor;
      failures = 0;
      options.onState({ listening: true, reason: '' });
      options.onWakeUps(page.wakeUps);
      // Receivers that share an address do not know each other's cursors, so each of them responds at once.
      if (isEarly && page.wakeUps.length === 0) await pause(retryMs, stop);
    } catch (error) {
      if (stop.aborted) return;
      const { host } = new URL(options.url);
      const networkError = classifyNetworkError(error, host);
      const message = error instanceof Error ? error.message : String(error);
      const reason = networkError === null ? message : formatNetworkError(networkError, host);
      options.onState({ listening: false, reason });
      const waitMs = Math.min(retryMs * 2 ** failures, maxRetryMs);
      failures += 1;
      await pause(waitMs, stop);
    }
  }
}

async function sleepUntilStopped(waitMs: number, stop: AbortSignal): Promise<void> {
  await sleep(waitMs, undefined, { signal: stop }).catch(() => undefined);
}

async function read(
  { url, apiKey }: ListenOptions,
  cursor: string,
  agent: Agent,
  stop: AbortSignal,
): Promise<z.output<typeof WakeUpPage>> {
  const address = new URL(url);
  if (cursor !== '') address.searchParams.set('cursor', cursor);
  const { statusCode, body } = await request(address, {
    dispatcher: agent,
    headers: { authorization: `Bearer ${wakeUpToken(apiKey)}` },
    signal: createTimeoutSignal(responseTimeoutMs, stop),
  });
  if (statusCode === 200) return parsePage(await readStart(body, pageBytes));
  await body.dump();
  throw new Error(
    statusCode === 401
      ? 'it refuses this worker: both need the same RENDERLINE_API_KEY'
      : `it returned ${statusCode}`,
  );
}

function parsePage(text: string): z.output<typeof WakeUpPage> {
  try {
    return WakeUpPage.parse(parseJson(text));
  } catch (error) {
    if (error instanceof JsonBoundsError) throw error;
    throw new Error('its response contains no wake-ups, so its URL is not that of a receiver');
  }
}
