// Checks that the local connectors of a file name at most one host, since a run works on one host.
import type { Pipeline } from '../pipeline.ts';
import type { LocatedDocument } from '../yaml/document.ts';
import type { Findings } from '../yaml/findings.ts';

/** The hosts that local connectors name. */
export function hostsOf({
  connectors,
}: Pick<Pipeline, 'connectors'>): { connector: string; host: string }[] {
  return Object.entries(connectors).flatMap(([connector, spec]) =>
    spec.type === 'local' && typeof spec['host'] === 'string'
      ? [{ connector, host: spec['host'] }]
      : [],
  );
}

export function checkHosts(
  pipeline: Pick<Pipeline, 'connectors'>,
  document: LocatedDocument,
  findings: Findings,
): void {
  const [first, ...others] = hostsOf(pipeline);
  for (const { connector, host } of others) {
    if (first === undefined || host === first.host) continue;
    const message = `a run works on one host, and "${first.connector}" is on "${first.host}"`;
    const hint = 'Use a folder that both share, or a bucket or server for one of the two.';
    findings.error('RL204', document.valueRange(['connectors', connector, 'host']), message, hint);
  }
}
