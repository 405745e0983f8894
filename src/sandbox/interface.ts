// The interface between the commands and the sandbox. The sandbox package implements it and depends on this package.
import type { Tier } from './tiers.ts';

export interface SandboxOptions {
  /** @default 0, a free port */
  port?: number;
  /** @default '127.0.0.1' */
  host?: string;
  /** @default a new key in the documented form, kept with `data` */
  apiKey?: string;
  /** Number of requests per window. With 0, there is no limit. @default 600 */
  rateLimit?: number;
  /** Durations of models, renders and other work are divided by this factor. @default 1 */
  speed?: number;
  /** Folder that keeps state and files across restarts. @default none: a temporary folder, deleted on stop */
  data?: string;
  /** Determines ids and durations. @default random, stored in `data` */
  seed?: number;
  /** True if import URLs and webhooks may point into private networks. @default false */
  allowPrivateUrls?: boolean;
  /** Host names of the server, in addition to those of this machine. */
  allowHosts?: readonly string[];
  /** Folders that pipelines poll, by connector name. @default none */
  connectors?: Readonly<Record<string, string>>;
  /** Plan of the workspace, which sets its limits. @default 'enterprise' */
  tier?: Tier;
  /** Path of a JSON file with fault rules. */
  faults?: string;
  /** Length of a rate-limit window in seconds. @default 60 */
  windowSeconds?: number;
  /** Lifetime of signed links in seconds. @default 3600 */
  linkSeconds?: number;
  /** Lifetime of idempotency keys in hours. @default 24 */
  keyHours?: number;
  /**
   * Pictures with a side above 320 pixels are drawn at this share of their size and scaled up. With 0, no models are
   * drawn and test cards are returned. @default 1
   */
  pictureScale?: number;
  /** Number of drawing threads. @default 1 */
  drawThreads?: number;
  /** Returns the time in epoch milliseconds. @default Date.now */
  clock?: () => number;
  /** How long an import request waits for a connected server before it is answered, ms. @default 1000 */
  importWaitMs?: number;
  /** Resolves host names of imports and webhooks. @default the system's resolver */
  resolveHost?: (hostname: string) => Promise<string[]>;
}

export interface RunningSandbox {
  /** API root, which ends with /api/v1. */
  readonly url: string;
  /** Scheme, host and port. */
  readonly origin: string;
  readonly apiKey: string;
  /** Resolves when no background work, such as a download or a drawing, is left. */
  readonly idle: () => Promise<void>;
  /** Sends the events that are due. Resolves when each event is delivered or abandoned. */
  readonly deliverEvents: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

export interface SandboxPackage {
  /** Starts a sandbox. Rejects if the port is taken or an option is invalid. */
  readonly startSandbox: (options?: SandboxOptions) => Promise<RunningSandbox>;
  /**
   * Writes a small catalog of generated models into a folder, which is created if missing. Returns relative paths.
   * The files are always the same, byte for byte, and replace existing files of the same names.
   */
  readonly writeCatalog: (dir: string) => Promise<readonly string[]>;
  /** Creates a small GLB with these slots. Models with different names have different bytes. */
  readonly createModel: (name: string, slots: readonly string[]) => Promise<Uint8Array>;
  /** Creates a small picture: a JPEG if the name ends in `.jpg` or `.jpeg`, otherwise a PNG. */
  readonly createPicture: (name: string) => Promise<Uint8Array>;
}
