// What a worker is a version of: a deployment, and the build of its workflow code. Pure.
import { createHash } from 'node:crypto';

export interface WorkerVersion {
  deployment: string;
  buildId: string;
}

/** What a name of a deployment or a build may look like; Temporal joins the two with `:` in searches. */
const namePattern = /^(?!__)[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** Given for a deployment it keeps a worker unversioned. */
export const noDeployment = 'none';

export const isVersionName = (name: string): boolean => namePattern.test(name);

/** Temporal's Worker Controller calls them NAMESPACE/NAME. */
export function isDeploymentName(name: string): boolean {
  const parts = name.split('/');
  return parts.length <= 2 && parts.every(isVersionName);
}

/** A bundle ends with a map to its sources, which names folders of the machine that made it. */
const sourceMap = /\/\/# sourceMappingURL=\S*/g;

/** The same for the same workflow code, wherever it was built. @param code of the bundle */
export function buildIdOf(code: string): string {
  return createHash('sha256').update(code.replace(sourceMap, '')).digest('hex').slice(0, 12);
}

/** As Temporal writes it in searches. */
export function canonical({ deployment, buildId }: WorkerVersion): string {
  return `${deployment}:${buildId}`;
}

/** As searches give it. Neither name holds a colon. */
export function versionIn(text: string): WorkerVersion | null {
  const [deployment, buildId] = text.split(':');
  return deployment && buildId ? { deployment, buildId } : null;
}

export function isSame(one: WorkerVersion | null, other: WorkerVersion | null): boolean {
  return one?.deployment === other?.deployment && one?.buildId === other?.buildId;
}
