// The page at /: what is in the sandbox, as pictures. Read-only, no scripts, nothing from elsewhere.
import { Hono } from 'hono';
import { html } from 'hono/html';
import { modelStatus } from './model-state.ts';
import { outputKey } from './render-state.ts';
import type { Sandbox } from './sandbox.ts';
import type { Env } from './storage.ts';
import { newestFirst } from './table.ts';

const shown = 60;

export function pageRoutes(sandbox: Sandbox): Hono<Env> {
  const app = new Hono<Env>();
  app.get('/', (c) => {
    const now = sandbox.options.clock();
    sandbox.renders.settle(now);
    c.header(
      'content-security-policy',
      "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'",
    );
    return c.html(page(sandbox, now));
  });
  return app;
}

function page({ store, renders }: Sandbox, now: number) {
  const pictures = newestFirst(renders.finished, shown, 0).map(
    ({ output }) => html`<figure>
      <img loading="lazy" alt="${output.name}" src="/cdn/${outputKey(output)}" />
      <figcaption>${output.name}</figcaption>
    </figure>`,
  );
  const projects = newestFirst(store.projects.all, shown, 0).map(
    (project) => html`<li>${project.name} <code>${project.id}</code></li>`,
  );
  const models = newestFirst(store.models.all, shown, 0).map(
    (model) => html`<li>
      ${model.name} <b>${modelStatus(model, now)}</b> <code>${model.id}</code>
    </li>`,
  );
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>Renderline sandbox</title>
        <style>
          body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem; color: #222; background: #fafafa }
          section { margin-bottom: 2rem }
          .grid { display: grid; grid-template-columns: repeat(auto-fill, minmax(220px, 1fr)); gap: 1rem }
          figure { margin: 0 } img { width: 100%; border-radius: 6px; background: #ddd }
          figcaption, code { font-size: 12px; color: #666 }
        </style>
      </head>
      <body>
        <h1>Renderline sandbox</h1>
        <section><h2>Renders (${renders.finished.length})</h2><div class="grid">${pictures}</div></section>
        <section><h2>Projects (${store.projects.size})</h2><ul>${projects}</ul></section>
        <section><h2>Models (${store.models.size})</h2><ul>${models}</ul></section>
      </body>
    </html>`;
}
