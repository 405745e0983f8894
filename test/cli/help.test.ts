import { expect, test } from 'vitest';
import { run } from './_terminal.ts';

// The help is part of the product: a change of it is seen in review. Update with `vitest -u`.
test('help of every command', async () => {
  const top = await run(['--help']);
  const names = [...top.stdout.matchAll(/^ {2}([a-z]+)\s/gm)].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(15);
  const pages = [top.stdout];
  for (const name of names.filter((one) => one !== 'help')) {
    pages.push((await run([name, '--help'])).stdout);
  }
  await expect(pages.join('\n')).toMatchFileSnapshot('./help.golden.txt');
});
