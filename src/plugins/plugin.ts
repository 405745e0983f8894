// What a project adds to Renderline: its own node types and connectors, and their failures.
import type { ConnectorType } from '../connectors/connector-type.ts';
import type { NodeType } from '../engine/node-type.ts';
import type { FailureTable } from '../failures/define.ts';

export interface Plugin {
  readonly name: string;
  /** Node types for pipeline files, in addition to the built-in ones. */
  readonly nodes?: readonly NodeType[];
  /** Types of connectors, in addition to the built-in ones. */
  readonly connectors?: readonly ConnectorType[];
  /** Failure codes that the plugin's nodes use to fail assets. */
  readonly failures?: FailureTable;
}
