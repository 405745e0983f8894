// Texts of the platform, made safe for messages and records.
import { describe, expect, it } from 'vitest';
import { toPlainText } from '../../src/api/responses/plain-text.ts';

describe('plain text', () => {
  it.each([
    ['words unchanged', 'Red – Größe 42 (café)', 'Red – Größe 42 (café)'],
    ['no line breaks or tabs', 'first\r\nsecond\tthird', 'first second third'],
    ['no control sequences', '\u001b[31mred\u001b[0m\u0007', 'red'],
    ['no window title', 'a\u001b]0;owned\u0007b\u009d8;;http://x\u009cc', 'abc'],
    ['no 8-bit control sequences', 'a\u009b2Jb', 'ab'],
    ['no unfinished control sequence', 'a\u001b]52;c;AAAA', 'a'],
    ['no bidirectional control characters', 'gpj\u202eexe.\u2066x\u2069', 'gpjexe.x'],
    ['no unpaired surrogates', 'a\ud800b', 'a\ufffdb'],
    ['no other line breaks', 'a\u2028b\u0085c\u0000', 'a b c'],
    ['an empty string if the input is empty', '', ''],
  ])('toPlainText() returns %s', (_, text, plain) => {
    expect(toPlainText(text)).toBe(plain);
  });

  it.each([
    ['is truncated', 'x'.repeat(20), 'xxxxxxxxx…'],
    ['is kept if it just fits', 'x'.repeat(10), 'xxxxxxxxxx'],
    ['is not truncated within a character', `${'x'.repeat(8)}😀😀`, 'xxxxxxxx…'],
    ['is truncated even if most of it is removed', `${'\n'.repeat(100)}x`, '…'],
  ])('long text %s', (_, text, plain) => {
    expect(toPlainText(text, 10)).toBe(plain);
  });

  it('conversion to plain text is fast for text of any length', () => {
    expect(toPlainText('\u0007x'.repeat(20_000_000)).length).toBeLessThanOrEqual(400);
  });
});
