// Fuzzes `renderline.yaml` files in a command's folder and above it, including links. No file is read that another user
// could change or that lies above the repository. Reading a file results in settings or in an error that contains the
// file's path.
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { loadConfig } from '../../src/settings/config.ts';
import { ConfigError } from '../../src/settings/config-error.ts';
import { assertAtMost, textOf } from './arbitraries.ts';

const maxMessageLength = 2_000;
const byAll = 0o002;
const sticky = 0o1000;

const content = fc.oneof(
  fc.constantFrom(
    'baseUrl: https://platform.example/api/v1\n',
    'taskQueue: a\nrateLimit: 60\n',
    'plugins: [./plugin.js]\n',
    'apiKey: svc_x\n',
    '',
  ),
  textOf(
    [
      'baseUrl: ',
      'https://h.example',
      'plugins: ',
      'fields: ',
      'rateLimit: ',
      'apiKey: x',
      '&a ',
      '*a ',
      '[',
      ']',
      '{',
      '}',
      '- ',
      '? ',
      ': ',
      '"',
      '\n',
      '  ',
      '---\n',
      '|\n',
      '!!binary ',
      '<<: ',
      '__proto__: ',
      '\0',
      '\uFEFF',
      '1e999',
      'k',
    ],
    20_000,
  ),
);

/** One of the folders from the root down. The last one is the folder of the command. */
const folder = fc.record({
  mode: fc.constantFrom(0o755, 0o777, 0o1777, 0o775),
  isRepository: fc.boolean(),
  file: fc.option(
    fc.record({
      content,
      mode: fc.constantFrom(0o644, 0o600, 0o666, 0o646),
      /** If set, the file is in another folder with this mode, and this folder contains only a link to it. */
      linkedFrom: fc.option(fc.constantFrom(0o755, 0o777, 0o1777)),
    }),
  ),
});
type Folder = typeof folder extends fc.Arbitrary<infer Value> ? Value : never;

async function holds(folders: readonly Folder[]): Promise<void> {
  // Everyone can write to the system's temporary folder, but a folder in it can be replaced only by its owner.
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'renderline-fuzz-')));
  try {
    const cwd = writeFolders(folders, root);
    await judge(cwd, root);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Creates the folders and files. @returns the command's folder */
function writeFolders(folders: readonly Folder[], root: string): string {
  let currentFolder = root;
  for (const [index, { mode, isRepository, file }] of folders.entries()) {
    currentFolder = join(currentFolder, `f${index}`);
    mkdirSync(currentFolder);
    if (isRepository) mkdirSync(join(currentFolder, '.git'));
    if (file !== null) layFile(file, currentFolder, join(root, `linked${index}`));
    chmodSync(currentFolder, mode);
  }
  return currentFolder;
}

function layFile(file: NonNullable<Folder['file']>, parentFolder: string, beside: string): void {
  const path = join(parentFolder, 'renderline.yaml');
  if (file.linkedFrom !== null) mkdirSync(beside);
  const lies = file.linkedFrom === null ? path : join(beside, 'theirs.yaml');
  writeFileSync(lies, file.content);
  chmodSync(lies, file.mode);
  if (file.linkedFrom === null) return;
  symlinkSync(lies, path);
  chmodSync(beside, file.linkedFrom);
}

async function judge(cwd: string, root: string): Promise<void> {
  let file: string | null;
  try {
    ({ file } = await loadConfig({ env: {}, cwd }));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    assertAtMost(error.message.length, maxMessageLength, 'characters of a message');
    file = nearest(cwd);
    if (file === null || !error.message.includes(file))
      throw new Error(`the error names another file: ${error.message}`, { cause: error });
  }
  const nearestFile = nearest(cwd);
  if (file === null) {
    if (nearestFile !== null && mayBeRead(nearestFile, cwd, root))
      throw new Error(`${nearestFile} was not read`);
    return;
  }
  if (file !== nearestFile || !mayBeRead(file, cwd, root)) throw new Error(`${file} was read`);
}

function nearest(cwd: string): string | null {
  for (let currentFolder = cwd; ; currentFolder = dirname(currentFolder)) {
    if (existsSync(join(currentFolder, 'renderline.yaml')))
      return join(currentFolder, 'renderline.yaml');
    if (currentFolder === dirname(currentFolder)) return null;
  }
}

function mayBeRead(file: string, cwd: string, root: string): boolean {
  const home = dirname(file);
  const isAbove = home !== cwd;
  let repository = cwd;
  while (repository !== dirname(repository) && !existsSync(join(repository, '.git')))
    repository = dirname(repository);
  const hasRepository = existsSync(join(repository, '.git'));
  if (isAbove && !(hasRepository && (home === repository || home.startsWith(`${repository}/`))))
    return false;
  return ![file, realpathSync(file)].some((path) => anybodyMayChange(path, root));
}

function anybodyMayChange(path: string, root: string): boolean {
  for (let entry = path; entry !== root; entry = dirname(entry)) {
    const stats = lstatSync(entry);
    if (stats.isSymbolicLink()) continue;
    if ((stats.mode & byAll) !== 0 && !(stats.isDirectory() && (stats.mode & sticky) !== 0))
      return true;
  }
  return false;
}

export const configuration = fc.asyncProperty(
  fc.array(folder, { minLength: 1, maxLength: 4 }),
  holds,
);
