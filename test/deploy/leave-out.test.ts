// What images leave out of the installed packages, and what they must keep.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';

const script = fileURLToPath(new URL('../../deploy/leave-out.sh', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'renderline-leave-out-'));
afterAll(() => rmSync(folder, { recursive: true }));

const kept = [
  '.package-lock.json',
  '@temporalio/core-bridge/LICENSE.md',
  '@temporalio/core-bridge/common.js',
  '@temporalio/core-bridge/index.js',
  '@temporalio/core-bridge/lib/native.js',
  '@temporalio/core-bridge/package.json',
  '@temporalio/core-bridge/releases/x86_64-unknown-linux-gnu/index.node',
  '@temporalio/worker/lib/workflow/bundler.js',
  '@aws-sdk/client-s3/dist-cjs/index.js',
  '@azure/storage-blob/LICENSE',
  '@azure/storage-blob/dist/commonjs/index.js',
  '@azure/storage-blob/dist/esm/index.js',
  '@img/sharp-linux-x64/lib/sharp.node',
  'memfs/lib/index.js',
  'rxjs/dist/cjs/index.js',
  'rxjs/LICENSE.txt',
  'webpack/LICENSE',
  'webpack/lib/index.js',
  'webpack/lib/util/memoize.js',
  'webpack/package.json',
  'zod/NOTICE.md',
  'zod/index.js',
];

const leftOut = [
  '@temporalio/core-bridge/Cargo.lock',
  '@temporalio/core-bridge/README.md',
  '@temporalio/core-bridge/bridge-macros/src/lib.rs',
  '@temporalio/core-bridge/lib/native.d.ts',
  '@temporalio/core-bridge/lib/native.js.map',
  '@temporalio/core-bridge/releases/aarch64-apple-darwin/index.node',
  '@temporalio/core-bridge/releases/aarch64-unknown-linux-gnu/index.node',
  '@temporalio/core-bridge/releases/x86_64-pc-windows-msvc/index.node',
  '@temporalio/core-bridge/sdk-core/Cargo.toml',
  '@temporalio/core-bridge/src/lib.rs',
  '@temporalio/core-bridge/ts/index.ts',
  '@aws-sdk/client-s3/dist-es/index.js',
  '@aws-sdk/client-s3/dist-types/index.d.ts',
  '@azure/storage-blob/dist/browser/index.js',
  '@azure/storage-blob/dist/react-native/index.js',
  '@swc/core-linux-x64-gnu/swc.linux-x64-gnu.node',
  '@swc/core/index.js',
  '@webassemblyjs/ast/lib/index.js',
  'caniuse-lite/data/agents.js',
  'rxjs/dist/esm/index.js',
  'rxjs/src/index.ts',
  'terser/dist/bundle.min.js',
  'webpack/lib/Compiler.js',
  'webpack/schemas/WebpackOptions.json',
  'zod/CHANGELOG.md',
  'zod/src/index.ts',
];

function files(below: string): string[] {
  return readdirSync(below, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(below, path)).isFile())
    .sort();
}

test('an image keeps one core, licences and what Node loads, but no types, maps, sources, bundlers or browser builds', () => {
  for (const path of [...kept, ...leftOut]) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), '');
  }
  execFileSync('sh', [script, folder, 'linux-x64']);
  expect(files(folder)).toEqual([...kept].sort());
});

test("an image keeps only the core for the build machine's platform", () => {
  const releases = '@temporalio/core-bridge/releases';
  const names = ['aarch64-unknown-linux-gnu', 'x86_64-unknown-linux-gnu'];
  for (const name of names) {
    mkdirSync(join(folder, releases, name), { recursive: true });
    writeFileSync(join(folder, releases, name, 'index.node'), '');
  }
  execFileSync('sh', [script, folder, 'linux-arm64']);
  expect(readdirSync(join(folder, releases))).toEqual(['aarch64-unknown-linux-gnu']);
});

test('a platform without a core is refused', () => {
  const refused = () => execFileSync('sh', [script, folder, 'linux-riscv64'], { stdio: 'pipe' });
  expect(refused).toThrow('has no build for linux-riscv64');
});
