// Generated pages and schemas are up to date, deterministic and complete.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createGeneratedFiles, generatedFolders } from '../../scripts/docs/generated-files.ts';
import { expressionVariables } from '../../scripts/docs/node-pages.ts';
import { errorCodes } from '../../src/api/contract/error-codes.ts';
import { operations } from '../../src/api/operations/index.ts';
import { compileExpression } from '../../src/language/expressions.ts';
import { problemCodes } from '../../src/language/problem-codes.ts';
import { anchorsOf } from './_markdown-links.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const files = createGeneratedFiles();

function pageOf(path: string): string {
  const text = files.get(path);
  if (text === undefined) throw new Error(`${path} is not generated`);
  return text;
}

describe('the generated files', () => {
  it.each([...files.keys()])(
    'the generated file %s is up to date (if not, run npm run generate)',
    (path) => {
      expect(readFileSync(root + path, 'utf8')).toBe(files.get(path));
    },
  );

  it.each(generatedFolders)('the folder %s contains only generated files', (folder) => {
    const there = readdirSync(root + folder).map((name) => `${folder}/${name}`);
    expect(there.filter((path) => !files.has(path))).toEqual([]);
  });

  it('generating the files twice produces the same result', () => {
    expect([...createGeneratedFiles()]).toEqual([...files]);
  });
});

describe('the text of a generated page', () => {
  const pages = [...files].filter(([path]) => path.endsWith('.md'));

  it.each(pages)(
    'the page %s ends in one newline, and all rows of a table have the same number of cells',
    (_, text) => {
      expect(text).toMatch(/[^\n]\n$/);
      expect(text).not.toMatch(/\n{3}/);
      let cells = 0;
      for (const line of text.split('\n')) {
        const count = line.startsWith('|') ? line.replaceAll('\\|', '').split('|').length : 0;
        if (count > 0 && cells > 0) expect(count, line).toBe(cells);
        cells = count;
      }
    },
  );

  it.each(pages)('the page %s links only to existing files and headings', (path, text) => {
    const folder = path.slice(0, path.lastIndexOf('/') + 1);
    for (const [, target = '', anchor] of text.matchAll(/\]\(([^)#:\s]+)(#[\w-]+)?\)/g)) {
      const url = new URL(folder + target, `file://${root}`);
      const linked = readFileSync(url, 'utf8');
      if (anchor !== undefined)
        expect(anchorsOf(linked).has(anchor.slice(1)), `${target}${anchor}`).toBe(true);
    }
  });
});

describe('the page of operations', () => {
  it.each(Object.values(operations))(
    'the page of operations contains $id',
    ({ id, route, summary }) => {
      const row = pageOf('docs/api.md')
        .split('\n')
        .find((line) => line.startsWith(`| [\`${id}\`](`));
      expect(row).toContain(summary);
      expect(row).toContain(route === null ? 'not documented' : `\`${route}\``);
    },
  );
});

describe('the page of errors', () => {
  const page = pageOf('docs/errors.md');

  it.each([...Object.keys(problemCodes), ...Object.keys(errorCodes)])(
    'the page of errors contains %s',
    (code) => {
      // Each code occurs once, with the anchor that links in output use.
      expect(page.split(`<a id="${code.toLowerCase()}"></a>\`${code}\` |`)).toHaveLength(2);
    },
  );
});

describe('the page about pipeline files', () => {
  const names = expressionVariables.flatMap(([cell]) =>
    [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? ''),
  );

  it.each(names)('the page about pipeline files lists %s as an expression variable', (name) => {
    const compiled = compileExpression(`${name} == ${name}`, { NAME: 'string' });
    expect(compiled).toMatchObject({ ok: true, type: 'bool' });
  });
});
