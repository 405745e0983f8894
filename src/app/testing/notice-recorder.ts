// Receives the notices that a tested pipeline sends, in place of their real receivers.
import { asRecord } from '../../api/unknown-values.ts';
import { readBody } from '../../receiver/request-body.ts';
import { startServer } from '../../settings/http-server.ts';
import type { CleanupStack } from '../cleanup-stack.ts';
import type { ReceivedNotice } from './check-expectations.ts';

/** Maximum size of a received body. It is far larger than any notice, which contains at most a hundred assets. */
const maxBytes = 8 * 1024 * 1024;

export interface NoticeRecorder {
  /** Returns the local address for notices to the given address, or to the address in the given variable. */
  redirect: (url: string) => string;
  /** Returns the notices received since the last call. */
  take: () => ReceivedNotice[];
  count: () => number;
}

export async function startNoticeRecorder(resources: CleanupStack): Promise<NoticeRecorder> {
  const targetUrls: string[] = [];
  const receivedNotices: ReceivedNotice[] = [];
  const seenIds = new Set<unknown>();
  const server = await startServer(
    (request, response) => {
      void readBody(request, maxBytes)
        .then((body) => {
          if (body === null) return response.writeHead(413, { connection: 'close' }).end();
          // The id is undefined for chat messages, which have no such header.
          const id = request.headers['webhook-id'];
          const url = targetUrls[Number((request.url ?? '').slice(1))] ?? '';
          if (!seenIds.has(id)) receivedNotices.push(noticeOf(url, body.toString('utf8')));
          if (id !== undefined) seenIds.add(id);
          return response.writeHead(204).end();
        })
        .catch(() => response.writeHead(400).end());
    },
    { host: '127.0.0.1', port: 0 },
  );
  resources.add('the receiver of a test', () => server.stop());
  return {
    redirect(targetUrl) {
      if (!targetUrls.includes(targetUrl)) targetUrls.push(targetUrl);
      return `${server.origin}/${targetUrls.indexOf(targetUrl)}`;
    },
    count: () => receivedNotices.length,
    take: () => receivedNotices.splice(0),
  };
}

function noticeOf(url: string, text: string): ReceivedNotice {
  const { type, data } = asRecord(JSON.parse(text));
  const { outcome, assets } = asRecord(data);
  const keys = Array.isArray(assets) ? assets.map((asset) => String(asRecord(asset)['key'])) : [];
  const textOf = (value: unknown) => (typeof value === 'string' ? value : '');
  return { url, type: textOf(type), outcome: textOf(outcome), keys, text };
}
