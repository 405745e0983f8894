// Calls any operation of the platform by its id. Reads one page or all pages, and returns the result or writes a file.
import { writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { CallOptions, Client, DynamicInput } from '../../api/client.ts';
import { type JsonObject, toJsonSchema } from '../../api/contract/json-schema.ts';
import type { OperationRow } from '../../api/contract/operation.ts';
import { downloadTo } from '../../api/download.ts';
import { outcomeOfError } from '../../api/errors/retry.ts';
import { pageParamsIn, readPages } from '../../api/pages.ts';
import { findNearestName } from '../../api/requests/nearest-name.ts';
import { pathParamNames } from '../../api/requests/request-url.ts';
import { asRecord } from '../../api/unknown-values.ts';
import { openConnector } from '../../connectors/index.ts';
import { commandFailures } from '../../failures/commands.ts';
import type { App } from '../app.ts';
import { prepareOutputFile } from '../file-paths.ts';
import { withPlatform } from '../platform-client.ts';
import { explainError, RenderlineError, usageError } from '../renderline-error.ts';

export interface CallOperationOptions {
  /** Read all pages of a list. */
  all?: boolean | undefined;
  /** Receives the items of `all` as they arrive. The result then contains no items. Not called if `output` is set. */
  onItem?: ((item: unknown) => void) | undefined;
  /** File for the response, or for the file that the response redirects to. */
  output?: string | undefined;
  idempotencyKey?: string | undefined;
}

export type OperationResult = {
  schema: 'renderline/api/v1';
  operation: string;
} & ({ result: unknown } | { items: readonly unknown[] } | { file: string; bytes: number });

export type RequestPreview = ReturnType<typeof previewRequest>;

const schema = 'renderline/api/v1';

/** Returns the request without contacting the platform. @throws RenderlineError USAGE for wrong path parameters */
export function previewRequest(app: App, row: OperationRow, input: DynamicInput) {
  checkPathParameters(row, input);
  noteUnknownFields(app, row, input);
  const { params = {}, query = {}, body } = input;
  const route = Object.entries(params).reduce(
    (text, [name, value]) => text.replace(`{${name}}`, encodeURIComponent(String(value))),
    row.route ?? '(path taken from the live OpenAPI document)',
  );
  const bodyField: { body?: unknown } = body === undefined ? {} : { body };
  return { schema, operation: row.id, dryRun: true, route, query, ...bodyField } as const;
}

/**
 * @throws RenderlineError NO_PAGES if `all` is set for an operation without pages; USAGE for wrong path parameters;
 * errors of the platform unchanged, except that an ambiguous outcome gets its own fix
 */
export async function callOperation(
  app: App,
  row: OperationRow,
  input: DynamicInput,
  options: CallOperationOptions = {},
): Promise<OperationResult> {
  const { output } = options;
  // A response that cannot be written would be lost, even though it may have cost money.
  const file = output === undefined ? null : await prepareOutputFile(app.cwd, output);
  checkPathParameters(row, input);
  noteUnknownFields(app, row, input);
  const result = await withPlatform(app, (client) =>
    call(client, row, input, file, options).catch((error: unknown) => {
      throw mayHaveCreated(row, error) ? toAmbiguousError(error) : error;
    }),
  );
  return { schema, operation: row.id, ...result };
}

/** Fix for a call whose outcome is unknown, and that would create something again if it were sent again. */
export const checkFirstFix =
  'Check on the platform whether the call was executed before you send it again: the second execution may be paid for too.';

/** True if the platform may have executed a call that creates something again if it is sent again. */
export function mayHaveCreated({ retrySafety }: OperationRow, error: unknown): boolean {
  const isRepeatable = retrySafety === 'read' || retrySafety === 'repeat';
  return !isRepeatable && outcomeOfError(error) === 'perhaps';
}

function toAmbiguousError(cause: unknown): RenderlineError {
  const { message, ...explanation } = explainError(cause);
  return new RenderlineError(explanation, message, { fix: checkFirstFix, cause });
}

/** Checks the path parameters, unless the reference does not show the path. @throws RenderlineError USAGE */
function checkPathParameters({ id, route }: OperationRow, { params = {} }: DynamicInput): void {
  if (route === null) return;
  const names = pathParamNames(route);
  const missingNames = names.filter((name) => !params[name]);
  const unknownNames = Object.keys(params).filter((name) => !names.includes(name));
  if (missingNames.length + unknownNames.length === 0) return;
  const needs = missingNames.map((name) => `--params ${name}=…`).join(' ');
  const problems = [
    ...(needs === '' ? [] : [`needs ${needs}`]),
    ...(unknownNames.length === 0 ? [] : [`has no path parameter ${unknownNames.join(', ')}`]),
  ];
  const fix = `See its parameters: renderline api ${id} --help`;
  throw usageError(`${id} ${problems.join(', and ')}.`, fix);
}

function noteUnknownFields(app: App, row: OperationRow, input: DynamicInput): void {
  for (const remark of findUnknownFields(row, input)) app.note(remark);
}

async function call(
  client: Client,
  row: OperationRow,
  input: DynamicInput,
  file: string | null,
  { all = false, onItem, idempotencyKey }: CallOperationOptions,
) {
  const callOptions: CallOptions = { priority: 'interactive', idempotencyKey, maxWaitMs: 60_000 };
  if (all) {
    const items: unknown[] = [];
    const keep = (item: unknown) => void items.push(item);
    await readItems(client, row, input, callOptions, file === null ? (onItem ?? keep) : keep);
    if (file === null) return { items };
    return writeText(file, items.map((item) => `${JSON.stringify(item)}\n`).join(''));
  }
  const result = await client.call(row.id, input, callOptions);
  if (file === null) return { result };
  const { location } = asRecord(result);
  if (row.response === 'redirect' && typeof location === 'string') {
    return download(client, location, file);
  }
  return writeText(file, `${JSON.stringify(result, null, 2)}\n`);
}

async function readItems(
  client: Client,
  row: OperationRow,
  input: DynamicInput,
  callOptions: CallOptions,
  onItem: (item: unknown) => void,
): Promise<void> {
  const pagingPart = pageParamsIn(row);
  if (pagingPart === null) {
    throw new RenderlineError(
      commandFailures.NO_PAGES,
      `${row.id} has no pages: its response contains all items.`,
    );
  }
  const pagingInput = asRecord(input[pagingPart]);
  const { limit } = pagingInput;
  const items = readPages(
    row,
    async (pageFields) => {
      const fields = { ...pagingInput, ...pageFields };
      // The fields need no validation, because `readPages` ignores what it cannot use.
      return asRecord(await client.call(row.id, { ...input, [pagingPart]: fields }, callOptions));
    },
    { pageSize: typeof limit === 'number' ? limit : undefined },
  );
  for await (const item of items) onItem(item);
}

async function writeText(file: string, text: string) {
  await writeFile(file, text);
  return { file, bytes: Buffer.byteLength(text) };
}

async function download(client: Client, url: string, file: string) {
  // The file under its final name is always complete, even if two commands download it at the same time.
  const folder = openConnector({ type: 'local', path: dirname(file) });
  const stagedFile = await folder.stage(basename(file));
  try {
    const { bytes } = await downloadTo({ url, sink: stagedFile, network: client.network });
    await stagedFile.commit();
    return { file, bytes };
  } catch (error) {
    await stagedFile.discard();
    throw error;
  }
}

/** Creates notes about fields that the API reference lacks. The fields are sent, as a platform may support them. */
function findUnknownFields(row: OperationRow, { query, body }: DynamicInput): string[] {
  const bodyNames = row.body && propertyNamesOf(toJsonSchema(row.body, 'input'));
  return [
    ...findFieldRemarks(row, 'query field', Object.keys(row.query?.shape ?? {}), query),
    ...(bodyNames ? findFieldRemarks(row, 'body field', bodyNames, body) : []),
  ];
}

function findFieldRemarks(
  row: OperationRow,
  kind: string,
  knownNames: readonly string[],
  fields: unknown,
): string[] {
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) return [];
  const unknownNames = Object.keys(fields).filter((name) => !knownNames.includes(name));
  return unknownNames.map((name) => {
    const suggestion = findNearestName(name, knownNames);
    const hint = suggestion === null ? '' : ` Did you mean "${suggestion}"?`;
    return `note: ${row.id} has no ${kind} "${name}" in the API reference; the value is sent unchanged.${hint}`;
  });
}

/** Returns the field names of an object schema or of all its alternatives. Undefined if any name is allowed. */
function propertyNamesOf(schema: JsonObject): string[] | undefined {
  const choices = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(choices)) {
    const names = choices.map((choice: JsonObject) => propertyNamesOf(choice));
    return names.every((choiceNames) => choiceNames !== undefined) ? names.flat() : undefined;
  }
  const isOpen = typeof schema['additionalProperties'] === 'object';
  const { properties } = schema;
  if (isOpen || typeof properties !== 'object' || properties === null) return undefined;
  return Object.keys(properties);
}
