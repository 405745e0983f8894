// The page at /, which shows the contents of the sandbox, read-only.
import { type Context, Hono } from 'hono';
import type { Sandbox } from '../context/sandbox.ts';
import type { Env } from '../http/env.ts';
import { type PageRequest, pageHtml, readPage, viewHtml } from './html.ts';
import { addProductionRoutes } from './production-view.ts';
import { script } from './script.ts';
import { style } from './style.ts';
import { firstView, views } from './views.ts';

const safety = {
  'content-security-policy':
    "default-src 'none'; img-src 'self' data:; media-src 'self'; style-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

const maxSearchLength = 200;

export function createPageRoutes(sandbox: Sandbox): Hono<Env> {
  const app = new Hono<Env>();
  const readContent = (pageRequest: PageRequest) => {
    const nowMs = sandbox.options.clock();
    sandbox.renders.finishDueJobs(nowMs);
    return readPage(sandbox, pageRequest, nowMs);
  };
  app.get('/', (c) => {
    const pageRequest = pageRequestOf(c);
    return c.html(pageHtml(pageRequest, readContent(pageRequest)), 200, safety);
  });
  app.get('/_page/view', (c) => {
    const pageRequest = pageRequestOf(c);
    const content = readContent(pageRequest);
    // Usually nothing has changed, and the response is empty.
    if (content.mark === c.req.query('have')) return c.body(null, 204, safety);
    return c.html(viewHtml(pageRequest, content), 200, safety);
  });
  app.get('/_page/style.css', (c) => c.body(style, 200, { ...safety, 'content-type': 'text/css' }));
  app.get('/_page/script.js', (c) =>
    c.body(script, 200, { ...safety, 'content-type': 'text/javascript' }),
  );
  addProductionRoutes(app, sandbox);
  return app;
}

function pageRequestOf(c: Context<Env>): PageRequest {
  const page = Number(c.req.query('page') ?? 1);
  return {
    view: views.find(({ id }) => id === c.req.query('view')) ?? firstView,
    page: Number.isInteger(page) && page > 0 ? page : 1,
    search: (c.req.query('search') ?? '').slice(0, maxSearchLength).trim(),
  };
}
