// What hono knows of a request besides the request itself: Node's own request and response.
import type { HttpBindings } from '@hono/node-server';

export type Env = { Bindings: Partial<HttpBindings> };
