// The registry of connector types. Checker, schema and docs are derived from it.

import { formatIssues } from '../api/format-issue.ts';
import type { ConnectorSpec } from '../plan/types.ts';
import type { Environment } from '../settings/environment.ts';
import { azure } from './azure.ts';
import type { Connector } from './connector.ts';
import { ConnectorError } from './connector-error.ts';
import { type ConnectorType, schemaOf } from './connector-type.ts';
import { gcs } from './gcs.ts';
import { local } from './local.ts';
import { assertLoginAllowed } from './login-address.ts';
import { ProbingConnector } from './probing-connector.ts';
import { s3 } from './s3.ts';
import { sftp } from './sftp.ts';

const registeredTypes: ConnectorType[] = [local, s3, sftp, azure, gcs];

/** All connector types, in the order of the reference page. */
export const connectorTypes: readonly ConnectorType[] = registeredTypes;

/** Adds the connector types of a plugin (decision 052). Must be called before anything is compiled or opened. */
export function addConnectorTypes(types: readonly ConnectorType[]): void {
  registeredTypes.push(...types);
}

/** Returns the connector type with this name, or null if neither Renderline nor a loaded plugin defines it. */
export function findConnectorType(type: string): ConnectorType | null {
  return registeredTypes.find((candidate) => candidate.type === type) ?? null;
}

/** Opens a connector without I/O. @param env credentials named in the spec (vendors' clients read the process's own) */
export function openConnector(spec: ConnectorSpec, env: Environment = process.env): Connector {
  const type = findConnectorType(spec.type);
  if (type === null) {
    throw new ConnectorError(
      'UNKNOWN_CONNECTOR',
      spec.type,
      `connector type ${JSON.stringify(spec.type)} is unknown; known types are ${registeredTypes.map((candidate) => candidate.type).join(', ')}`,
      'list the plugin of this type under `plugins:` in renderline.yaml, on this machine and on all workers',
    );
  }
  // A plan is data, so its spec is validated again. Fields from a later version are ignored.
  const result = schemaOf(type).strip().safeParse(spec);
  if (result.success) {
    assertLoginAllowed(type, result.data, env);
    return new ProbingConnector(type.open({ ...result.data, type: spec.type }, env));
  }
  throw new ConnectorError(
    'CONNECTOR_MISCONFIGURED',
    spec.type,
    `a connector of type ${spec.type} cannot be opened: ${formatIssues(result.error.issues.slice(0, 1), 'the connector')}`,
    'correct the connector in the pipeline file',
  );
}

export type { Connector } from './connector.ts';
