// Sends events when processing or renders end. Statuses are computed from facts and time, so nothing is changed here.
// Only the events of unified jobs depend on a client's read.
import type { WebhookEvent } from 'renderline/api/operations/webhooks';
import type { EventFault, Faults } from '../faults/faults.ts';
import type { ResolvedOptions } from '../options.ts';
import type { JobRecord, ModelRecord, ProjectRecord, RenderJobRecord } from '../state/records.ts';
import type { Store } from '../state/store.ts';
import type { WebhookRecord } from '../state/webhook-records.ts';
import { findProcessedAtMs } from '../status/models.ts';
import { finishedAtMsOf } from '../status/renders.ts';
import { Dispatch } from './dispatch.ts';
import { DueQueue } from './due-queue.ts';
import {
  createJobEvent,
  createModelEvent,
  type EventPayload,
  formatEnvelope,
  projectEvent,
  renderEvent,
} from './payloads.ts';
import { Sender } from './sender.ts';

/** Minimum delay of a timer, so that a stopped clock does not cause a busy loop. */
const minTimerMs = 5;
const maxTimerMs = 2 ** 31 - 1;

export class Events {
  readonly #store: Store;
  readonly #clock: () => number;
  readonly #dueQueue = new DueQueue();
  readonly #sender: Sender;
  readonly #dispatch: Dispatch;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(store: Store, faults: Faults, options: ResolvedOptions) {
    this.#store = store;
    this.#clock = options.clock;
    this.#sender = new Sender(options);
    this.#dispatch = new Dispatch(this.#sender, faults, options.speed);
  }

  /** Schedules events for open models and jobs. Events that fell due while the sandbox was stopped are not sent. */
  load(): void {
    const nowMs = this.#clock();
    for (const model of this.#store.models.all)
      if ((findProcessedAtMs(model) ?? 0) > nowMs) this.modelEndChanged(model);
    for (const job of this.#store.renderJobs.all) if (job.endAt > nowMs) this.renderEndChanged(job);
  }

  /** Must be called when the end of a model's processing is set or changed. */
  modelEndChanged(model: ModelRecord): void {
    this.#watch(`model ${model.id}`, findProcessedAtMs(model) ?? this.#clock());
  }

  /** Must be called for a render job when it starts, and when its pictures are drawn or could not be drawn. */
  renderEndChanged(job: RenderJobRecord): void {
    this.#watch(`render ${job.id}`, finishedAtMsOf(job));
  }

  projectCreated(project: ProjectRecord, nowMs: number): void {
    this.#emit(projectEvent(project), nowMs);
  }

  /** Called when a read ends a unified job. @param results results as in GET /jobs/{jobId} */
  jobEnded(job: JobRecord, results: readonly unknown[], nowMs: number): void {
    const payload = createJobEvent(this.#store, job);
    if (!payload) return;
    this.#emit(payload, nowMs);
    if (job.webhookUrl === undefined) return;
    const { event } = payload;
    const { id: jobId, status, error } = job;
    const body = { event, jobId, status, ...(status === 'FAILED' ? { error } : { results }) };
    this.#dispatch.post({ event, url: job.webhookUrl, body: JSON.stringify(body) });
  }

  /** Sends a test event, genuine or forged. @returns false if no webhook is subscribed */
  send(event: WebhookEvent, data: EventPayload['data'], forge: EventFault['forge']): boolean {
    const webhook = this.#subscriber(event);
    if (!webhook) return false;
    const notification = this.#notificationFor(webhook, { event, data }, this.#clock());
    if (forge) this.#dispatch.forge(notification, forge);
    else this.#dispatch.post(notification);
    return true;
  }

  /** Sends the events that are due by now. */
  sendDue(nowMs: number): void {
    for (const { key, at } of this.#dueQueue.due(nowMs)) {
      const payload = this.#createEvent(key, nowMs);
      if (payload) this.#emit(payload, at);
    }
    this.#arm();
  }

  /** Sends the events that are due. Resolves when all events are delivered or given up. */
  async deliverDue(): Promise<void> {
    this.sendDue(this.#clock());
    await this.#sender.idle();
  }

  clear(): void {
    this.#dueQueue.clear();
    this.#dispatch.clear();
    clearTimeout(this.#timer);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.clear();
    await this.#sender.close();
  }

  #watch(key: string, atMs: number): void {
    if (this.#isClosed) return;
    this.#dueQueue.set(key, atMs);
    const nowMs = this.#clock();
    if (atMs <= nowMs) this.sendDue(nowMs);
    else this.#arm();
  }

  #createEvent(key: string, nowMs: number): EventPayload | undefined {
    const [kind, id = ''] = key.split(' ');
    if (kind === 'render') {
      const job = this.#store.renderJobs.get(id);
      return job && renderEvent(job, nowMs);
    }
    const model = this.#store.models.get(id);
    return model && createModelEvent(model, this.#store.webhook?.origin ?? '', nowMs);
  }

  #emit(payload: EventPayload, atMs: number): void {
    const webhook = this.#subscriber(payload.event);
    if (webhook) this.#dispatch.post(this.#notificationFor(webhook, payload, atMs));
  }

  #subscriber(event: WebhookEvent): WebhookRecord | undefined {
    const { webhook } = this.#store;
    return webhook?.enabled && webhook.events.includes(event) ? webhook : undefined;
  }

  #notificationFor({ id, url, secret }: WebhookRecord, payload: EventPayload, atMs: number) {
    const body = formatEnvelope(payload, atMs);
    const onAttempt = (isDelivered: boolean, isLast: boolean) =>
      this.#countAttempt(id, isDelivered, isLast);
    return { event: payload.event, url, secret, body, onAttempt };
  }

  #countAttempt(webhookId: string, isDelivered: boolean, isLast: boolean): void {
    const webhook = this.#store.webhooks.get(webhookId);
    if (!webhook) return;
    const { failureCount } = webhook;
    this.#store.webhooks.update(webhook, {
      lastTriggeredAt: this.#clock(),
      failureCount: isDelivered ? 0 : failureCount + (isLast ? 1 : 0),
    });
  }

  /** Arms at most one timer, for the next due event, and only if a webhook is enabled. */
  #arm(): void {
    clearTimeout(this.#timer);
    const { next } = this.#dueQueue;
    if (this.#isClosed || next === undefined || !this.#store.webhook?.enabled) return;
    const waitMs = Math.min(Math.max(next - this.#clock(), minTimerMs), maxTimerMs);
    this.#timer = setTimeout(() => this.sendDue(this.#clock()), waitMs);
    this.#timer.unref();
  }
}
