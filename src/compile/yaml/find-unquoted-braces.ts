import { Lexer } from 'yaml';
import type { Range } from './source-text.ts';

/** Finds double braces outside quotes, which YAML reads as two nested mappings. Each line is reported once. */
export function findUnquotedBraces(text: string): { range: Range; value: string }[] {
  const braces: { range: Range; value: string }[] = [];
  if (!text.includes('{{')) return braces;
  let offset = 0;
  let braceEnd = -1;
  let lineEnd = -1;
  for (const token of new Lexer().lex(text)) {
    if (token === '\u0002' || token === '\u0018' || token === '\u001F') continue;
    if (token === '{' && braceEnd === offset && offset > lineEnd) {
      const start = offset - 1;
      const next = text.indexOf('\n', start);
      lineEnd = next === -1 ? text.length : next;
      const prefix = /[^\s,[{"']*$/.exec(text.slice(0, start).slice(-200))?.[0] ?? '';
      const suffix =
        /^(?:\{\{[^{}]*\}\}|[^\s,{}[\]"'])*/.exec(text.slice(start, lineEnd))?.[0] ?? '';
      braces.push({ range: [start, start + 2], value: `${prefix}${suffix}` });
    }
    offset += token.length;
    if (token === '{') braceEnd = offset;
  }
  return braces;
}
