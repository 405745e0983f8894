// Khronos' validator in its own process: its findings, and the limits for a file that it cannot read.
import { readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { validateWithKhronos } from '../../../src/features/model-rules/khronos-validator.ts';
import { toBufferSource } from '../../../src/glb/byte-source.ts';
import { makeGlb, triangleGlb } from '../../glb/_make-glb.ts';
import { hasSharedData, sharedPath, sharedRows } from '../../glb/_shared-data.ts';

const validate = (bytes: Uint8Array, limits = {}, signal?: AbortSignal) =>
  validateWithKhronos(toBufferSource(bytes), signal, limits);

it('a good triangle has no findings', async () => {
  expect(await validate(triangleGlb())).toEqual({ errors: 0, warnings: 0, issues: [] });
});

it('errors come first, together with their positions', async () => {
  const broken = triangleGlb((json) => ({ ...json, scene: 7, unknown: 1 }));
  expect(await validate(broken)).toMatchObject({
    errors: 1,
    issues: [expect.stringMatching(/^UNRESOLVED_REFERENCE at \/scene$/), expect.any(String)],
  });
});

it.each<[string, Uint8Array, object, string]>([
  ['a file above the size limit', triangleGlb(), { maxBytes: 100 }, 'more than 100 bytes'],
  ['a file in another format', Buffer.from('no model'), {}, 'ended without findings'],
  ['a time limit that is too short', triangleGlb(), { timeoutMs: 1 }, 'ended without findings'],
  [
    'a memory limit that is too low',
    makeGlb({ asset: { version: '2.0' }, extras: Array(900_000).fill({}) }),
    { heapMegabytes: 20 },
    'ended without findings',
  ],
])('no findings are returned for %s', async (_, bytes, limits, why) => {
  expect(await validate(bytes, limits)).toContain(why);
});

it('the validator stops when its run is cancelled', async () => {
  const run = new AbortController();
  const findings = validate(triangleGlb(), {}, run.signal);
  run.abort(new Error('cancelled'));
  await expect(findings).rejects.toThrow('cancelled');
});

it('no process starts if the run ended while the file was read', async () => {
  const run = new AbortController();
  const source = toBufferSource(triangleGlb());
  const reading: typeof source = {
    ...source,
    read: (...range) => {
      run.abort(new Error('cancelled'));
      return source.read(...range);
    },
  };
  const countProcesses = () =>
    process.getActiveResourcesInfo().filter((name) => name === 'ProcessWrap').length;
  const before = countProcesses();
  const findings = validateWithKhronos(reading, run.signal);
  findings.catch(() => undefined);
  await setImmediate();
  expect(countProcesses()).toBe(before);
  await expect(findings).rejects.toThrow('cancelled');
});

describe.skipIf(!hasSharedData)('real files', () => {
  interface Row {
    file: string;
    validator: { errors?: number; warnings?: number; codes?: string[] };
  }
  const rows = sharedRows<Row>('models.jsonl').filter(({ file }) => file.endsWith('.glb'));
  it('each real file has the number of findings in the table', async () => {
    const counts = (codes: string[] = [], { errors = 0, warnings = 0 }) =>
      codes.some((code) => code.includes('IO_ERROR')) ? { warnings } : { errors, warnings };
    for (const { file, validator } of rows) {
      const findings = await validate(readFileSync(sharedPath(file)));
      expect([file, findings]).toEqual([
        file,
        expect.objectContaining(counts(validator.codes, validator)),
      ]);
    }
  });
});
