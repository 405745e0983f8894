// Bindings of hono's context: Node's own request and response.
import type { HttpBindings } from '@hono/node-server';

export type Env = { Bindings: Partial<HttpBindings> };
