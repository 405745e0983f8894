// A receiver of notices on a real local server: records requests and responds as a test decides.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach } from 'vitest';

export type NoticeResponse = number | ((response: ServerResponse) => void);

export interface ReceiverInUse {
  readonly url: string;
  readonly got: { headers: IncomingHttpHeaders; body: string }[];
  /** Statuses of the next responses, in order; then 200. */
  responses: NoticeResponse[];
}

export function useReceiver(): ReceiverInUse {
  const receiver = { url: '', got: [] as ReceiverInUse['got'], responses: [] as NoticeResponse[] };
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += String(chunk);
    });
    request.on('end', () => {
      receiver.got.push({ headers: request.headers, body });
      const answer = receiver.responses.shift() ?? 200;
      if (typeof answer === 'function') answer(response);
      else response.writeHead(answer, { location: '/elsewhere' }).end();
    });
  });
  beforeEach(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    Object.assign(receiver, { url: `http://127.0.0.1:${port}/in`, got: [], responses: [] });
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return receiver;
}
