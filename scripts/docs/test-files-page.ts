// Generates the page of all fields of a test file.

import { testSchema } from '../../src/compile/schema.ts';
import { type FaultSubject, faultFields } from '../../src/compile/test-file/test-file.ts';
import { formatFieldTable } from './field-tables.ts';
import { formatPage, formatTable, generatedNote, toCode } from './markdown.ts';

export function testFilesPage(): string {
  const { tests, ...top } = testSchema().properties ?? {};
  const { faults, expect, platform, ...test } = tests?.items?.properties ?? {};
  const requiredFields = tests?.items?.required ?? [];
  const subjects = Object.entries(faultFields) as [FaultSubject, readonly string[]][];
  return formatPage(
    generatedNote,
    '# Test files',
    'All fields of a `NAME.test.yaml`. [Testing](testing.md) explains how to write and run one. `renderline schema --tests` prints the schema for editors.',
    '## Fields of a file',
    formatFieldTable({ properties: top }),
    '`tests` is a list of tests.',
    '## Fields of a test',
    '`again[]` has the same fields, for further runs on the state that the previous runs left.',
    formatFieldTable(
      { properties: test, required: requiredFields.filter((name) => name in test) },
      againFields,
    ),
    '## `platform`',
    formatFieldTable(platform ?? {}),
    '## `faults`',
    'Each fault names one subject and what happens to it; `nth`, `every` and `times` select the occurrences. The first matching fault is used.',
    formatTable(
      ['subject', 'what may happen'],
      subjects.map(([name, fields]) => [toCode(name), fields.map(toCode).join(', ')]),
    ),
    formatFieldTable(faults?.items ?? {}),
    '## `expect`',
    'Fields that are not set are not checked.',
    formatFieldTable(expect ?? {}),
  );
}

/** Omitted from the table, because fields with the same names are described for the test itself. */
const againFields = ['parameters', 'files', 'faults', 'approve', 'uploads', 'expect'].map(
  (name) => `again[].${name}`,
);
