// Responses that several routes share.
import type { Context } from 'hono';
import { html } from 'hono/html';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { securityHeaders } from './access.ts';
import { type Html, type Page, pageHtml } from './layout.ts';
import type { Visitor } from './visitor.ts';

declare module 'hono' {
  interface ContextVariableMap {
    visitor: Visitor;
  }
}

export function renderPage(c: Context, page: Page, status: ContentfulStatusCode = 200) {
  return respondWithHtml(c, pageHtml(page, c.var.visitor), status);
}

/** Characters that control the direction of text or a terminal, and values of fields, which a form must send as is. */
const control = /(\svalue="[^"]*"|\sname="[^"]*")|(?!\n)[\p{Cc}\p{Bidi_Control}]/gu;

/** Responds with a page or a part of one, without characters in names that would change how other text is read. */
export async function respondWithHtml(
  c: Context,
  content: Html,
  status: ContentfulStatusCode = 200,
) {
  const text = String(await content);
  return c.html(text.replace(control, '$1'), status, securityHeaders);
}

export function renderNotFound(c: Context) {
  const page = createMessagePage('Not found', 'This pipeline, run or file does not exist.');
  return renderPage(c, page, 404);
}

export function createMessagePage(title: string, text: string): Page {
  const body = html`<section class="refusal" role="alert"><p>${text}</p></section>`;
  return { title, section: 'pipelines', body };
}

/** Returns a handler that turns an error of a use case into a page that shows the fix. */
export function createThrower(status: 404 | 409 | 502): (error: unknown) => never {
  return (cause) => {
    throw new HTTPException(status, { cause });
  };
}
