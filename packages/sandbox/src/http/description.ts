// openapi.json of this sandbox: the rows, under its own paths where the document shows none.
import { openApiDocument } from 'renderline/api/openapi';
import { sandboxRoutes } from './routes.ts';

const made = new Map<string, ReturnType<typeof openApiDocument>>();

/** @param origin Scheme, host and port of the server. */
export function describeApi(origin: string): ReturnType<typeof openApiDocument> {
  const known = made.get(origin);
  if (known) return known;
  // Clients choose the Host header, so the number of kept descriptions has an end.
  if (made.size > 8) made.clear();
  const description = openApiDocument({ serverUrl: `${origin}/api/v1`, routes: sandboxRoutes });
  made.set(origin, description);
  return description;
}
