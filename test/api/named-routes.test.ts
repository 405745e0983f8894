// Which routes may be set for an operation, in configuration and pipeline files.
import { describe, expect, it } from 'vitest';
import type { OperationRow } from '../../src/api/contract/operation.ts';
import { operations } from '../../src/api/operations/index.ts';
import { findRouteProblem, isRoute } from '../../src/api/requests/named-routes.ts';
import { createExampleRoute } from '../../src/api/requests/openapi-match.ts';

const rows: Readonly<Record<string, OperationRow>> = operations;
const unrouted = Object.values(rows).filter(({ route }) => route === null);

describe('a named route', () => {
  it.each([
    ['getTemplate', 'GET /templates/{templateId}'],
    ['with its one parameter under another name', 'GET /looks/{look}', 'getTemplate'],
    ['with a parameter within a segment', 'GET /templates/{templateId}:read', 'getTemplate'],
    ['without parameters', 'POST /v2/colorway-batches', 'createColorwayBatch'],
    ['with both parameters', 'POST /batches/{batchId}/jobs/{jobId}/retry', 'retryColorwayJob'],
    ['without its optional parameter', 'POST /jobs/{jobId}/retry', 'retryColorwayJob'],
    ['of a write with a method other than POST', 'PUT /pipelines/{pipelineId}', 'updatePipeline'],
  ])('a route is accepted: %s', (what, route, id = what) => {
    expect(findRouteProblem(id, route, rows)).toBeNull();
  });

  it.each([
    [
      'an unknown operation',
      'getTemplat',
      'GET /t/{id}',
      'operation',
      'Did you mean "getTemplate"?',
    ],
    [
      'an operation named like a property of every object',
      'constructor',
      'GET /t/{id}',
      'operation',
      'Paths can be set for: ',
    ],
    [
      'an operation whose path is in the reference',
      'createRenders',
      'POST /x',
      'operation',
      'Remove the path',
    ],
    [
      'a missing method',
      'getTemplate',
      '/t/{id}',
      'route',
      "Write the route like 'GET /templates/{templateId}'.",
    ],
    ['a read with POST', 'getTemplate', 'POST /t/{id}', 'route', 'GET /templates'],
    ['a write with GET', 'createPipeline', 'GET /pipelines', 'route', 'POST /pipeline'],
    ['an unknown parameter', 'retryColorwayJob', 'POST /j/{id}/r', 'route', '{batchId}/{jobId}'],
    ['a missing parameter', 'retryColorwayJob', 'POST /b/{batchId}/r', 'route', '{jobId}'],
    [
      'a parameter for an operation without parameters',
      'createPipeline',
      'POST /p/{id}',
      'route',
      'POST /pipeline',
    ],
  ])('a route is refused for %s', (_, id, route, about, fix) => {
    const fault = findRouteProblem(id, route, rows);
    expect(fault).toMatchObject({ about });
    expect(fault?.fix).toContain(fix);
  });

  it.each([
    'GET https://elsewhere.example/x',
    'GET //elsewhere.example/x',
    'GET /\\elsewhere.example',
    'GET /x/../../../admin',
    'GET /x/..',
    'GET /./x',
    'GET /x/%2e%2e/y',
    'GET /x?y=1',
    'GET /x#y',
    'GET /x//y',
    'GET /x/',
    'GET /',
    'GET /a b',
    'GET /{}',
    'GET /{a/b}',
    'FETCH /x',
    'get /x',
    `GET /${'x'.repeat(300)}`,
  ])('a route may not be %j', (route) => {
    expect(isRoute(route)).toBe(false);
  });

  it.each(unrouted.map((row) => [row.id, row] as const))(
    'the route that an error shows for %s is accepted',
    (id, row) => {
      expect(findRouteProblem(id, createExampleRoute(row), rows)).toBeNull();
    },
  );
});
