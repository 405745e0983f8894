// The identity of a worker in Temporal: its process id and its host.
import { hostname } from 'node:os';

/** Containers that share folders also share the host name, so the system's host name is added to distinguish them. */
export function workerIdentity(host: string, system = hostname()): string {
  return host === system ? `${process.pid}@${host}` : `${process.pid}.${system}@${host}`;
}

/** The host in a worker's identity; null if it is not an identity of Renderline. */
export function parseWorkerHost(identity: string): string | null {
  return /^\d+(?:\.[^@]*)?@(.+)$/su.exec(identity)?.[1] ?? null;
}
