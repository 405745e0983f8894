// Tests the standard variables of OpenTelemetry. Traces are off by default, and invalid values are rejected with a fix.
import { describe, expect, it } from 'vitest';
import { readOtlpTarget, readTracedShare } from '../../src/settings/otel.ts';

const base = 'http://collector:4318';

describe('the target of traces', () => {
  it.each<[string, Record<string, string>, string | null]>([
    ['no variables', {}, null],
    ['an endpoint', { OTEL_EXPORTER_OTLP_ENDPOINT: base }, `${base}/v1/traces`],
    ['an endpoint with a slash', { OTEL_EXPORTER_OTLP_ENDPOINT: `${base}/` }, `${base}/v1/traces`],
    [
      'the endpoint of traces, unchanged',
      { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${base}/x` },
      `${base}/x`,
    ],
    ['only the endpoint of metrics', { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `${base}/x` }, null],
    ['only an exporter', { OTEL_TRACES_EXPORTER: 'otlp' }, 'http://localhost:4318/v1/traces'],
    [
      'the exporter "none"',
      { OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_ENDPOINT: base },
      null,
    ],
    ['a disabled SDK', { OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: base }, null],
    [
      'gRPC, without a path',
      { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4317' },
      'http://collector:4317',
    ],
  ])('the target of traces is read: %s', (_what, env, url) => {
    expect(readOtlpTarget('traces', env)?.url ?? null).toBe(url);
  });

  it('the target contains the decoded headers', () => {
    const headers = { OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc,x-team=blue' };
    const target = readOtlpTarget('metrics', { ...headers, OTEL_EXPORTER_OTLP_ENDPOINT: base });
    expect(target?.headers).toEqual({ authorization: 'Bearer abc', 'x-team': 'blue' });
  });

  it.each([
    [{ OTEL_TRACES_EXPORTER: 'zipkin' }, 'OTEL_TRACES_EXPORTER=zipkin'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }, 'OTEL_EXPORTER_OTLP_ENDPOINT'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }, 'http/json'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_HEADERS: 'secret' }, 'HEADERS'],
    [
      { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'collector:4318' },
      'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    ],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json' },
      'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http/json',
    ],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'secret' },
      'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
    ],
  ])('the target is refused: %o', (env, words) => {
    expect(() => readOtlpTarget('traces', env)).toThrow(words);
  });

  it('an error does not contain any header', () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_HEADERS: 'canary-4711' };
    expect(() => readOtlpTarget('traces', env)).toThrow(/^(?!.*canary)/);
  });
});

describe('the share of traced runs', () => {
  it.each([
    [{}, 1],
    [{ OTEL_TRACES_SAMPLER: 'always_off' }, 0],
    [{ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' }, 0.25],
    [{ OTEL_TRACES_SAMPLER: 'parentbased_always_on' }, 1],
  ])('the share for %o is %d', (env, share) => {
    expect(readTracedShare(env)).toBe(share);
  });

  it('a share that is an invalid number is refused', () => {
    const env = { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '20%' };
    expect(() => readTracedShare(env)).toThrow('20%');
  });
});
