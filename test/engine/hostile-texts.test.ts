// The platform's error messages in results and records. They are short, on one line and without secrets.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { OperationId } from '../../src/api/operations/index.ts';
import { AlteredPlatform } from './_altered-platform.ts';
import { library, pictures, sheets } from './_altered-runs.ts';

type Fields = Record<string, unknown>;

/** Repeats the key and a signed link, sets a window title, and is very long. */
function lieOf(key: string): string {
  const link = 'https://store.example/f?X-Amz-Credential=c4n4ry&X-Amz-Signature=c4n4ry';
  return `no: ${key} at ${link} \u001b]0;c4n4ry\u0007\u202e${'http://'.repeat(20_000)}`;
}

const each = (list: string, more: (lie: string) => Fields) => (body: Fields, lie: string) => ({
  ...body,
  [list]: (body[list] as Fields[]).map((item) => ({ ...item, ...more(lie) })),
});
const instead = (more: (lie: string) => Fields) => (body: Fields, lie: string) => ({
  ...body,
  ...more(lie),
});

const lies: [OperationId, keyof typeof runs, (body: Fields, lie: string) => Fields][] = [
  [
    'createJob',
    'pictures',
    instead((lie) => ({ models: [], errors: [lie, lie, lie, lie, lie, lie] })),
  ],
  [
    'checkModelStatus',
    'pictures',
    each('models', (error) => ({ status: 'FAILED', ready: false, error })),
  ],
  ['createProjects', 'pictures', instead((lie) => ({ projects: [], errors: [lie, lie] }))],
  [
    'getRenderBatch',
    'pictures',
    each('jobs', (errorMessage) => ({ status: 'FAILED', errorMessage })),
  ],
  ['createModels', 'sheets', instead((lie) => ({ models: [], errors: [lie] }))],
  [
    'getColorwayBatch',
    'sheets',
    each('jobs', (errorMessage) => ({ status: 'failed', errorMessage })),
  ],
  ['listModelVariants', 'sheets', each('variants', (name) => ({ name }))],
  ['exportProductionFile', 'sheets', instead((reason) => ({ status: 'FAILED', reason }))],
  ['checkMaterialStatus', 'library', each('materials', (error) => ({ status: 'failed', error }))],
  ['createDecals', 'library', instead((lie) => ({ decals: [], errors: [lie] }))],
];

const runs = { pictures, sheets, library };

async function textsBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Promise.all(files.map((file) => readFile(join(file.parentPath, file.name), 'latin1')));
}

describe.concurrent('hostile text from the platform', () => {
  it.each(lies)(
    'hostile text in responses to %s (%s) is shortened and cleaned',
    async (operation, run, lie) => {
      const platform = await AlteredPlatform.start();
      try {
        const key = platform.run.sandbox.apiKey;
        let told = 0;
        platform.alterResponse = (asked, body) => {
          if (asked !== operation) return undefined;
          told += 1;
          return lie(body as Fields, lieOf(key));
        };
        const settled = await runs[run](platform);
        const failures = settled.flatMap(({ failure }) => failure ?? []);
        expect(told).toBeGreaterThan(0);
        for (const { message } of failures) expect(message.length).toBeLessThanOrEqual(600);
        const kept = [JSON.stringify(settled), ...(await textsBelow(platform.run.folder))];
        for (const text of kept) {
          expect(text.includes(key)).toBe(false);
          expect(text).not.toMatch(/c4n4ry|\\u001b|\\u0007|\u202e/);
        }
      } finally {
        await platform.stop();
      }
    },
    60_000,
  );
});
