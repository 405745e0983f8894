// Performs one call of `renderline api`: one page or all pages, printed or written to a file.
import { open, rename, rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { CallOptions, Client, DynamicInput } from '../../api/client.ts';
import type { OperationRow } from '../../api/contract/operation.ts';
import { downloadTo, type Sink } from '../../api/download.ts';
import { pagedBy, readPages } from '../../api/pages.ts';
import { asRecord } from '../../api/unknown-values.ts';
import type { Session } from '../../cli/session.ts';
import { terminalSafeJson } from '../../cli/terminal-text.ts';
import { commandFailures } from '../../failures/commands.ts';
import { RenderlineError } from '../renderline-error.ts';

interface CallContext {
  app: Session;
  flags: {
    all?: true | undefined;
    output?: string | undefined;
    idempotencyKey?: string | undefined;
  };
}

const schema = 'renderline/api/v1';

/** Calls the operation as the flags request, and prints the response or writes it to a file. */
export async function callOperation(
  client: Client,
  row: OperationRow,
  input: DynamicInput,
  context: CallContext,
): Promise<void> {
  const { flags, app } = context;
  const call: CallOptions = {
    priority: 'interactive',
    idempotencyKey: flags.idempotencyKey,
    maxWaitMs: 60_000,
  };
  if (flags.all) return allPages(client, row, input, call, context);
  const result = await client.call(row.id, input, call);
  const { location } = asRecord(result);
  if (flags.output !== undefined && row.response === 'redirect' && typeof location === 'string') {
    return download(client, row, location, context);
  }
  if (flags.output !== undefined) {
    const text = `${JSON.stringify(result, null, 2)}\n`;
    return printWritten(row, await writeText(app, flags.output, text), app);
  }
  app.output.result({ schema, operation: row.id, result }, () => terminalSafeJson(result, 2));
}

/** Prints items as they arrive, one per line. With --json it prints one object, with --output it writes one item per line. */
async function allPages(
  client: Client,
  row: OperationRow,
  input: DynamicInput,
  call: CallOptions,
  { flags, app }: CallContext,
): Promise<void> {
  const pagingPart = pagedBy(row);
  if (pagingPart === null) {
    throw new RenderlineError(
      commandFailures.NO_PAGES,
      `${row.id} has no pages: its response contains all items.`,
    );
  }
  const given = asRecord(input[pagingPart]);
  const { limit } = given;
  const items = readPages(
    row,
    async (pageFields) => {
      const fields = { ...given, ...pageFields };
      // Not validated: `readPages` ignores what it cannot use.
      return asRecord(await client.call(row.id, { ...input, [pagingPart]: fields }, call));
    },
    { pageSize: typeof limit === 'number' ? limit : undefined },
  );
  const collected: unknown[] = [];
  const isStreaming = !app.output.json && flags.output === undefined;
  for await (const item of items) {
    if (isStreaming) app.output.raw(terminalSafeJson(item));
    else collected.push(item);
  }
  if (flags.output !== undefined) {
    const text = collected.map((item) => `${JSON.stringify(item)}\n`).join('');
    return printWritten(row, await writeText(app, flags.output, text), app);
  }
  if (!isStreaming) app.output.result({ schema, operation: row.id, items: collected }, () => '');
}

async function writeText(app: Session, name: string, text: string) {
  const file = resolve(app.cwd, name);
  await writeFile(file, text);
  return { file, bytes: Buffer.byteLength(text) };
}

async function download(
  client: Client,
  row: OperationRow,
  url: string,
  { flags, app }: CallContext,
): Promise<void> {
  const file = resolve(app.cwd, flags.output ?? '');
  // Written to a partial file first, so that the file under its final name is always complete.
  const part = `${file}.part`;
  try {
    const { bytes } = await writeToFile(part, (sink) =>
      downloadTo({ url, sink, network: client.network }),
    );
    await rename(part, file);
    printWritten(row, { file, bytes }, app);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

async function writeToFile<T>(file: string, fill: (sink: Sink) => Promise<T>): Promise<T> {
  const handle = await open(file, 'w');
  try {
    return await fill({ write: (chunk) => handle.appendFile(chunk) });
  } finally {
    await handle.close();
  }
}

function printWritten(
  row: OperationRow,
  { file, bytes }: { file: string; bytes: number },
  { output }: Session,
): void {
  output.result({ schema, operation: row.id, file, bytes }, () => `${file} (${bytes} bytes)`);
}
