// Requests that start runs: which are accepted and refused, and that every response matches the OpenAPI document.
import { connect } from 'node:net';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createRunsOpenApi } from '../../scripts/docs/runs-openapi.ts';
import { retryLaterError } from '../../src/receiver/runs/run-request-error.ts';
import { post, processed, receiver } from './_receiver.ts';
import {
  bearer,
  codeOf,
  newSecret,
  nowSeconds,
  path,
  type Request,
  runReceiver,
  secret,
  signed,
  started,
  state,
  token,
} from './_run-requests.ts';

describe('a caller', () => {
  test.each<[string, Request, string]>([
    ['that signs', signed(), 'RENDERLINE_SECRET_SHOP'],
    [
      'that signs with the next secret',
      signed({}, 'k', nowSeconds, newSecret),
      'RENDERLINE_SECRET_SHOP_NEW',
    ],
    [
      'with a clock that is four minutes slow',
      signed({}, 'k', nowSeconds - 240),
      'RENDERLINE_SECRET_SHOP',
    ],
    ['that sends a token', { headers: bearer() }, 'RENDERLINE_SECRET_TOKEN'],
    [
      'that specifies the charset',
      { headers: { ...bearer(), 'content-type': 'application/json; charset=utf-8' } },
      'RENDERLINE_SECRET_TOKEN',
    ],
  ])('a caller %s starts a run', async (_what, request, caller) => {
    const { ask, starts, runs } = await runReceiver();
    const answer = await ask(request);
    expect([answer.status, answer.headers['location']]).toEqual([202, started.state]);
    expect(JSON.parse(answer.text)).toEqual(started);
    expect(starts.map(([, , name]) => name)).toEqual([caller]);
    expect(runs.counts).toMatchObject({ started: 1, unauthorized: 0 });
  });

  test.each<[string, string, string]>([
    ['bare', 'key-1', 'key-1'],
    ['in quotes, as in the IETF draft', '"key-1"', 'key-1'],
    ['in quotes with spaces', '"order 7"', 'order 7'],
  ])('a caller can send its key %s', async (_what, header, key) => {
    const { ask, starts } = await runReceiver();
    expect((await ask(signed({}, header))).status).toBe(202);
    expect(starts.map(([, given]) => given)).toEqual([key]);
  });

  test('a caller needs no key for a dry run, and gets 200 because no run starts', async () => {
    const planned = { ...started, run: null, state: null };
    const { ask, starts, runs } = await runReceiver({ start: async () => planned });
    const body = JSON.stringify({
      parameters: { season: 'SS26', views: 3 },
      only: ['a/*'],
      dryRun: true,
    });
    const answer = await ask({ body, headers: bearer(token, '') });
    expect([answer.status, JSON.parse(answer.text)]).toEqual([200, planned]);
    expect(starts).toEqual([[JSON.parse(body), null, 'RENDERLINE_SECRET_TOKEN']]);
    expect(runs.counts).toMatchObject({ planned: 1, started: 0 });
  });

  test('a caller can read only the state of runs of its own pipeline', async () => {
    const { ask } = await runReceiver();
    const read = (target: string) =>
      ask({ method: 'GET', path: target, headers: bearer(token, '') });
    const answer = await read(`${path}/shop-http-1`);
    expect([answer.status, JSON.parse(answer.text)]).toEqual([200, state]);
    expect((await read(`${path}/shop-http-2`)).status).toBe(404);
    expect((await read('/pipelines/dam/runs/shop-http-1')).status).toBe(401);
    const request = signed({ method: 'GET', path: `${path}/shop-http-1`, body: '' }, '');
    expect((await ask(request)).status).toBe(200);
  });
});

const withHeaders = (headers: Record<string, string>, of: Request = signed()): Request => ({
  ...of,
  headers: { ...of.headers, ...headers },
});
const without = (name: string, of: Request = signed()): Request => {
  const { [name]: _gone, ...headers } = of.headers ?? {};
  return { ...of, headers };
};

