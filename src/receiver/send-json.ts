// Sends a JSON response, unless the connection is already closed.
import type { ServerResponse } from 'node:http';

/** Header of responses that leave the rest of the request unread, so the connection cannot be reused. */
export const closing = { connection: 'close' };

export function sendJson(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.destroyed) return;
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}
