// What standard input and files become as the text of a command.
import { expect, it } from 'vitest';
import { readInputText } from '../../src/cli/read-input-text.ts';

async function* piped(bytes: Buffer) {
  yield bytes;
}

it('a byte order mark, which PowerShell adds, is not part of the text', async () => {
  const bytes = Buffer.from('\ufeff{"name":"x"}');
  expect(await readInputText(piped(bytes), '--body', 100)).toBe('{"name":"x"}');
});
