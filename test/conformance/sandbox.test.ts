// The conformance suite on the sandbox, and on a live platform when RENDERLINE_CONFORMANCE_URL and _KEY are set.
import { afterAll, beforeAll } from 'vitest';
import { type RunningSandbox, startSandbox } from '../../src/sandbox/server.ts';
import { triangleGlb } from '../sandbox/_start.ts';
import { testApi } from './api.testsuite.ts';

let sandbox: RunningSandbox | undefined;
beforeAll(async () => {
  sandbox = await startSandbox({ seed: 11, speed: 50, rateLimit: 0, pictureScale: 0 });
});
afterAll(() => sandbox?.stop());

testApi('the sandbox', {
  target: () => ({ baseUrl: sandbox?.url ?? '', apiKey: sandbox?.apiKey ?? '' }),
  glb: triangleGlb(),
  patienceMs: 5_000,
});

const { RENDERLINE_CONFORMANCE_URL: baseUrl, RENDERLINE_CONFORMANCE_KEY: apiKey } = process.env;
if (baseUrl && apiKey) {
  testApi('the live platform', {
    target: () => ({ baseUrl, apiKey }),
    glb: triangleGlb(),
    patienceMs: 300_000,
  });
}
