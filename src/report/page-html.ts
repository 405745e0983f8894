// The frame of a self-contained HTML page. The page's content security policy allows only its own style and script.
import { createHash } from 'node:crypto';
import { escapeHtml } from './escape-html.ts';

interface Page {
  title: string;
  style: string;
  /** Script of the page. Absent if the page has none. */
  script?: string;
  /** Allowed sources of pictures, in addition to embedded pictures. */
  pictures?: string;
  body: string;
}

export function pageHtml({ title, style, script, pictures = '', body }: Page): string {
  const scripts = script === undefined ? '' : ` script-src ${hashOf(script)};`;
  const end = script === undefined ? '' : `<script>${script}</script>\n`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src ${`data: ${pictures}`.trim()}; style-src ${hashOf(style)};${scripts} base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
${body}
${end}</body>
</html>
`;
}

/** Returns the content security policy that `pageHtml` wrote into a page, for a server that adds further policies. */
export function policyOf(page: string): string {
  return /<meta http-equiv="Content-Security-Policy" content="([^"]*)">/.exec(page)?.[1] ?? '';
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
