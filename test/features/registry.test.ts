// Each node type is one file, registered once, with an example that compiles and a page that is fresh.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createActivities } from '../../activities/index.ts';
import { compileText } from '../../src/compile/compile.ts';
import { jsonSchemaOf } from '../../src/compile/yaml/annotations.ts';
import { nodeTypes, stepTypes } from '../../src/features/index.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = `${root}src/features`;
const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => ({ name: basename(path), text: readFileSync(join(folder, path), 'utf8') }));
const definitions = sources.flatMap(({ name, text }) =>
  [...text.matchAll(/= define(?:Node|FileRules)\(\{\s*type: '(\w+)'/g)].map((match) => ({
    name,
    type: match[1] ?? '',
  })),
);
const types = nodeTypes.map((type) => [type.type, type] as const);

/** Number of activities besides the steps: `own` and `default` in activities/index.ts. */
const ownActivities = 18;

describe('the registry', () => {
  it('the registry contains every node type that a file defines, exactly once', () => {
    const registered = nodeTypes.map(({ type }) => type);
    expect(definitions.length).toBeGreaterThan(6);
    expect(registered.toSorted()).toEqual(definitions.map(({ type }) => type).toSorted());
    expect(new Set(registered).size).toBe(registered.length);
  });

  it('each type is defined in the file with its name', () => {
    for (const { name, type } of definitions) expect(name).toBe(`${type.replaceAll('_', '-')}.ts`);
  });

  it('there is one activity per step type, plus only the general activities', () => {
    const deps = { workspace: null } as Parameters<typeof createActivities>[0];
    const names = Object.keys(createActivities(deps));
    expect(names).toEqual(expect.arrayContaining(stepTypes.map(({ type }) => type)));
    // No activity replaces another of the same name.
    expect(names).toHaveLength(stepTypes.length + ownActivities);
  });
});

describe.each(types)('%s', (name, type) => {
  it('the type has a one-line summary and at most 24 lines of docs', () => {
    expect(type.summary).toMatch(/^[A-Z].*\.$/);
    expect(type.summary.length).toBeLessThanOrEqual(90);
    expect(type.docs.split('\n').length).toBeLessThanOrEqual(24);
    expect(type.docs).not.toMatch(/\n\n\n/);
  });

  it('the type has an example that compiles without errors and warnings', () => {
    const { ok, problems, graph } = compileText(type.example, `${name}.yaml`, {
      cwd: '/',
      environment: {},
      fileFolder: '/',
      parameters: null,
    });
    expect(problems.filter(({ severity }) => severity !== 'note')).toEqual([]);
    expect(ok).toBe(true);
    expect(graph.map((node) => node.type)).toContain(name);
  });

  it('the type has a page', () => {
    const path = `${root}docs/nodes/${name}.md`;
    expect(existsSync(path)).toBe(true);
    expect(readFileSync(path, 'utf8')).toContain(type.example.trimEnd());
  });

  it('the type refuses unknown fields', () => {
    expect(jsonSchemaOf(type.config).additionalProperties).toBe(false);
    expect(type.config.safeParse({ fieldThatNobodyKnows: 1 }).success).toBe(false);
  });

  it('the type lists only its own fields in its recipe', () => {
    const fields = Object.keys(jsonSchemaOf(type.config).properties ?? {});
    for (const field of type.recipe) expect(fields).toContain(field);
  });

  it('the type states its batch size, its timeouts and its heartbeat', () => {
    // A type without a step takes no time.
    if (type.profile === undefined) return;
    const { batch, startToClose, timeout, heartbeat } = type.profile;
    expect(batch).toBeGreaterThan(0);
    expect(startToClose).toMatch(/^\d+[smh]$/);
    expect(timeout).toMatch(/^\d+[smhd]$/);
    // Long activities must heartbeat.
    if (/^\d\d+m$/.test(startToClose)) expect(heartbeat).toMatch(/^\d+s$/);
  });

  it('the type has parents, or is always the root of a pipeline', () => {
    const onlyBegins = type.root?.by.length === 0;
    // A type that never begins a pipeline may take any asset.
    if (onlyBegins) expect(type.needs).toEqual([]);
    else if (type.root && !type.root.alsoAfterParents) expect(type.needs).not.toEqual([]);
    const fields = Object.keys(jsonSchemaOf(type.config).properties ?? {});
    for (const field of type.root?.by ?? []) expect(fields).toContain(field);
  });

  it('the type has a config that can be written as a JSON schema', () => {
    expect(() => z.toJSONSchema(type.config, { target: 'draft-7', io: 'input' })).not.toThrow();
  });
});
