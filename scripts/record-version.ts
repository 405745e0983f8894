// `npm run record-version -- FOLDER FILE`: saves the files that this version writes for a pipeline in
// test/fixtures/versions/VERSION, for tests of later versions. Run it once per release: see CONTRIBUTING.md.
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connectTemporal } from '../src/temporal/connection/connect.ts';
import { readRunInput } from '../src/temporal/runs/read-run-input.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const [folderArg, file] = process.argv.slice(2);
if (folderArg === undefined || file === undefined) {
  throw new Error('Name a folder and a pipeline file in it: npm run record-version -- FOLDER FILE');
}

const folder = resolve(folderArg);
const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
  version: string;
};

const files: Record<string, object> = {};
const runs = new Set<string>();
for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile()) continue;
  const path = join(entry.parentPath, entry.name);
  const name = relative(folder, path);
  const run = /\.renderline\/[^/]+\/runs\/([^/]+)\//.exec(name)?.[1];
  if (run !== undefined) runs.add(run);
  const bytes = await readFile(path);
  const text = bytes.toString('utf8');
  const isText = Buffer.from(text).equals(bytes);
  const modified = (await stat(path)).mtime.toISOString();
  files[name] = {
    modified,
    ...(isText
      ? { text: text.replaceAll(folder, '{root}') }
      : { base64: bytes.toString('base64') }),
  };
}

const temporal = await connectTemporal({ env: process.env });
const starts: Record<string, unknown> = {};
try {
  for (const run of runs) starts[run] = await readRunInput(temporal.client, run);
} finally {
  await temporal.close();
}

const target = join(root, 'test/fixtures/versions', version, `${basename(file, '.yaml')}.json`);
const recording = JSON.stringify({ file, starts, files }, null, 2).replaceAll(folder, '{root}');
await mkdir(dirname(target), { recursive: true });
// A recording is never overwritten.
await writeFile(target, `${recording}\n`, { flag: 'wx' });
console.log(`${relative(root, target)}: ${Object.keys(files).length} files, ${runs.size} runs`);
