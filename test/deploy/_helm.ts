// Renders the chart with `helm`, if it is installed.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { minValues } from '../../scripts/chart/values-sets.ts';

export const chart = fileURLToPath(new URL('../../deploy/helm/renderline', import.meta.url));

export const hasHelm = spawnSync('helm', ['version', '--short']).status === 0;

interface Container {
  name: string;
  args: string[];
  env: { name: string; value?: string; valueFrom?: unknown }[];
  envFrom?: { secretRef?: { name: string }; configMapRef?: { name: string } }[];
  volumeMounts: { name: string; mountPath: string }[];
}

export interface PodSpec {
  containers: Container[];
  initContainers?: Container[];
  volumes: { name: string; secret?: { secretName: string; defaultMode: number } }[];
}

interface PodTemplate {
  metadata: { labels: Record<string, string> };
  spec: PodSpec;
}

export interface Rendered {
  kind: string;
  metadata: {
    name: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
  };
  data?: Record<string, string>;
  spec: {
    replicas?: number;
    template?: PodTemplate;
    selector?: { matchLabels: Record<string, string> };
    scaleTargetRef?: { name: string };
    triggers?: { metadata: Record<string, string> }[];
  };
}

/**
 * The objects of the chart with the minimal and the given values.
 * @param of folder of the chart
 * @throws Error with helm's output
 */
export function render(
  values: readonly string[] = [],
  files: readonly string[] = [],
  of: string = chart,
): Rendered[] {
  const args = ['template', 'trial', of, '--kube-version', '1.37.0'];
  for (const value of [...minValues, ...values]) args.push('--set-json', asJson(value));
  for (const file of files) args.push('--values', file);
  const { status, stdout, stderr } = spawnSync('helm', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  // Parsed as YAML 1.1, as clusters do. In YAML 1.1, 0440 is an octal number.
  return parseAllDocuments(stdout, { version: '1.1' })
    .map((document): unknown => document.toJS())
    .filter((object): object is Rendered => object !== null);
}

/** All pods of the objects, each with its object. */
export function podsOf(objects: readonly Rendered[]): (readonly [Rendered, PodSpec])[] {
  return objects.flatMap((object) => {
    const spec = object.spec?.template?.spec ?? (object.kind === 'Pod' ? object.spec : null);
    return spec === null ? [] : [[object, spec as PodSpec] as const];
  });
}

export function containersOf(objects: readonly Rendered[]): Container[] {
  return podsOf(objects).flatMap(([, pod]) => [...(pod.initContainers ?? []), ...pod.containers]);
}

/** `name=value`. The value is JSON or else a string. */
function asJson(assignment: string): string {
  const at = assignment.indexOf('=');
  const value = assignment.slice(at + 1);
  try {
    JSON.parse(value);
    return assignment;
  } catch {
    return `${assignment.slice(0, at)}=${JSON.stringify(value)}`;
  }
}
