// Every code that the source can give an asset or a run is explained.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { commonErrors, errorCodes } from '../../src/api/error-codes.ts';
import { ApiError } from '../../src/api/errors.ts';
import { classify } from '../../src/api/retry.ts';
import {
  assetFailures,
  connectorFailures,
  fileWarnings,
  refusedFiles,
} from '../../src/docs/failure-codes.ts';
import { runCauses } from '../../src/docs/run-causes.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folders = [
  'src/capabilities',
  'src/machinery',
  'src/glb',
  'src/store',
  'src/connectors',
  'activities',
  'workflows',
];
const explained: Readonly<Record<string, { title: string; fix: string }>> = {
  ...assetFailures,
  ...refusedFiles,
  ...fileWarnings,
  ...connectorFailures,
  ...runCauses,
};

/** Codes as the source writes them: `code: 'X'`, `code = 'X'`, or the first text of a refusal. */
function codesIn(text: string): string[] {
  const forms = [
    /\bcode(?::| =) '([A-Z][A-Z0-9_]+)'/g,
    /\b(?:refused|refusal|reject|failed|named|OutputError|DeliveryError|ConnectorError|propertyCause|cause|overdue)\((?:[^'"`()]*,)?\s*'([A-Z][A-Z0-9_]+)'/g,
    /\btype: '([A-Z][A-Z0-9_]+)'/g,
  ];
  return forms.flatMap((form) => [...text.matchAll(form)].map((match) => match[1] ?? ''));
}

const sources = folders.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => ({
      place: `${folder}/${name}`,
      text: readFileSync(join(root, folder, name), 'utf8'),
    })),
);
const used = sources.flatMap(({ place, text }) => codesIn(text).map((code) => ({ code, place })));
/** Types of glTF and of Temporal that only look like codes. */
const otherWords = new Set(['VEC2', 'VEC3', 'VEC4', 'SCALAR', 'MAT4', 'NOT_YET']);

describe('codes in the source', () => {
  it('are found', () => {
    const codes = new Set(used.map(({ code }) => code));
    expect(codes.size).toBeGreaterThan(30);
    for (const code of ['MODEL_TIMEOUT', 'OUTPUT_BLANK', 'KEY_CLASH', 'NO_TEMPLATE', 'DISK_FULL']) {
      expect(codes).toContain(code);
    }
  });

  it('are all explained', () => {
    const missing = used.filter(
      ({ code }) => !(code in explained) && !(code in errorCodes) && !otherWords.has(code),
    );
    expect(missing).toEqual([]);
  });
});

describe('every explanation', () => {
  it.each(Object.entries(explained))('%s says what it is and what to do', (_, { title, fix }) => {
    expect(title).toMatch(/^[A-Z].*\.$/s);
    expect(fix).toMatch(/^[A-Z`].*\.$/s);
    expect(title).not.toBe(fix);
  });

  // Of the client's own errors one becomes the failure of an asset.
  const errors = readFileSync(join(root, 'src/api/errors.ts'), 'utf8');
  const texts = [...sources.map(({ text }) => text), errors];

  it.each(Object.keys(assetFailures))('%s is still in use', (code) => {
    expect(texts.some((text) => text.includes(`'${code}'`))).toBe(true);
  });
});

describe('causes of a run', () => {
  it('are those that the client takes for one', () => {
    const stopping = Object.entries(errorCodes)
      .filter(([code, { status }]) => {
        const error = new ApiError({ operation: 'getMe', status, code, detail: code });
        return classify(error).kind === 'run-cause';
      })
      .map(([code]) => code);
    expect(stopping.length).toBeGreaterThan(commonErrors.length - 3);
    for (const code of stopping) expect(runCauses).toHaveProperty(code);
  });
});
