// openapi.json of this sandbox, with the sandbox's own paths for undocumented ones.
import { openApiDocument } from './openapi.ts';
import { sandboxRoutes } from './routes.ts';

const made = new Map<string, ReturnType<typeof openApiDocument>>();

/** The OpenAPI document of this sandbox. @param origin scheme, host and port of the server */
export function describeApi(origin: string): ReturnType<typeof openApiDocument> {
  const known = made.get(origin);
  if (known) return known;
  // Clients choose the Host header, so the cache needs a limit.
  if (made.size > 8) made.clear();
  const description = openApiDocument({ serverUrl: `${origin}/api/v1`, routes: sandboxRoutes });
  made.set(origin, description);
  return description;
}
