// Runs the conformance tables on the sandbox, and on a live platform if RENDERLINE_CONFORMANCE_URL and _KEY are set.
import { describe, expect, it } from 'vitest';
import { operations } from '../../../../src/api/operations/index.ts';
import { sentRoutes } from './_platform.ts';
import { runTables, startLive, startTestSandbox } from './_run.ts';
import { tables } from './api.testsuite.ts';

runTables(tables, startTestSandbox);

/** Operations without a documented path and response. */
const notShown: readonly string[] = ['addVariantsToProject', 'getMaterial', 'getTemplate'];

// Registered after the tables, so it runs last.
const shown = Object.values(operations).filter(({ id }) => !notShown.includes(id));
describe('the tables', () => {
  it.each(shown.map((row) => [row.id, row.route] as const))(
    'the tables contain a row for %s',
    (id, route) => {
      const path = (route ?? `@${id}`).replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&');
      const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
      expect([...sentRoutes].filter((sent) => pattern.test(sent)).slice(0, 1)).toHaveLength(1);
    },
  );
});

const { RENDERLINE_CONFORMANCE_URL: baseUrl, RENDERLINE_CONFORMANCE_KEY: apiKey } = process.env;
if (baseUrl && apiKey) runTables(tables, startLive(baseUrl, apiKey), true);
