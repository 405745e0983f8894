// Escaping of names from files and the platform for terminals.
import { describe, expect, test } from 'vitest';
import { toTerminalSafeJson } from '../../src/api/responses/plain-text.ts';
import { escapeForTerminal, sanitizeForTerminal } from '../../src/cli/terminal-text.ts';

const hostile = [
  ['a window title', 'a\u001b]0;owned\u0007b', 'ab'],
  ['a hidden colour', 'a\u001b[8mb', 'ab'],
  ['a carriage return', 'ok\rbad', 'ok bad'],
  ['an 8-bit control sequence', 'a\u009b2Jb', 'ab'],
  ['a text direction override', 'a\u202eb', 'ab'],
  ['a Unicode line separator', 'a\u2028b', 'a b'],
] as const;

describe('text for people', () => {
  test.each(hostile)('text for people does not contain %s', (_, text, plain) => {
    expect(sanitizeForTerminal(text, false)).toBe(plain);
    expect(sanitizeForTerminal(text, true)).toBe(plain);
  });

  test('text for people keeps its lines, and its colours if enabled', () => {
    const text = '\u001b[31mred\u001b[39m\n  next';
    expect(sanitizeForTerminal(text, true)).toBe(text);
    expect(sanitizeForTerminal(text, false)).toBe('red\n  next');
  });
});

describe('JSON', () => {
  test.each(hostile)('JSON escapes %s', (_, text) => {
    const json = toTerminalSafeJson({ name: text });
    expect(JSON.parse(json)).toEqual({ name: text });
    expect(sanitizeForTerminal(json, false)).toBe(json);
  });
});

describe('values for text', () => {
  test('values for text keep each string on one line, with hidden characters escaped', () => {
    const value = {
      keys: ['a\nb', 'c\r\td', 'plain \u00e9 \u{1f600}'],
      'x\ny': { message: 'e\u001b[31m\u009b2J', order: 'f\u202e\u2066\u2028\ufeff\ud800' },
      count: 3,
      none: null,
      map: new Map([['g\nh', ['i\nj']]]),
    };
    expect(escapeForTerminal(value)).toEqual({
      keys: ['a\\nb', 'c\\r\\td', 'plain \u00e9 \u{1f600}'],
      'x\\ny': { message: 'e\\u001b[31m\\u009b2J', order: 'f\\u202e\\u2066\\u2028\\ufeff\\ud800' },
      count: 3,
      none: null,
      map: new Map([['g\\nh', ['i\\nj']]]),
    });
  });

  test('values for text keep the lines of a fix, which Renderline wrote', () => {
    expect(escapeForTerminal({ fix: 'one\ntwo\u001b[1m' })).toEqual({ fix: 'one\ntwo\\u001b[1m' });
  });
});
