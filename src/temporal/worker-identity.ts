// The identity of a worker in Temporal: its process id and its host.
import { hostname } from 'node:os';

/**
 * Returns this worker's identity.
 * @param host name of all workers with the same folders
 * @param containerHost name of the container
 */
export function createWorkerIdentity(host: string, containerHost = hostname()): string {
  return host === containerHost
    ? `${process.pid}@${host}`
    : `${process.pid}.${containerHost}@${host}`;
}

/** Returns the host in a worker's identity, or null if it is not an identity of Renderline. */
export function parseWorkerHost(identity: string): string | null {
  return /^\d+(?:\.[^@]*)?@(.+)$/su.exec(identity)?.[1] ?? null;
}
