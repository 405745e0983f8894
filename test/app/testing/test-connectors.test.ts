// Connectors in a test of a pipeline. Nothing in the run leaves this machine or the folder of the test.
import { describe, expect, it } from 'vitest';
import { withTestConnectors } from '../../../src/app/testing/execute-run.ts';
import { compileText } from '../../../src/compile/compile.ts';

const places = { folder: '/t', notices: { redirect: (url: string) => `local ${url}` } };

function replaced(pictures: string, more: string[] = []) {
  const text = `name: shop
connectors: { models: { type: local, path: in }, pictures: ${pictures} }
${more.join('\n')}
nodes:
  - { id: take, type: connector_poll, config: { connector: models } }
  - { id: ready, type: model_ready, parentIds: [take] }
  - { id: shots, type: render, parentIds: [ready] }
  - { id: deliver, type: export, parentIds: [shots], config: { connector: pictures } }
`;
  const place = { cwd: '/t', fileFolder: '/t', opensNothing: true } as const;
  const environment = { RENDERLINE_SECRET_A: 'a' };
  const { plan, pipeline, problems } = compileText(text, 'shop.yaml', {
    ...place,
    environment,
    parameters: {},
  });
  if (!plan) throw new Error(JSON.stringify(problems));
  return withTestConnectors(plan, pipeline?.records, places);
}

const bucket = '{ type: s3, bucket: acme, region: eu-central-1 }';
const folder = '{ type: local, path: /srv/out }';

describe('records in a test of a pipeline', () => {
  const below = ['records: { connector: pictures, folder: .state }'];
  it.each([
    ['in a bucket', bucket, ['records: { connector: pictures }'], '/t/pictures'],
    ['in a folder of a bucket', bucket, below, '/t/pictures/.state'],
    ['in a folder below another folder', folder, below, '/t/pictures/.state'],
    ['in a folder of the test', '{ type: local, path: out }', below, '/t/out/.state'],
  ])('records %s are kept in the folder of the test', (_name, pictures, records, path) => {
    const plan = replaced(pictures, records);
    expect(plan.records).toEqual({ type: 'local', path });
    expect(JSON.stringify(plan)).not.toMatch(/acme|srv/);
  });
});

it('only the addresses of notices are replaced', () => {
  const url = 'https://cdn.example';
  const plan = replaced(bucket, [
    `parameters: { url: { type: string, default: "${url}" } }`,
    'notify: [{ url: https://a.example, secretFrom: RENDERLINE_SECRET_A, on: [failed] }]',
  ]);
  expect(plan.parameters).toMatchObject({ url });
  expect(plan.notify).toMatchObject([{ url: 'local https://a.example' }]);
});
