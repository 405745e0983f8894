// Reads the supported standard variables of OpenTelemetry, which define whether, where and with which headers to push.
import { decodePercent } from '../api/unknown-values.ts';
import { ConfigError } from './config-error.ts';
import type { Environment } from './environment.ts';

/** A collector that metrics or traces are pushed to. */
export interface OtlpTarget {
  /** For OTLP over HTTP, the complete URL with the path of the signal. For gRPC, the endpoint as it is set. */
  url: string;
  protocol: 'http/protobuf' | 'grpc';
  headers: Readonly<Record<string, string>>;
}

type Signal = 'metrics' | 'traces';

/** One variable of the exporter: the variable of the signal if it is set, otherwise the general one. */
interface OtlpVariable {
  name: string;
  value: string | undefined;
  isOwn: boolean;
}

const protocols = ['http/protobuf', 'grpc'] as const;

/**
 * Returns the collector that this process pushes metrics or traces to, or null if no variable enables it or one
 * disables it.
 * @throws ConfigError for an invalid value
 */
export function readOtlpTarget(signal: Signal, env: Environment): OtlpTarget | null {
  if (env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return null;
  const upper = signal.toUpperCase();
  const read = (name: string) => readOtlpVariable(signal, name, env);
  const exporter = env[`OTEL_${upper}_EXPORTER`] || undefined;
  const endpoint = read('ENDPOINT');
  if (exporter === 'none' || (exporter === undefined && endpoint.value === undefined)) return null;
  if (exporter !== undefined && exporter !== 'otlp') {
    const name = `OTEL_${upper}_EXPORTER`;
    throw new ConfigError(`${name}=${exporter} is not supported.`, `Set ${name} to otlp or none.`);
  }
  const protocol = protocolOf(read('PROTOCOL'));
  return { url: toUrl(signal, protocol, endpoint), protocol, headers: headersOf(read('HEADERS')) };
}

/** @param name without the prefix, such as `PROTOCOL` */
export function readOtlpVariable(signal: Signal, name: string, env: Environment): OtlpVariable {
  const signalVariable = `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_${name}`;
  const isOwn = Boolean(env[signalVariable]);
  const variable = isOwn ? signalVariable : `OTEL_EXPORTER_OTLP_${name}`;
  return { name: variable, value: env[variable] || undefined, isOwn };
}

function protocolOf({ name, value = 'http/protobuf' }: OtlpVariable): OtlpTarget['protocol'] {
  const protocol = protocols.find((candidate) => candidate === value);
  if (protocol !== undefined) return protocol;
  throw new ConfigError(
    `${name}=${value} is not supported.`,
    `Set ${name} to ${protocols.join(' or ')}.`,
  );
}

/** Returns the URL. Over HTTP, the path of the signal is appended to the general endpoint, not to one of a signal. */
function toUrl(
  signal: Signal,
  protocol: OtlpTarget['protocol'],
  { name, value, isOwn }: OtlpVariable,
): string {
  const isHttp = protocol === 'http/protobuf';
  const endpoint = value ?? (isHttp ? 'http://localhost:4318' : 'http://localhost:4317');
  if (!URL.canParse(endpoint) || !/^https?:$/.test(new URL(endpoint).protocol)) {
    throw new ConfigError(
      `${name} is not an http(s) address.`,
      `For example: export ${name}=http://collector:4318${isOwn && isHttp ? `/v1/${signal}` : ''}`,
    );
  }
  if (isOwn || !isHttp) return endpoint;
  return `${endpoint.replace(/\/+$/, '')}/v1/${signal}`;
}

/** Parses `name=value,name=value` with percent-encoded values. Values may be keys, so no message shows them. */
function headersOf({ name, value = '' }: OtlpVariable): Record<string, string> {
  const pairs = value.split(',').filter((pair) => pair.trim() !== '');
  return Object.fromEntries(
    pairs.map((pair) => {
      const index = pair.indexOf('=');
      if (index < 1) {
        throw new ConfigError(
          `${name} has an entry that is not name=value.`,
          'Write it as name=value,name=value.',
        );
      }
      return [pair.slice(0, index).trim(), decodePercent(pair.slice(index + 1).trim())];
    }),
  );
}

/**
 * Returns the share of runs that are traced, 0 to 1, from OTEL_TRACES_SAMPLER and its argument.
 * @throws ConfigError if the argument is not a share
 */
export function readTracedShare(env: Environment): number {
  const sampler = env['OTEL_TRACES_SAMPLER'] ?? '';
  if (/(^|_)always_off$/.test(sampler)) return 0;
  if (!/(^|_)traceidratio$/.test(sampler)) return 1;
  const argument = env['OTEL_TRACES_SAMPLER_ARG'] || '1';
  const share = Number(argument);
  if (share >= 0 && share <= 1) return share;
  throw new ConfigError(
    `OTEL_TRACES_SAMPLER_ARG=${argument} is not a number from 0 to 1.`,
    'Set it to a number from 0 to 1, such as 0.1.',
  );
}
