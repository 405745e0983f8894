// A webhook receiver on loopback that records requests and sends the responses that the test sets.
import { createHmac } from 'node:crypto';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { TestSandbox } from './_test-sandbox.ts';

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly raw: Buffer;
  readonly body: Body;
}

/** The body of a workspace notification, or the flat body of a per-job notification. */
interface Body {
  readonly event: string;
  readonly data: {
    readonly modelId: string;
    readonly jobId: string;
    readonly thumbnailUrl: string;
  };
}

export class Receiver {
  readonly received: Received[] = [];
  /** Statuses of the next responses. When the list is empty, the status is 200. */
  statuses: number[] = [];
  /** Value of the Location header in redirects. */
  location = '/elsewhere';
  readonly #server = createServer((request, response) => void this.#take(request, response));

  async start(): Promise<void> {
    await new Promise<void>((done) => this.#server.listen(0, '127.0.0.1', done));
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}/hook`;
  }

  get events(): string[] {
    return this.received.map(({ body }) => body.event);
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const raw = Buffer.concat(chunks);
    if (raw.length > 0) {
      const body = JSON.parse(raw.toString()) as Body;
      this.received.push({ headers: request.headers, raw, body });
    }
    response.writeHead(this.statuses.shift() ?? 200, { location: this.location }).end();
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }
}

/** Computes the signature as the platform documents it. */
export function signatureOf(raw: Buffer, secret: string): string {
  return createHmac('sha256', secret).update(raw).digest('hex');
}

/** Sets the receiver as the webhook of the sandbox. */
export async function subscribe(sandbox: TestSandbox, receiver: Receiver, more: object = {}) {
  const body = { url: receiver.url, ...more };
  return (await sandbox.call<{ secret: string }>('PUT /webhooks', body)).body;
}

/** Starts a sandbox whose webhook is a receiver. Returns both, with the secret of the webhook. */
export async function startSubscribed() {
  const receiver = new Receiver();
  await receiver.start();
  // The speed shortens the delays before retries. The durations of models and renders are set separately.
  const sandbox = new TestSandbox({ allowPrivateUrls: true, speed: 1000 });
  await sandbox.control('/faults', [
    { model: '*', do: { durationMs: 4000 } },
    { render: '*', do: { durationMs: 6000 } },
  ]);
  const { secret } = await subscribe(sandbox, receiver);
  return { receiver, sandbox, secret };
}