describe('an unauthorized request', () => {
  test.each<[string, Request]>([
    ['no credential', without('renderline-signature')],
    ['a wrong token', { headers: bearer('x'.repeat(40)) }],
    ['the start of a token', { headers: bearer(token.slice(0, 39)) }],
    ['the token of another pipeline', { headers: bearer('d'.repeat(40)) }],
    ['the secret as a token', { headers: bearer(secret) }],
    ['the token as a secret', signed({}, 'k', nowSeconds, token)],
    ['a forged signature', withHeaders({ 'renderline-signature': `v1=${'a'.repeat(64)}` })],
    ['a short signature', withHeaders({ 'renderline-signature': 'v1=aa' })],
    ['no timestamp', without('renderline-timestamp')],
    ['a timestamp that is not a number', signed({}, 'k', Number.NaN)],
    [
      'a timestamp other than the signed one',
      withHeaders({ 'renderline-timestamp': String(nowSeconds + 1) }),
    ],
    ['a key other than the signed one', withHeaders({ 'idempotency-key': 'key-2' })],
    ['a body other than the signed one', { ...signed(), body: '{"dryRun":true}' }],
    ['a pipeline other than the signed one', { ...signed(), path: '/pipelines/dam/runs' }],
    ['a signature of another method', { ...signed({ method: 'GET' }), method: 'POST' }],
    ['a replay after six minutes', signed({}, 'k', nowSeconds - 360)],
    ['a signature with a future time', signed({}, 'k', nowSeconds + 360)],
    ['an unknown pipeline', signed({ path: '/pipelines/other/runs' })],
    ['an unknown pipeline and a token', { path: '/pipelines/other/runs', headers: bearer() }],
    ['a pipeline whose secrets are not set here', signed({ path: '/pipelines/closed/runs' })],
    ['dots as a name', signed({ path: '/pipelines/../runs' })],
    ['dots within the path', signed({ path: '/pipelines/dam/../shop/runs' })],
    ['escaped dots', signed({ path: '/pipelines/%2e%2e/runs' })],
    ['an escaped slash', signed({ path: '/pipelines/..%2f..%2fetc/runs' })],
    ['an escaped line break', signed({ path: '/pipelines/shop%0d%0aset-cookie:%20a/runs' })],
    ['no name', signed({ path: '/pipelines//runs' })],
    ['a name of 100 letters', signed({ path: `/pipelines/${'a'.repeat(100)}/runs` })],
    ['a query', signed({ path: `${path}?x=1` })],
    ['a name that every object has', signed({ path: '/pipelines/constructor/runs' })],
  ])(
    'a request with %s gets the usual unauthorized response, and starts no run',
    async (_what, request) => {
      const { ask, starts, runs } = await runReceiver();
      const answer = await ask(request);
      const wrong = await ask({ headers: bearer('x'.repeat(40)) });
      expect([answer.status, answer.text]).toEqual([401, wrong.text]);
      expect(answer.headers['set-cookie']).toBeUndefined();
      expect([starts, runs.counts.unauthorized]).toEqual([[], 2]);
    },
  );
});

