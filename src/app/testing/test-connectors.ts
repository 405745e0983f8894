// Replaces what a plan has outside a test: its connectors, its records, and the receivers of its notices. Pure.
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
 * @param records as the pipeline file names them
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

/** Records in a folder below a connector, which are a connector of their own; null for all others. */
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
