// `renderline/plugin`: the API for a project's own node types and connectors.
import type { Plugin } from '../../plugins/plugin.ts';

// Plugins must use our copy of zod, because its schemas describe pipeline file fields to `validate` and to editors.
export { z } from 'zod';
export type { Bucket, ByteRange, StoredObject } from '../../connectors/bucket/bucket.ts';
export { sendFile } from '../../connectors/bucket/bucket.ts';
export { BucketConnector, type BucketOptions } from '../../connectors/bucket/bucket-connector.ts';
export {
  type Diagnosis,
  diagnoseNetworkError,
  type StoreErrorKind,
} from '../../connectors/bucket/store-errors.ts';
export type { Connector } from '../../connectors/connector.ts';
export { ConnectorError, type ConnectorErrorCode } from '../../connectors/connector-error.ts';
export { type ConnectorType, defineConnector } from '../../connectors/connector-type.ts';
export { endpointField, endpointOf, readSecretField } from '../../connectors/spec-fields.ts';
export type { NodeContext } from '../../engine/node-context.ts';
export { defineNode, type NodeType } from '../../engine/node-type.ts';
export { defineFailures } from '../../failures/define.ts';
export { fail } from '../../failures/fail.ts';
export { duration, expression, glob } from '../../language/fields.ts';
export type { AssetResult, StepAsset } from '../../plan/types.ts';
export { relativeFolder, secretName } from '../../settings/file-fields.ts';
export type { Plugin };

/** Defines the export of a module listed in `plugins:`: `export const plugin = definePlugin({ … })`. */
export function definePlugin(plugin: Plugin): Plugin {
  return plugin;
}
