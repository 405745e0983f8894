// Backup and restore of the databases: an incomplete copy is not kept, and never replaces existing data. A fake compose
// only records its calls; `npm run containers` tests the real one.
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeEach, expect, test } from 'vitest';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));
const folders: string[] = [];
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'renderline-backup-'));
  folders.push(folder);
});
afterAll(() => {
  for (const one of folders) rmSync(one, { recursive: true, force: true });
});

/** Its databases contain DUMP. A copy is complete if it ends with END. Like podman's, it loses exit codes. */
const compose = `#!/bin/sh
words="$*"
case $words in
  *psql*) echo "$words: $(tr '\\n' ' ')" ;;
  *) echo "$words" ;;
esac >>"$LOG"
case $words in
  *pg_dump*) printf "$DUMP" ;;
  *'pg_restore --file'*) [ "$(tail -c 3)" = END ] && case $words in *'echo whole'*) echo whole ;; *) echo done ;; esac ;;
  *'echo done'*) cat >/dev/null; echo done ;;
esac
exit 0
`;

async function play(script: string, dump: string, ...args: string[]) {
  const [program, log] = [join(folder, 'compose'), join(folder, 'log')];
  writeFileSync(program, compose, { mode: 0o755 });
  writeFileSync(log, '');
  const env = { ...process.env, COMPOSE: program, LOG: log, DUMP: dump };
  const ended = await run('sh', [join(root, 'deploy', script), ...args], { cwd: folder, env }).then(
    ({ stdout }) => ({ code: 0, said: stdout }),
    ({ code, stderr }: { code: number; stderr: string }) => ({ code, said: stderr }),
  );
  return { ...ended, asked: readFileSync(log, 'utf8').split('\n') };
}

const place = (...words: string[]) => join(folder, ...words);

test('both databases are copied, and each copy is then read to the end', async () => {
  const { code, asked } = await play('backup.sh', 'data END', 'monday');
  expect(code).toBe(0);
  for (const database of ['temporal', 'temporal_visibility']) {
    expect(readFileSync(place('monday', `${database}.dump`), 'utf8')).toBe('data END');
  }
  expect(asked.filter((line) => line.includes('pg_restore'))).toHaveLength(2);
});

test.each([
  ['empty', ''],
  ['truncated', 'data'],
])('a copy that is %s is not kept', async (_, dump) => {
  const { code, said } = await play('backup.sh', dump, 'monday');
  expect([code, said]).toEqual([1, expect.stringContaining('the copy of temporal is not whole')]);
  expect([existsSync(place('monday')), existsSync(place('monday.part'))]).toEqual([false, false]);
});

test('a copy never overwrites another', async () => {
  await play('backup.sh', 'first END', 'monday');
  const { code, said } = await play('backup.sh', 'second END', 'monday');
  expect([code, said]).toEqual([1, expect.stringContaining('is there already')]);
  expect(readFileSync(place('monday', 'temporal.dump'), 'utf8')).toBe('first END');
});

test('a restore reads both copies, then stops the services and renames the databases', async () => {
  await play('backup.sh', 'data END', 'monday');
  const { code, said, asked } = await play('restore.sh', '', 'monday');
  expect(code, said).toBe(0);
  const at = (what: string) => asked.findIndex((line) => line.includes(what));
  const lastRead = asked.findLastIndex((line) => line.includes('pg_restore --file'));
  const lastWritten = asked.findLastIndex((line) => line.includes('--exit-on-error'));
  expect(lastRead).toBeGreaterThan(0);
  expect(at('stop worker receiver')).toBeGreaterThan(lastRead);
  expect(at('RENAME')).toBeGreaterThan(lastWritten);
  expect(said).toContain('docker compose up --detach');
});

test.each([
  ['empty', ''],
  ['truncated', 'data'],
])('a restore from a copy that is %s stops no service and drops no data', async (_, dump) => {
  await play('backup.sh', 'data END', 'monday');
  writeFileSync(place('monday', 'temporal_visibility.dump'), dump);
  const { code, said, asked } = await play('restore.sh', '', 'monday');
  expect([code, said]).toEqual([
    1,
    expect.stringMatching(/temporal_visibility.dump is .*as they were/),
  ]);
  expect(asked.filter((line) => /stop|DROP|RENAME|CREATE/.test(line))).toEqual([]);
});

test.each(['backup.sh', 'restore.sh'])('the command %s prints its usage', async (script) => {
  const { code, said } = await play(script, '');
  expect([code === 0, said]).toEqual([
    false,
    expect.stringContaining(`usage: deploy/${script} FOLDER`),
  ]);
});
