// The page of all that a test file may say.
import { faultFields, type Subject } from '../compile/test-file/test-file.ts';
import { testSchema } from '../compile/test-file/test-schema.ts';
import { code, generatedNote, page, table } from './markdown.ts';
import { fieldTable } from './schema-fields.ts';

export function testFilesPage(): string {
  const { tests, ...top } = testSchema().properties ?? {};
  const { faults, expect, platform, ...test } = tests?.items?.properties ?? {};
  const required = tests?.items?.required ?? [];
  const subjects = Object.entries(faultFields) as [Subject, readonly string[]][];
  return page(
    generatedNote,
    '# Test files',
    'All fields of a `NAME.test.yaml`. How to write one, and what happens when it is played: [testing](testing.md). `renderline schema --tests` prints the same for editors.',
    '## Fields of a file',
    fieldTable({ properties: top }),
    '`tests` is a list of tests.',
    '## Fields of a test',
    'Those of `again[]` are the same, with what the runs before have left.',
    fieldTable(
      { properties: test, required: required.filter((name) => name in test) },
      againFields,
    ),
    '## `platform`',
    fieldTable(platform ?? {}),
    '## `faults`',
    'Each names one subject and what happens to it; `nth`, `every` and `times` say to which of them. The first fault that fits wins.',
    table(
      ['subject', 'what may happen'],
      subjects.map(([name, fields]) => [code(name), fields.map(code).join(', ')]),
    ),
    fieldTable(faults?.items ?? {}),
    '## `expect`',
    'What is not named is not looked at.',
    fieldTable(expect ?? {}),
  );
}

/** They are fields of a test already. */
const againFields = ['parameters', 'files', 'faults', 'approve', 'uploads', 'expect'].map(
  (name) => `again[].${name}`,
);
