// Replaces everything that a plan uses outside its test: connectors, records, and receivers of notices. Pure.
import { join, relative } from 'node:path';
import type { Pipeline } from '../../compile/pipeline.ts';
import type { ConnectorSpec, Plan } from '../../plan/types.ts';

interface TestPlaces {
  folder: string;
  /** Local addresses for receivers of notices. */
  notices: { redirect: (url: string) => string };
}

/**
 * Replaces connectors outside the test's folder by folders of their names, and receivers of notices by local addresses.
 * @param records the `records` field of the pipeline file
 */
export function withTestConnectors(
  plan: Plan,
  records: Pipeline['records'],
  { folder, notices }: TestPlaces,
): Plan {
  const own = recordsBelow(records, plan.records, folder);
  let text = JSON.stringify(own ? { ...plan, records: own } : plan);
  for (const [name, spec] of Object.entries(plan.connectors)) {
    if (isInTest(spec, folder)) continue;
    const local = JSON.stringify({ type: 'local', path: join(folder, name) });
    text = text.replaceAll(JSON.stringify(spec), local);
  }
  return JSON.parse(text, function (this: object, key, value: unknown) {
    const isReceiver = key === 'url' && typeof value === 'string' && 'secretFrom' in this;
    return isReceiver ? notices.redirect(value) : value;
  }) as Plan;
}

/**
 * Returns a local spec for records in a subfolder of a connector, since their spec differs from the connector's. Null
 * for other records, and for records in the test's folder.
 */
function recordsBelow(
  records: Pipeline['records'],
  spec: ConnectorSpec,
  folder: string,
): ConnectorSpec | null {
  if (typeof records !== 'object' || records.folder === undefined || isInTest(spec, folder))
    return null;
  return { type: 'local', path: join(folder, records.connector, records.folder) };
}

function isInTest(spec: ConnectorSpec, folder: string): boolean {
  const path = spec.type === 'local' ? spec['path'] : undefined;
  return typeof path === 'string' && !relative(folder, path).startsWith('..');
}
