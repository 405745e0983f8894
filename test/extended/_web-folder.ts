// A web server that lists a folder like nginx with `autoindex_format json`.
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { listen } from '../../src/settings/http-server.ts';

/** @returns its URL; the server stops with the test */
export async function serveWebFolder(root: string, token: string): Promise<string> {
  const server = createServer((asked, answer) => {
    serve(root, token, asked, answer).catch(() => answer.writeHead(404).end());
  });
  const port = await listen(server, { host: '127.0.0.1', port: 0 });
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${port}`;
}

async function serve(root: string, token: string, asked: IncomingMessage, answer: ServerResponse) {
  if (asked.headers.authorization !== `Bearer ${token}`) return answer.writeHead(401).end();
  const path = join(root, decodeURIComponent(asked.url ?? ''));
  const info = await stat(path);
  if (info.isDirectory()) return answer.end(JSON.stringify(await shown(path)));
  const [, first = '0', last = ''] = /^bytes=(\d+)-(\d+)$/.exec(asked.headers.range ?? '') ?? [];
  const end = Math.min(last === '' ? Number.POSITIVE_INFINITY : Number(last), info.size - 1);
  answer.writeHead(last === '' ? 200 : 206, {
    'last-modified': info.mtime.toUTCString(),
    'content-length': end - Number(first) + 1,
    ...(last === '' ? {} : { 'content-range': `bytes ${first}-${end}/${info.size}` }),
  });
  if (asked.method === 'HEAD') return answer.end();
  return createReadStream(path, { start: Number(first), end }).pipe(answer);
}

async function shown(folder: string): Promise<object[]> {
  const names = await readdir(folder);
  return Promise.all(
    names.map(async (name) => {
      const info = await stat(join(folder, name));
      const mtime = info.mtime.toUTCString();
      return info.isDirectory()
        ? { name, type: 'directory', mtime }
        : { name, type: 'file', mtime, size: info.size };
    }),
  );
}
