import type { ConnectorSpec } from '../types.ts';

/** Returns the location of a connector: a folder, or an address such as `s3://bucket/prefix`. */
export function locationOf(spec: ConnectorSpec | null): string | null {
  if (spec === null) return null;
  const textOf = (field: string) => {
    const value = spec[field];
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  };
  const path = textOf('path');
  if (spec.type === 'local') return path;
  const server = [textOf('host'), textOf('port')].filter((part) => part !== '').join(':');
  const store = textOf('bucket') || textOf('container');
  const parts = [server, store, textOf('prefix'), path.replace(/^\//, '')];
  return `${spec.type}://${parts.filter((part) => part !== '').join('/')}`;
}
