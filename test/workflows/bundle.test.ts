// Tests that the workflow code bundles for Temporal's sandbox, without code of the activities.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { workflowNames } from '../../src/plan/contract/contract.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const bundle = (workflowsPath: string) =>
  bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('ERROR', () => undefined) });

let folder: string;
beforeAll(async () => {
  // Inside the repository, so that packages resolve as they do for real workflow code.
  await mkdir(join(root, '.renderline'), { recursive: true });
  folder = await mkdtemp(join(root, '.renderline', 'bundle-test-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function bundleOf(name: string, code: string): Promise<string> {
  const path = join(folder, `${name}.ts`);
  await writeFile(path, code);
  return (await bundle(path)).code;
}

describe('the bundle', () => {
  let code: string;
  beforeAll(async () => {
    ({ code } = await bundle(join(root, 'workflows/index.ts')));
  });

  it('the bundle contains every workflow of the contract', () => {
    for (const name of Object.values(workflowNames)) expect(code).toContain(`function ${name}`);
  });

  it('the bundle contains no node type, since the plan contains the steps', () => {
    for (const path of ['src/features', 'src/engine', 'src/api', 'src/compile', 'activities/']) {
      expect(code).not.toContain(`/${path}`);
    }
  });

  it('the bundle may contain types from the activities', async () => {
    const typesOnly = await bundleOf(
      'types-only',
      `import type { Deps } from '${root}activities/deps.ts';
       export async function harmless(deps: Deps): Promise<number> { return deps.now(); }`,
    );
    expect(typesOnly).toContain('harmless');
  });

  it.each([
    ['the activities', `import { Lease } from '${root}activities/attempt-lease.ts';`, 'Lease'],
    ['a part of Node', `import { readFileSync } from 'node:fs';`, 'readFileSync'],
  ])('the bundle may not contain values from %s', async (name, line, value) => {
    const wrong = `${line}\nexport async function wrong() { return ${value}; }`;
    await expect(bundleOf(name.replaceAll(' ', '-'), wrong)).rejects.toThrow();
  });
});
