// The name under which a worker shows at Temporal: its process and its host.

export function identityOf(host: string): string {
  return `${process.pid}@${host}`;
}

/** The host of a worker by its identity; null where it is not one of ours. */
export function hostOf(identity: string): string | null {
  return /^\d+@(.+)$/su.exec(identity)?.[1] ?? null;
}
