// Receives the notices that a tested pipeline sends, in place of the real receivers.
import { looseFields } from '../../api/loose-fields.ts';
import { readBody } from '../../receiver/request-body.ts';
import { startServer } from '../../settings/http-server.ts';
import type { Resources } from '../resources.ts';
import type { SentNotice } from './judge.ts';

/** Far larger than any notice, which contains at most a hundred assets. */
const bytesAtMost = 8 * 1024 * 1024;

export interface NoticeCatcher {
  /** Local address for notices to the given address. */
  url: (asked: string) => string;
  /** Returns the notices received since the last call. */
  take: () => SentNotice[];
}

export async function catchNotices(resources: Resources): Promise<NoticeCatcher> {
  const asked: string[] = [];
  let caught: SentNotice[] = [];
  const seen = new Set<string>();
  const server = await startServer(
    (request, response) => {
      void readBody(request, bytesAtMost)
        .then((body) => {
          if (body === null) return response.writeHead(413, { connection: 'close' }).end();
          const id = String(request.headers['webhook-id']);
          const url = asked[Number((request.url ?? '').slice(1))] ?? '';
          if (!seen.has(id)) caught.push(noticeOf(url, body.toString('utf8')));
          seen.add(id);
          return response.writeHead(204).end();
        })
        .catch(() => response.writeHead(400).end());
    },
    { host: '127.0.0.1', port: 0 },
  );
  resources.add('the receiver of a test', () => server.stop());
  return {
    url(one) {
      if (!asked.includes(one)) asked.push(one);
      return `${server.origin}/${asked.indexOf(one)}`;
    },
    take() {
      const taken = caught;
      caught = [];
      return taken;
    },
  };
}

function noticeOf(url: string, body: string): SentNotice {
  const { type, data } = looseFields(JSON.parse(body));
  const { outcome, assets } = looseFields(data);
  const keys = Array.isArray(assets) ? assets.map((one) => String(looseFields(one)['key'])) : [];
  return { url, type: String(type), outcome: typeof outcome === 'string' ? outcome : '', keys };
}
