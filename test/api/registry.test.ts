import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { commonErrors, errorCodes } from '../../src/api/contract/error-codes.ts';
import type { OperationRow } from '../../src/api/contract/operation.ts';
import { operations } from '../../src/api/operations/index.ts';
import { pathParamNames } from '../../src/api/requests/request-url.ts';

const rows: [string, OperationRow][] = Object.entries(operations);

it('the registry contains more than 25 rows', () => {
  expect(rows.length).toBeGreaterThan(25);
});

describe('every row of the registry', () => {
  it.each(rows)(
    'the row %s contains its id, a numbered section, a summary and known error codes',
    (id, row) => {
      expect(row.id).toBe(id);
      expect(row.section).toMatch(/^4\.\d{1,2}$/);
      expect(row.summary).toMatch(/\.$/);
      for (const code of row.errors) expect(errorCodes).toHaveProperty(code);
      expect(new Set(row.errors).size).toBe(row.errors.length);
    },
  );

  it.each(rows)('the row %s lists no error that every operation may return', (_, row) => {
    for (const code of commonErrors) expect(row.errors).not.toContain(code);
  });

  it.each(rows)(
    'in the row %s, only a keyed POST has an Idempotency-Key and its errors',
    (_, row) => {
      const post = row.route?.startsWith('POST ') ?? row.retrySafety !== 'read';
      if (row.hasIdempotencyKey) expect(post).toBe(true);
      expect(row.errors.includes('IDEMPOTENCY_CONFLICT')).toBe(row.hasIdempotencyKey);
      expect(row.errors.includes('IDEMPOTENCY_KEY_REUSED')).toBe(row.hasIdempotencyKey);
    },
  );

  it.each(rows)('in the row %s, a GET only reads and has no body', (_, row) => {
    if (!row.route?.startsWith('GET ')) return;
    expect(row.retrySafety).toBe('read');
    expect(row.body).toBeUndefined();
  });

  it.each(rows)('in the row %s, only a write may be verified, and only by reads', (_, row) => {
    const reads = row.verifiedBy ?? [];
    expect(row.retrySafety === 'read' ? reads : []).toEqual([]);
    for (const id of reads) expect(new Map(rows).get(id)?.retrySafety).toBe('read');
  });

  it.each(rows)(
    'in the row %s, the response is a redirect if and only if the status is 302',
    (_, row) => {
      expect(row.response === 'redirect').toBe(row.status === 302);
    },
  );

  it.each(rows)('the row %s has distinct path parameters and a clean path', (_, row) => {
    if (row.route === null) return;
    expect(row.route).toMatch(/^(GET|POST|PUT|PATCH|DELETE) (\/[a-z.-]+|\/\{[a-zA-Z]+\})+$/);
    const names = pathParamNames(row.route);
    expect(new Set(names).size).toBe(names.length);
  });
});

it('no two rows share a route', () => {
  const routes = rows.flatMap(([, { route }]) => (route === null ? [] : [route]));
  expect(new Set(routes).size).toBe(routes.length);
});

it('no two rows share a tool', () => {
  const tools = rows.flatMap(([, { tool }]) => (tool === undefined ? [] : [tool]));
  expect(new Set(tools).size).toBe(tools.length);
});

describe('limits of platform.md, section 8', () => {
  const limits: Record<string, number> = {
    createModels: 50,
    createProjects: 50,
    createRenders: 50,
    createJob: 50,
    checkModelStatus: 100,
    setAssetProperties: 100,
    planMaterialImport: 2000,
    createProps: 50,
    checkPropStatus: 100,
    createDecals: 50,
    checkDecalStatus: 100,
    checkMaterialStatus: 100,
  };

  it.each(Object.entries(limits))('the operation %s accepts at most %i', (id, max) => {
    const row = Object.fromEntries(rows)[id];
    expect(row?.batch?.max).toBe(max);
  });

  it('only the listed operations have a batch limit', () => {
    const batched = rows.filter(([, { batch }]) => batch).map(([id]) => id);
    expect(new Set(batched)).toEqual(new Set(Object.keys(limits)));
  });

  it.each(rows.filter(([, { batch }]) => batch))(
    'the operation %s publishes its maximum in the schema',
    (_, row) => {
      const schema = z.toJSONSchema(row.body ?? z.never(), { io: 'input' });
      const field = schema.properties?.[row.batch?.field ?? ''];
      expect(field).toMatchObject({ type: 'array', minItems: 1, maxItems: row.batch?.max });
    },
  );

  it.each(rows.filter(([, { query }]) => query && 'limit' in query.shape))(
    'the operation %s has a page size of 1 to 100, by default 50',
    (_, row) => {
      const query = row.query ?? z.object({});
      expect(query.parse({})).toMatchObject({ limit: 50, offset: 0 });
      for (const bad of [{ limit: 0 }, { limit: 101 }, { limit: 1.5 }, { offset: -1 }]) {
        expect(query.safeParse(bad).success).toBe(false);
      }
    },
  );
});

describe('error codes of platform.md, section 7', () => {
  it.each(Object.entries(errorCodes))('the code %s has an error status', (_, { status }) => {
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(600);
  });
});
