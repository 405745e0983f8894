// The pages for contributors name files that exist, and show code as it is.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(`${root}/${path}`, 'utf8');
const pages = readdirSync(`${root}/docs`).filter((name) => name.startsWith('add-a'));
const folders = /^(?:src|test|packages|workflows|activities|scripts|docs)\/[\w./-]+$/;

describe.each(pages)('the page %s', (name) => {
  const page = read(`docs/${name}`);
  const spans = [...page.matchAll(/`([^`\n]+)`/g)].map(([, text = '']) => text);

  test('the files and folders that the page mentions exist', () => {
    const paths = spans.filter((text) => folders.test(text));
    expect(paths.length).toBeGreaterThan(3);
    expect(
      paths.filter((path) => !['', '.ts'].some((end) => existsSync(root + path + end))),
    ).toEqual([]);
  });

  test('the page is linked from CONTRIBUTING', () => {
    expect(read('CONTRIBUTING.md')).toContain(`(docs/${name})`);
  });
});

test.each<[string, string[]]>([
  [
    'add-a-command.md',
    ['src/app/validate/draw-pipeline.ts', 'src/cli/commands/pipelines/graph.ts'],
  ],
  [
    'add-a-node-type.md',
    ['src/features/models/model-ready.ts', 'src/features/models/model-status-poller.ts'],
  ],
])("the page %s shows its example's code unchanged", (name, files) => {
  const blocks = [...read(`docs/${name}`).matchAll(/( *)```ts\n(.*?) *```/gs)];
  expect(blocks).toHaveLength(files.length);
  for (const [index, [, indent = '', block = '']] of blocks.entries()) {
    expect(read(files[index] ?? '')).toContain(
      block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    );
  }
});
