// What a project adds to Renderline: node types and connectors of its own, and how they fail.
import type { ConnectorType } from '../connectors/connector-type.ts';
import type { FailureTable } from '../failures/define.ts';
import type { NodeType } from '../machinery/node-type.ts';

export interface Plugin {
  /** For errors: who brought what. */
  readonly name: string;
  /** Node types that pipeline files may name, beside those that come along. */
  readonly nodes?: readonly NodeType[];
  /** Types of connectors, beside those that come along. */
  readonly connectors?: readonly ConnectorType[];
  /** Codes that its assets can fail with. */
  readonly failures?: FailureTable;
}
