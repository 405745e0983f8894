// The version of a worker: its deployment, and the build id of its workflow code. Pure.
import { createHash } from 'node:crypto';

export interface WorkerVersion {
  deployment: string;
  buildId: string;
}

/** Valid names of deployments and builds. They contain no `:`, with which Temporal joins the two in queries. */
const namePattern = /^(?!__)[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** Value of `--deployment` that keeps a worker unversioned. */
export const noDeployment = 'none';

export const isVersionName = (name: string): boolean => namePattern.test(name);

/** A deployment name may be NAMESPACE/NAME, as Temporal's Worker Controller writes it. */
export function isDeploymentName(name: string): boolean {
  const parts = name.split('/');
  return parts.length <= 2 && parts.every(isVersionName);
}

/** A bundle ends with a source map, which contains paths of the machine that built it. */
const sourceMap = /\/\/# sourceMappingURL=\S*/g;

/** Hashes the workflow code regardless of the machine that built it. @param code the text of the bundle */
export function buildIdOf(code: string): string {
  return createHash('sha256').update(code.replace(sourceMap, '')).digest('hex').slice(0, 12);
}

/** Formats `deployment:buildId`, as Temporal writes it in queries. */
export function formatVersion({ deployment, buildId }: WorkerVersion): string {
  return `${deployment}:${buildId}`;
}

/** Parses `deployment:buildId`. Returns null if the text has another form. */
export function parseVersion(text: string): WorkerVersion | null {
  const [deployment, buildId] = text.split(':');
  return deployment && buildId ? { deployment, buildId } : null;
}

export function isSameWorkerVersion(a: WorkerVersion | null, b: WorkerVersion | null): boolean {
  return a?.deployment === b?.deployment && a?.buildId === b?.buildId;
}
