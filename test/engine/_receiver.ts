// A webhook receiver on a local server: keeps the requests and responds as the test says.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach } from 'vitest';

export type NoticeAnswer = number | ((response: ServerResponse) => void);

export interface ReceiverInUse {
  readonly url: string;
  readonly got: { headers: IncomingHttpHeaders; body: string }[];
  /** Responses to the next requests, in order; then 200. */
  answers: NoticeAnswer[];
}

export function useReceiver(): ReceiverInUse {
  const receiver = { url: '', got: [] as ReceiverInUse['got'], answers: [] as NoticeAnswer[] };
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += String(chunk);
    });
    request.on('end', () => {
      receiver.got.push({ headers: request.headers, body });
      const answer = receiver.answers.shift() ?? 200;
      if (typeof answer === 'function') answer(response);
      else response.writeHead(answer, { location: '/elsewhere' }).end();
    });
  });
  beforeEach(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    Object.assign(receiver, { url: `http://127.0.0.1:${port}/in`, got: [], answers: [] });
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return receiver;
}
