// The interface of connector types, built-in or from plugins: name in pipeline files, fields, and how to open them.
import { z } from 'zod';
import { memoizeByObject } from '../plan/helpers/memoize.ts';
import type { Environment } from '../settings/environment.ts';
import type { Connector } from './connector.ts';

export type SpecOf<Config extends z.ZodObject> = z.output<Config> & { readonly type: string };

export interface ConnectorType<Config extends z.ZodObject = z.ZodObject> {
  /** `type:` of the connector in files. */
  readonly type: string;
  /** One line for lists and editors. */
  readonly summary: string;
  /** Markdown that states where credentials come from, which rights they need, and what else users must know. */
  readonly docs: string;
  /** An example below `connectors:`, on one line. */
  readonly example: string;
  /** The fields apart from `type`. None contains a secret: a `secretName` field names the variable that does. */
  readonly config: Config;
  /** Set for read-only types. A pipeline file that delivers to such a connector, or keeps records there, is refused. */
  readonly readOnly?: true;
  /** Set if requests carry credentials of the process, no matter which fields a file sets. */
  readonly usesProcessCredentials?: true;
  /**
   * Hosts of the vendor, without a port. Credentials may be sent to them over https without the operator's permission.
   */
  readonly vendorHosts?: RegExp;
  /** Opens the connector without I/O. @param env environment that provides the values of `secretName` fields */
  open(spec: SpecOf<Config>, env: Environment): Connector;
}

export function defineConnector<Config extends z.ZodObject>(
  type: ConnectorType<Config>,
): ConnectorType<Config> {
  return type;
}

/** Returns the field for a folder within the connector, or undefined if the type has no such field. */
export function findFolderField({ config }: ConnectorType): 'prefix' | 'path' | undefined {
  return (['prefix', 'path'] as const).find((field) => field in config.shape);
}

type Fields = z.ZodObject<{ type: z.ZodLiteral<string> }>;

/** Returns the schema of a connector of this type in a pipeline file. */
export const schemaOf = memoizeByObject((type: ConnectorType): Fields => {
  const { shape, def } = type.config;
  const name = z.literal(type.type).describe(type.summary);
  // Checks across fields. The cast is safe, because the new schema contains the same fields.
  const checks = (def.checks ?? []) as z.core.$ZodCheck<object>[];
  return z.strictObject({ type: name, ...shape }).check(...checks);
});
