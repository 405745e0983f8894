// Takes the notices that a pipeline sends while it is tested, in place of those who are told in earnest.
import { createServer, type IncomingMessage } from 'node:http';
import { looseFields } from '../../api/loose-fields.ts';
import type { Resources } from '../resources.ts';
import type { SentNotice } from './judge.ts';

export interface NoticeCatcher {
  /** Where to send what is meant for an address. */
  url: (asked: string) => string;
  /** Those that came since it was asked last. */
  take: () => SentNotice[];
}

export async function catchNotices(resources: Resources): Promise<NoticeCatcher> {
  const asked: string[] = [];
  let caught: SentNotice[] = [];
  const seen = new Set<string>();
  const server = createServer((request, response) => {
    void textOf(request)
      .then((body) => {
        const id = String(request.headers['webhook-id']);
        const url = asked[Number((request.url ?? '').slice(1))] ?? '';
        if (!seen.has(id)) caught.push(noticeOf(url, body));
        seen.add(id);
        response.writeHead(204).end();
      })
      .catch(() => response.writeHead(400).end());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  resources.add('the receiver of a test', async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    url(one) {
      if (!asked.includes(one)) asked.push(one);
      return `http://127.0.0.1:${port}/${asked.indexOf(one)}`;
    },
    take() {
      const taken = caught;
      caught = [];
      return taken;
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}

function noticeOf(url: string, body: string): SentNotice {
  const { type, data } = looseFields(JSON.parse(body));
  const { outcome, assets } = looseFields(data);
  const keys = Array.isArray(assets) ? assets.map((one) => String(looseFields(one)['key'])) : [];
  return { url, type: String(type), outcome: typeof outcome === 'string' ? outcome : '', keys };
}
