// Tests what workflow code may import: the workflow SDK, the plan, and itself.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

interface Area {
  folder: string;
  /** Packages, and modules by their path from the root. */
  allowed: RegExp;
}

const areas: Area[] = [
  {
    folder: 'workflows',
    allowed: /^(@temporalio\/(workflow|common)|(workflows|src\/plan)\/([a-z-]+\/)?[a-z-]+\.ts)$/,
  },
  { folder: 'src/plan', allowed: /^src\/plan\/([a-z-]+\/)?[a-z-]+\.ts$/ },
];

function filesOf(folder: string): string[] {
  const names = readdirSync(join(root, folder), { encoding: 'utf8', recursive: true });
  return names.filter((name) => name.endsWith('.ts')).map((name) => join(folder, name));
}

/** All modules that a file imports, types included: packages by name, modules by their path from the root. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  const static_ = text.matchAll(/(?:^|\n)\s*(?:import|export)\b[^'";]*?from\s+'([^']+)'/g);
  const bare = text.matchAll(/(?:^|\n)\s*import\s+'([^']+)'/g);
  const dynamic = text.matchAll(/\b(?:import|require)\s*\(\s*['"`]([^'"`]*)/g);
  const names = [...static_, ...bare, ...dynamic].flatMap(([, name]) => name ?? []);
  return names.map((name) => (name.startsWith('.') ? join(dirname(file), name) : name));
}

/** Reads a global only to report the versioning behavior to the server; no command depends on it. */
const readsGlobals = new Set(['workflows/index.ts']);

/** Calls with different results on replay; the SDK replaces Date and Math.random with deterministic ones. */
const impure = [
  /\bprocess\./,
  /\bfetch\s*\(/,
  /\bsetTimeout\s*\(/,
  /\bsetInterval\s*\(/,
  /\bglobalThis\b/,
];

describe.each(areas)('$folder', ({ folder, allowed }) => {
  const files = filesOf(folder);

  it('the folder contains files to check', () => {
    expect(files.length).toBeGreaterThanOrEqual(4);
    expect(files.flatMap(importsOf).length).toBeGreaterThan(0);
  });

  it.each(files)('%s imports only allowed modules', (file) => {
    expect(importsOf(file).filter((name) => !allowed.test(name))).toEqual([]);
  });

  it.each(files)('%s uses no process, network, timer or global', (file) => {
    const code = readFileSync(join(root, file), 'utf8').replaceAll(
      /\/\/.*$|\/\*[\s\S]*?\*\//gm,
      '',
    );
    const found = impure.filter((pattern) => pattern.test(code)).map(String);
    expect(found).toEqual(readsGlobals.has(file) ? [String(/\bglobalThis\b/)] : []);
  });
});

describe('the plan', () => {
  it('the plan reads neither time nor randomness, since both are arguments', () => {
    for (const file of filesOf('src/plan')) {
      expect(readFileSync(join(root, file), 'utf8'), file).not.toMatch(
        /\bDate\.now\b|\bnew Date\b|Math\.random/,
      );
    }
  });
});
