// Settings of metrics and traces that cannot be used. The error names the option or variable that was read.
import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { openTracing } from '../../../src/app/open-tracing.ts';
import {
  chooseMetricsTarget,
  type MetricsOptions,
} from '../../../src/app/worker/metrics-target.ts';
import type { Environment } from '../../../src/settings/environment.ts';

async function usedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

const noHost = 'none.invalid';

test.each<[MetricsOptions, Environment, string]>([
  [
    { metricsPort: 0, metricsHost: noHost },
    {},
    `--metrics-host ${noHost} cannot be resolved to an address.`,
  ],
  [
    { metricsPort: 0 },
    { RENDERLINE_METRICS_HOST: noHost },
    `RENDERLINE_METRICS_HOST ${noHost} cannot be resolved to an address.`,
  ],
])('a host without an address is refused: %o %o', async (options, env, message) => {
  await expect(chooseMetricsTarget(options, env)).rejects.toThrow(message);
});

test.each<[string, (port: number) => [MetricsOptions, Environment], string]>([
  ['options', (metricsPort) => [{ metricsPort }, {}], '--metrics-port'],
  [
    'variables',
    (port) => [{}, { RENDERLINE_METRICS_PORT: String(port) }],
    'RENDERLINE_METRICS_PORT',
  ],
])(
  'the error for a port in use contains the setting from the %s',
  async (_what, settings, origin) => {
    const [options, env] = settings(await usedPort());
    await expect(chooseMetricsTarget(options, env)).rejects.toMatchObject({
      code: 'EADDRINUSE',
      fix: expect.stringMatching(new RegExp(`^Change ${origin},`)),
    });
  },
);

test.each(['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'])(
  'traces over gRPC, as %s requests, are refused',
  async (name) => {
    const env = { OTEL_TRACES_EXPORTER: 'otlp', [name]: 'grpc' };
    await expect(openTracing(env, () => {})).rejects.toThrow(`but ${name} is grpc`);
  },
);