describe('an authorized request', () => {
  const withBody = (body: string | Buffer) => signed({ body });
  test.each<[string, Request, number, string]>([
    ['without a key', signed({}, ''), 400, 'IDEMPOTENCY_KEY_MISSING'],
    ['with a key of two words', signed({}, 'a b'), 400, 'IDEMPOTENCY_KEY'],
    ['with a key of 256 letters', signed({}, 'a'.repeat(256)), 400, 'IDEMPOTENCY_KEY'],
    ['with text that is not JSON', withBody('{'), 400, 'BODY'],
    ['with a list', withBody('[]'), 400, 'BODY'],
    ['with null', withBody('null'), 400, 'BODY'],
    ['with bytes that are not UTF-8', withBody(Buffer.from([0x22, 0xff, 0x22])), 400, 'BODY'],
    ['with an unknown field', withBody('{"file":"/etc/passwd"}'), 400, 'BODY'],
    ['with an object as a value', withBody('{"parameters":{"a":{"b":1}}}'), 400, 'BODY'],
    ['with null as a value', withBody('{"parameters":{"a":null}}'), 400, 'BODY'],
    ['with a prototype', withBody('{"__proto__":{"dryRun":true}}'), 400, 'BODY'],
    ['with a prototype as a parameter', withBody('{"parameters":{"__proto__":"a"}}'), 400, 'BODY'],
    [
      'with an escaped prototype as a parameter',
      withBody('{"parameters":{"__proto\\u005f_":"a"}}'),
      400,
      'BODY',
    ],
    ['with an invalid name', withBody('{"parameters":{"a.b":"c"}}'), 400, 'BODY'],
    ['with ten levels of nesting', withBody(`${'['.repeat(10)}${']'.repeat(10)}`), 400, 'BODY'],
    ['with 5,000 values', withBody(`{"only":[${'1,'.repeat(5_000)}1]}`), 400, 'BODY'],
    [
      'with text of 3,000 letters',
      withBody(`{"parameters":{"a":"${'a'.repeat(3_000)}"}}`),
      400,
      'BODY',
    ],
    ['with 17 KiB', withBody(`{"only":["${'a'.repeat(17 * 1024)}"]}`), 413, 'BODY_SIZE'],
    [
      'as a form',
      withHeaders({ 'content-type': 'application/x-www-form-urlencoded' }),
      415,
      'CONTENT_TYPE',
    ],
    ['without a type', without('content-type'), 415, 'CONTENT_TYPE'],
    ['with a compressed body', withHeaders({ 'content-encoding': 'gzip' }), 415, 'CONTENT_TYPE'],
    ['with the method PUT', signed({ method: 'PUT' }), 405, 'METHOD'],
    ['at the address of a state', signed({ path: `${path}/shop-http-1` }), 405, 'METHOD'],
  ])(
    'an authorized request %s is refused and starts no run',
    async (_what, request, status, code) => {
      const { ask, starts } = await runReceiver();
      const answer = await ask(request);
      expect([answer.status, codeOf(answer), starts]).toEqual([status, code, []]);
    },
  );

  test('each wrong field of an authorized request is reported', async () => {
    const { ask } = await runReceiver();
    const body = '{"parameters":{"a":null,"b":1,"c":[]},"only":[],"x":1,"y":2}';
    const { text } = await ask(signed({ body }));
    const { errors } = JSON.parse(text) as { errors: { name: string; message: string }[] };
    const names = ['parameters.a', 'parameters.c', 'only', 'x', 'y'];
    expect(errors.map(({ name }) => name)).toEqual(names);
    expect(errors.at(-1)).toEqual({ name: 'y', message: 'is not a known field' });
  });

  test('an internal error is logged, and the caller gets no details', async () => {
    const error = new Error(`the folder /srv/secret has ${secret}`);
    const { ask, errors, runs } = await runReceiver({ start: () => Promise.reject(error) });
    const answer = await ask(signed());
    expect([answer.status, codeOf(answer), errors]).toEqual([500, 'INTERNAL', [error]]);
    expect(answer.text).not.toMatch(/srv|s{40}/);
    expect(runs.counts.failed).toBe(1);
  });
});

test('during a general pause, the response contains the reason and the time to wait, and health counts the request', async () => {
  const start = () => Promise.reject(retryLaterError(503, 'ALL_PAUSED', 'paused by ann', 60));
  const { ask, errors, runs } = await runReceiver({ start });
  const answer = await ask(signed());
  expect([answer.status, answer.headers['retry-after']]).toEqual([503, '60']);
  expect(JSON.parse(answer.text)).toMatchObject({ code: 'ALL_PAUSED', detail: 'paused by ann' });
  expect(errors).toEqual([]);
  expect(runs.counts).toMatchObject({ paused: 1, failed: 0 });
});

