// What the commands ask of the sandbox. It is a package of its own, which depends on this one; packages/sandbox fulfils it.
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

export interface RunningSandbox {
  /** API root, ending with /api/v1. */
  readonly url: string;
  /** Scheme, host and port. */
  readonly origin: string;
  readonly apiKey: string;
  /** Resolves when downloads and drawing behind the answers are done. */
  readonly idle: () => Promise<void>;
  /** Sends the events that are due; resolves when each is delivered or given up. */
  readonly delivered: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** What the package exports. */
export interface SandboxPackage {
  /** Starts a sandbox. Rejects when the port is taken or an option makes no sense. */
  readonly startSandbox: (options?: SandboxOptions) => Promise<RunningSandbox>;
  /**
   * Writes a small catalogue of made models into a folder (made if missing) and returns the files' paths relative to it.
   * The same files, byte for byte, every time; files that are there under these names are replaced.
   */
  readonly makeCatalogue: (dir: string) => Promise<readonly string[]>;
  /** A small GLB with these slots. Models of other names have other bytes. */
  readonly makeModel: (name: string, slots: readonly string[]) => Promise<Uint8Array>;
  /** A small picture in the format of the extension of its name: .png or .jpg. */
  readonly makePicture: (name: string) => Promise<Uint8Array>;
}
