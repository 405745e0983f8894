// A type of connector: its name in pipeline files, the fields there, and how such a place is opened. Ours and those of plugins.
import { z } from 'zod';
import type { Environment } from '../settings/environment.ts';
import type { Connector } from './connector.ts';

/** The fields of a connector in a file. */
export type SpecOf<Config extends z.ZodObject> = z.output<Config> & { readonly type: string };

export interface ConnectorType<Config extends z.ZodObject = z.ZodObject> {
  /** `type:` of the connector in files. */
  readonly type: string;
  /** One line for lists and editors. */
  readonly summary: string;
  /** Where credentials come from, which rights they need, what is special; Markdown. */
  readonly docs: string;
  /** A connector as it stands below `connectors:`, in one line. */
  readonly example: string;
  /** The fields beside `type`. None holds a secret: `secretName` names the variable that does. */
  readonly config: Config;
  /** Set for places that are only read: a file that would deliver or keep records there is refused. */
  readonly readOnly?: true;
  /** Set where requests carry credentials of the process itself, whichever fields a file gives. */
  readonly usesProcessCredentials?: true;
  /** Hosts of the vendor, without a port: by https they may have credentials without the operator naming them. */
  readonly vendorHosts?: RegExp;
  /**
   * Opens a place; nothing is read or written before its first use.
   * @param env holds what `secretFrom` reads
   */
  open(spec: SpecOf<Config>, env: Environment): Connector;
}

export function defineConnector<Config extends z.ZodObject>(
  type: ConnectorType<Config>,
): ConnectorType<Config> {
  return type;
}

/** The field that a folder within the place is put into; undefined where the type has none. */
export function folderField({ config }: ConnectorType): 'prefix' | 'path' | undefined {
  return (['prefix', 'path'] as const).find((field) => field in config.shape);
}

type Fields = z.ZodObject<{ type: z.ZodLiteral<string> }>;

const schemas = new WeakMap<ConnectorType, Fields>();

/** What a file may say of a connector of this type. */
export function schemaOf(type: ConnectorType): Fields {
  const known = schemas.get(type);
  if (known !== undefined) return known;
  const { shape, def } = type.config;
  const name = z.literal(type.type).describe(type.summary);
  // Rules over several fields; they look at no more than they did.
  const checks = (def.checks ?? []) as z.core.$ZodCheck<object>[];
  const schema = z.strictObject({ type: name, ...shape }).check(...checks);
  schemas.set(type, schema);
  return schema;
}
