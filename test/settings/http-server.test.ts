// Tests that servers listen on the given port, or on a free one.
import { createServer, type Server } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import { listen } from '../../src/settings/http-server.ts';

const servers: Server[] = [];
const host = '127.0.0.1';

function server(): Server {
  const made = createServer((_request, response) => response.end('here'));
  servers.push(made);
  return made;
}

afterEach(() => {
  for (const made of servers.splice(0)) made.close();
});

it('port 0 selects a free port, which is returned', async () => {
  const port = await listen(server(), { host, port: 0 });
  const answer = await fetch(`http://${host}:${port}/`);
  expect(await answer.text()).toBe('here');
});

it('a port in use is refused', async () => {
  const port = await listen(server(), { host, port: 0 });
  await expect(listen(server(), { host, port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
});
