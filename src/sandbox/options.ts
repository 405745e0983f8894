// The flags of `renderline sandbox` and their defaults (design.md section 5).

import type { Tier } from './tiers.ts';

export interface SandboxOptions {
  /** @default 0, a free port */
  port?: number;
  /** @default '127.0.0.1' */
  host?: string;
  /** @default a new key in the documented form, kept with `data` */
  apiKey?: string;
  /** Requests in a window; 0 sets no limit. @default 600 */
  rateLimit?: number;
  /** How many times faster models and renders are processed. @default 1 */
  speed?: number;
  /** Folder that keeps state and files over restarts. @default none: a temporary folder, removed on stop */
  data?: string;
  /** Ids and durations follow from it. @default random */
  seed?: number;
  /** Import URLs and webhooks may point into private networks. @default false */
  allowPrivateUrls?: boolean;
  /** Names besides those of this machine by which it is reached; of the server. */
  allowHosts?: readonly string[];
  /** Folders that pipelines poll, by the name of their connector. @default none */
  connectors?: Readonly<Record<string, string>>;
  /** Plan of the workspace, with limits of its own. @default 'enterprise' */
  tier?: Tier;
  /** File of fault rules (JSON). */
  faults?: string;
  /** Length of a rate window. @default 60 */
  windowSeconds?: number;
  /** Life of signed links. @default 3600 */
  linkSeconds?: number;
  /** Life of idempotency keys. @default 24 */
  keyHours?: number;
  /**
   * Pictures are drawn at this share of the asked size and scaled up to it; 0 draws no model at all
   * and answers with one test card per size and format. @default 1
   */
  pictureScale?: number;
  /** Threads that draw. @default 1 */
  drawThreads?: number;
  /** The time, in epoch milliseconds. @default Date.now */
  clock?: () => number;
  /** Longest an import keeps its client waiting for a server that took the connection. @default 1000 */
  importPatienceMs?: number;
  /** Looks up a host name for imports. @default the system's resolver */
  resolveHost?: (hostname: string) => Promise<string[]>;
}

export type ResolvedOptions = ReturnType<typeof resolveOptions>;

/** Thrown for a flag that makes no sense. */
export class SandboxOptionError extends Error {
  override name = 'SandboxOptionError';
}

/** Fills in defaults. Throws SandboxOptionError for values out of range. */
export function resolveOptions(options: SandboxOptions) {
  const resolved = {
    ...options,
    port: options.port ?? 0,
    host: options.host ?? '127.0.0.1',
    rateLimit: options.rateLimit ?? 600,
    speed: options.speed ?? 1,
    allowPrivateUrls: options.allowPrivateUrls ?? false,
    connectors: options.connectors ?? {},
    tier: options.tier ?? 'enterprise',
    windowSeconds: options.windowSeconds ?? 60,
    linkSeconds: options.linkSeconds ?? 3600,
    keyHours: options.keyHours ?? 24,
    pictureScale: options.pictureScale ?? 1,
    drawThreads: options.drawThreads ?? 1,
    importPatienceMs: options.importPatienceMs ?? 1_000,
    clock: options.clock ?? Date.now,
  };
  const positive = ['speed', 'windowSeconds', 'linkSeconds', 'keyHours', 'drawThreads'] as const;
  for (const name of positive) {
    if (!(resolved[name] > 0)) throw new SandboxOptionError(`${name} must be greater than 0.`);
  }
  if (!Number.isInteger(resolved.rateLimit) || resolved.rateLimit < 0) {
    throw new SandboxOptionError('rateLimit must be a whole number; 0 sets no limit.');
  }
  if (!(resolved.pictureScale >= 0 && resolved.pictureScale <= 1)) {
    throw new SandboxOptionError('pictureScale must be between 0 and 1.');
  }
  return resolved;
}
