// A receiver that passes on notifications: hints to workers, events to the pipelines that begin with them.
import { HintFeed } from '../receiver/hint-feed.ts';
import { hintToken } from '../receiver/hint-token.ts';
import { Intake, type Verdict } from '../receiver/intake.ts';
import type { Readiness } from '../receiver/readiness.ts';
import type { Secrets } from '../receiver/secrets.ts';
import { healthPath, hintsPath, startReceiver } from '../receiver/server.ts';
import type { EventPipelines } from './event-pipelines.ts';

export interface ReceivingOptions {
  host: string;
  /** 0 takes a free one. */
  port: number;
  path: string;
  apiKey: string;
  secrets: Secrets;
  pipelines: Pick<EventPipelines, 'keep'>;
  /** Told now and then of notifications that are not taken. */
  warn: (message: string) => void;
  /** Whether events that start runs can be kept; absent: `/health` tells of no fault. */
  readiness?: Readiness;
  /** The platform's time, epoch ms: its notifications say when they were sent. */
  now: () => number;
}

export interface Receiving {
  /** URLs for the platform's notifications, for workers that want hints, and for health. */
  url: string;
  hintsUrl: string;
  healthUrl: string;
  counts: Readonly<Record<Verdict, number>>;
  /** Settles when every request has been answered. */
  stop(): Promise<void>;
}

/** Rejects when the port is taken. */
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
