// The API pages: every operation is in the overview, on the page of its family, and linked.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createGeneratedFiles } from '../../scripts/docs/generated-files.ts';
import { operationFamilies } from '../../src/api/operation-families.ts';
import { operations } from '../../src/api/operations/index.ts';

const files = createGeneratedFiles();
const overview = files.get('docs/api.md') ?? '';
const links = [...overview.matchAll(/\[`(\w+)`\]\((api\/[a-z-]+\.md)#(\w+)\)/g)];

test('every operation appears in the overview exactly once', () => {
  expect(links.map(([, id = '']) => id).toSorted()).toEqual(Object.keys(operations).toSorted());
});

test.each(links.map(([, id = '', file = '', anchor = '']) => [id, file, anchor]))(
  'the link of %s leads to its heading',
  (id, file, anchor) => {
    expect(files.get(`docs/${file}`)).toContain(`\n## ${id}\n`);
    expect(anchor).toBe(id.toLowerCase());
  },
);

test.each(operationFamilies)('platform.md describes $section $title', ({ section, title }) => {
  const platform = readFileSync('docs/platform.md', 'utf8');
  expect(platform).toContain(`\n- **${section} ${title}.** `);
});

describe('an API page', () => {
  test('a page lists fields with bounds, defaults and descriptions, including the paths of nested fields', () => {
    const page = files.get('docs/api/models.md') ?? '';
    expect(page).toContain('| `limit` | whole number 1-100 | `50` |');
    expect(page).toContain('| `models[].fileType` | text | *required* |');
    expect(page).toContain('MCP tool `list_models`');
    expect(page).toContain('Specific errors: `VALIDATION_ERROR`, `MODEL_NOT_FOUND`, `NO_FILE`.');
  });

  test('a page shows the parameters of an operation even if its path is unknown', () => {
    const page = files.get('docs/api/pipelines-and-colorways.md') ?? '';
    const of = (id: string) => page.split('\n## ').find((part) => part.startsWith(`${id}\n`));
    expect(of('getColorwayBatch')).toContain('| `batchId` | text | *required* |');
    expect(of('listPipelines')).not.toContain('**Path**');
  });

  test('each family with operations has one page, and there are no other pages', () => {
    const sections = new Set<string>(Object.values(operations).map(({ section }) => section));
    const titled = operationFamilies.filter(({ section }) => sections.has(section));
    expect(titled).toHaveLength(sections.size);
    expect([...files.keys()].filter((path) => path.startsWith('docs/api/'))).toHaveLength(
      titled.length,
    );
  });
});
