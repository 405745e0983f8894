// The name under which a worker shows at Temporal: its process, and its host.
import { hostname } from 'node:os';

/** Where several machines share a host's name, which containers with one folder do, that of the system tells them apart. */
export function identityOf(host: string, system = hostname()): string {
  return host === system ? `${process.pid}@${host}` : `${process.pid}.${system}@${host}`;
}

/** The host of a worker by its identity; null where it is not one of ours. */
export function hostOf(identity: string): string | null {
  return /^\d+(?:\.[^@]*)?@(.+)$/su.exec(identity)?.[1] ?? null;
}