describe('raw bytes', () => {
  const write = async (origin: string, text: string): Promise<string> => {
    const socket = connect({ port: Number(new URL(origin).port), host: '127.0.0.1' });
    onTestFinished(() => void socket.destroy());
    let came = '';
    socket.on('data', (chunk: Buffer) => {
      came += chunk.toString();
    });
    socket.on('error', () => undefined);
    socket.write(text);
    await new Promise((closed) => socket.once('close', closed));
    return came;
  };
  const head = (...lines: string[]) =>
    [
      `POST ${path} HTTP/1.1`,
      'host: x',
      'connection: close',
      `authorization: Bearer ${token}`,
      'content-type: application/json',
      ...lines,
      '',
      '',
    ].join('\r\n');

  test.each<[string, string, RegExp]>([
    [
      'two keys are refused',
      head('idempotency-key: a', 'idempotency-key: b', 'content-length: 2') + '{}',
      / 400 [^]*IDEMPOTENCY_KEY/,
    ],
    [
      'the first of two tokens counts',
      head('authorization: Bearer x', 'idempotency-key: a', 'content-length: 2') + '{}',
      / 202 /,
    ],
    [
      'a key with a bare line feed is refused',
      head('idempotency-key: a\nx: y\u0000', 'content-length: 2') + '{}',
      / 400 /,
    ],
    [
      'a body of unknown length is read to its limit',
      head('idempotency-key: a', 'transfer-encoding: chunked') +
        `8000\r\n${'x'.repeat(0x8000)}\r\n`,
      / 413 /,
    ],
    ['two lengths are refused', head('content-length: 2', 'content-length: 3') + '{}', / 400 /],
    [
      'a length and chunks are refused',
      head('content-length: 2', 'transfer-encoding: chunked') + '0\r\n\r\n',
      / 400 /,
    ],
  ])('%s', async (_what, text, expected) => {
    const { origin, starts } = await runReceiver();
    const answer = await write(origin, text);
    expect(answer).toMatch(expected);
    expect(starts.length).toBe(answer.includes(' 202 ') ? 1 : 0);
  });

  test('a body that does not arrive ends with 408 and does not block other requests', async () => {
    const timeouts = {
      headersMs: 5_000,
      requestMs: 10_000,
      body: { graceMs: 200, bytesPerSecond: 32 * 1024 },
      checkIntervalMs: 20,
    };
    const { origin, ask, starts } = await runReceiver({}, { timeouts });
    const slow = write(origin, `${head('idempotency-key: a', 'content-length: 99')}{`);
    expect((await ask(signed())).status).toBe(202);
    expect(await slow).toContain(' 408 ');
    expect(starts).toHaveLength(1);
  });
});

test('a receiver that starts no runs responds with 404', async () => {
  const { origin } = await receiver();
  const answer = await fetch(`${origin}${path}`, { method: 'POST', headers: bearer(), body: '{}' });
  expect(answer.status).toBe(404);
  expect(await (await fetch(`${origin}/health`)).json()).toMatchObject({ runs: null });
});

test('health counts requests without naming a pipeline, and notifications arrive as before', async () => {
  const { ask, origin, url } = await runReceiver();
  await ask(signed());
  await ask({ headers: bearer('x') });
  expect((await post(url, processed('m1'))).status).toBe(200);
  const text = await (await fetch(`${origin}/health`)).text();
  expect(JSON.parse(text)).toMatchObject({ runs: { pipelines: 3, started: 1, unauthorized: 1 } });
  expect(text).not.toMatch(/shop|dam/);
});

test('a public validator finds no error in the OpenAPI document', async () => {
  const result = await new Validator().validate(structuredClone(createRunsOpenApi()));
  expect([result.errors, result.valid]).toEqual([undefined, true]);
});
