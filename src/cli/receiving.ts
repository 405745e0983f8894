// Starts the webhook receiver, which forwards wake-ups to workers and events to the pipelines that they start.
import { HintFeed } from '../receiver/hint-feed.ts';
import { hintToken } from '../receiver/hint-token.ts';
import { Intake, type Verdict } from '../receiver/intake.ts';
import type { Readiness } from '../receiver/readiness.ts';
import type { Secrets } from '../receiver/secrets.ts';
import { healthPath, hintsPath, startReceiver } from '../receiver/server.ts';
import type { EventPipelines } from './event-pipelines.ts';

export interface ReceivingOptions {
  host: string;
  /** 0 takes a free port. */
  port: number;
  path: string;
  apiKey: string;
  secrets: Secrets;
  pipelines: Pick<EventPipelines, 'keep'>;
  /** Called occasionally with warnings about rejected notifications. */
  warn: (message: string) => void;
  /** Whether events that start runs can be delivered; absent: `/health` never reports a fault. */
  readiness?: Readiness;
  /** The platform's clock in epoch ms, to compare with the send times of notifications. */
  now: () => number;
}

export interface Receiving {
  /** URLs for the platform's notifications, for workers that subscribe to wake-ups, and for health. */
  url: string;
  hintsUrl: string;
  healthUrl: string;
  counts: Readonly<Record<Verdict, number>>;
  /** Resolves when all pending requests have been answered. */
  stop(): Promise<void>;
}

/** Rejects if the port is in use. */
export async function startReceiving({
  host,
  port,
  path,
  apiKey,
  secrets,
  pipelines,
  warn,
  readiness,
  now,
}: ReceivingOptions): Promise<Receiving> {
  const feed = new HintFeed();
  const intake = new Intake({
    feed,
    secrets: () => secrets.valid,
    onWrongSignature: () => secrets.doubt(),
    onTrouble: warn,
    keep: (event) => pipelines.keep(event),
    now,
  });
  const token = hintToken(apiKey);
  const receiver = await startReceiver({
    host,
    port,
    path,
    intake,
    feed,
    token,
    fault: () => readiness?.fault ?? null,
  });
  const { origin } = receiver;
  return {
    url: `${origin}${path}`,
    hintsUrl: `${origin}${hintsPath}`,
    healthUrl: `${origin}${healthPath}`,
    counts: intake.counts,
    stop: () => receiver.stop(),
  };
}
