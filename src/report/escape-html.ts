// Escapes text for HTML.
import { removeControls } from '../api/responses/plain-text.ts';

export function escapeHtml(text: string): string {
  return removeControls(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
