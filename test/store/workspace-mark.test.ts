// The owner of the records in a store: the workspace that wrote there first.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Connector } from '../../src/connectors/connector.ts';
import { LocalConnector } from '../../src/connectors/local.ts';
import {
  assertOwnRecords,
  bindRecordsToWorkspace,
} from '../../src/engine/bind-records-to-workspace.ts';
import { readMark, writeMarkIfAbsent } from '../../src/store/claims/workspace-mark.ts';
import { MemoryBucket, MemoryConnector } from '../connectors/_memory-connector.ts';
import { tempFolder } from '../connectors/_temp-folder.ts';

const shoes = { id: 'w-1', name: 'Shoes' };
const bags = { id: 'w-2', name: null };
const path = '.renderline/workspace.json';

function memory() {
  const operations: string[] = [];
  const bucket = new MemoryBucket();
  const records = new MemoryConnector(bucket, async (operation) => {
    operations.push(operation);
  });
  return { records, bucket, operations };
}

/** The operations of a proof that the store can hold records, in this order. */
const proof = ['create', 'create', 'read', 'list', 'write', 'read', 'remove', 'stat'];

const codeOf = (error: unknown) =>
  (error as { runCause?: { code: string } }).runCause?.code ?? String(error);
const outcomeOf = (work: Promise<unknown>) => work.then(() => 'ours', codeOf);

describe('the owner of records', () => {
  it.each([
    ['without an owner', null, shoes, 'ours', 'ours'],
    ['of this workspace', shoes, shoes, 'ours', 'ours'],
    ['of this workspace under an earlier name', { ...shoes, name: 'Boots' }, shoes, 'ours', 'ours'],
    [
      'of another workspace',
      bags,
      shoes,
      'RECORDS_OF_OTHER_WORKSPACE',
      'RECORDS_OF_OTHER_WORKSPACE',
    ],
    [
      'of another workspace with the same name',
      { ...shoes, id: 'w-3' },
      shoes,
      'RECORDS_OF_OTHER_WORKSPACE',
      'RECORDS_OF_OTHER_WORKSPACE',
    ],
  ])('records %s are taken or refused', async (_what, holder, own, looked, taken) => {
    const { records } = memory();
    if (holder) await writeMarkIfAbsent(records, { ...holder, proofs: [] });
    expect(await outcomeOf(assertOwnRecords(records, async () => own))).toBe(looked);
    expect(await outcomeOf(bindRecordsToWorkspace(records, own, null))).toBe(taken);
    expect((await readMark(records))?.id).toBe((holder ?? own).id);
  });

  it('records are refused with both names, the location and a fix', async () => {
    const { records } = memory();
    await writeMarkIfAbsent(records, { ...shoes, proofs: [] });
    await expect(bindRecordsToWorkspace(records, bags, null)).rejects.toMatchObject({
      runCause: {
        code: 'RECORDS_OF_OTHER_WORKSPACE',
        message:
          'the records in memory belong to workspace w-1 ("Shoes"), but the API key belongs to workspace w-2',
        fix: expect.stringContaining('under `records:` in the file') as string,
        kind: 'never',
      },
    });
  });

  it('marked records need one read, and the workspace is requested only then', async () => {
    const { records, operations } = memory();
    let asked = 0;
    const own = async () => {
      asked += 1;
      return shoes;
    };
    expect(await assertOwnRecords(records, own)).toBe(null);
    expect([operations.splice(0), asked]).toEqual([['read'], 0]);
    await bindRecordsToWorkspace(records, shoes, null);
    expect(operations.splice(0)).toEqual([...proof, 'create']);
    const mark = await assertOwnRecords(records, own);
    expect(mark).toEqual({ ...shoes, proofs: ['v1 memory'] });
    await bindRecordsToWorkspace(records, shoes, mark);
    expect([operations, asked]).toEqual([['read'], 1]);
  });

  it('records that were copied from elsewhere with their mark are proved in the new location', async () => {
    const { records, operations } = memory();
    await writeMarkIfAbsent(records, { ...shoes, proofs: ['v1 S3 bucket shoes'] });
    operations.splice(0);
    await bindRecordsToWorkspace(records, shoes, await readMark(records));
    expect(operations).toEqual(['read', ...proof, 'write']);
    expect((await readMark(records))?.proofs).toEqual(['v1 S3 bucket shoes', 'v1 memory']);
  });

  it('records of an unknown workspace are proved once per process, and not marked', async () => {
    const { records, operations } = memory();
    await bindRecordsToWorkspace(records, null, null);
    expect(operations.splice(0)).toEqual(proof);
    await bindRecordsToWorkspace(records, null, null);
    expect(operations).toEqual([]);
    expect(await readMark(records)).toBe(null);
  });

  it('records with a truncated mark are reported, with the path of the mark', async () => {
    const { records, bucket } = memory();
    bucket.files.set(path, { bytes: Buffer.from('{"schema"'), mtimeMs: 0 });
    await expect(bindRecordsToWorkspace(records, shoes, null)).rejects.toMatchObject({
      code: 'DAMAGED_OBJECT',
      message: expect.stringContaining(path),
    });
  });

  it.each<[string, () => Promise<(at: number) => Connector>]>([
    [
      'records in memory',
      async () => {
        const bucket = new MemoryBucket();
        return () => new MemoryConnector(bucket);
      },
    ],
    [
      'records in a folder',
      async () => {
        const folder = await tempFolder();
        return () => new LocalConnector({ type: 'local', path: folder });
      },
    ],
  ])(
    '%s have exactly one owner when many workspaces claim them concurrently',
    async (_where, make) => {
      const connect = await make();
      const takers = Array.from({ length: 24 }, (_, at) => ({ id: `w-${at}`, name: null }));
      const outcomes = await Promise.all(
        takers.map((own, at) => outcomeOf(bindRecordsToWorkspace(connect(at), own, null))),
      );
      expect(outcomes.filter((outcome) => outcome === 'ours')).toHaveLength(1);
      expect(outcomes.filter((outcome) => outcome === 'RECORDS_OF_OTHER_WORKSPACE')).toHaveLength(
        23,
      );
      expect(await readMark(connect(0))).toMatchObject({
        id: takers[outcomes.indexOf('ours')]?.id,
      });
    },
  );

  it('the mark of records in a folder is in a folder that only the account can read', async () => {
    const folder = await tempFolder();
    await bindRecordsToWorkspace(new LocalConnector({ type: 'local', path: folder }), shoes, null);
    expect((await stat(join(folder, '.renderline'))).mode & 0o777).toBe(0o700);
  });
});
