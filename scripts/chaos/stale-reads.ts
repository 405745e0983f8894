// Simulates replicas that lag behind: a read may repeat an earlier response to the same request.
import type { ProxyResponse } from './responses.ts';

/** Maximum age of a repeated response. Workers poll several times within this time. */
const maxAgeMs = 6_000;

export class StaleReads {
  readonly #responses = new Map<string, { atMs: number; response: ProxyResponse }[]>();

  record(request: string, response: ProxyResponse, nowMs: number): void {
    const recent = (this.#responses.get(request) ?? []).filter(
      ({ atMs }) => nowMs - atMs <= maxAgeMs,
    );
    this.#responses.set(request, [...recent, { atMs: nowMs, response }]);
  }

  /** Returns the oldest response that may be repeated, or null if there is none. */
  find(request: string, nowMs: number): ProxyResponse | null {
    const responses = this.#responses.get(request) ?? [];
    return responses.find(({ atMs }) => nowMs - atMs <= maxAgeMs)?.response ?? null;
  }
}
