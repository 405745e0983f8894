// Golden files: agreed results, as JSON next to the tests.
// `UPDATE_GOLDEN=1 npx vitest run --project unit test/golden` rewrites the files. Then read the difference.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

/** Compares a value with `test/golden/NAME.generated.json`. A missing file is a failure. */
export function expectGolden(name: string, value: unknown): void {
  const path = fileURLToPath(new URL(`${name}.generated.json`, import.meta.url));
  if (process.env['UPDATE_GOLDEN'] === '1') {
    writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
  }
  expect(value, `${name}: if this is meant, UPDATE_GOLDEN=1 and read the difference`).toEqual(
    JSON.parse(readFileSync(path, 'utf8')),
  );
}
