// Reads the input of `renderline api`: path parameters, query fields and body.
import { resolve } from 'node:path';
import type { z } from 'zod';
import type { DynamicInput } from '../../api/client.ts';
import type { OperationRow } from '../../api/contract/operation.ts';
import { openInputFile } from '../../app/file-paths.ts';
import { RenderlineError } from '../../app/renderline-error.ts';
import { commandFailures } from '../../failures/commands.ts';
import type { Io } from '../io.ts';
import { parsePairs } from '../params.ts';
import { readInputText } from '../read-input-text.ts';

/** Maximum size of a body from a file or standard input. Bodies contain ids and values, never files. */
const maxBodyBytes = 16 * 1024 ** 2;

export interface ApiFlags {
  params?: string[] | undefined;
  query?: string[] | undefined;
  body?: string | undefined;
}

/** @throws RenderlineError for a malformed pair, an invalid JSON body, or a body that the operation does not accept */
export async function readInput(row: OperationRow, flags: ApiFlags, io: Io): Promise<DynamicInput> {
  if (flags.body !== undefined && row.body === undefined) {
    throw new RenderlineError(commandFailures.BAD_BODY, `${row.id} does not accept a body.`, {
      fix: `Pass values as --params or --query name=value: renderline api ${row.id} --help`,
    });
  }
  const query = Object.entries(parsePairs('--query', flags.query, 'status=READY')).map(
    ([name, value]): [string, unknown] => [name, queryValue(row, name, value)],
  );
  return {
    params: parsePairs('--params', flags.params, 'modelId=ID'),
    query: Object.fromEntries(query),
    ...(flags.body === undefined ? {} : { body: await readBody(flags.body, io) }),
  };
}

/** Converts a query value to the text, number or boolean that the contract accepts. */
function queryValue(row: OperationRow, name: string, value: string): unknown {
  const schema: z.ZodType | undefined = row.query?.shape[name];
  const candidates: unknown[] = [value];
  if (/^-?\d+(\.\d+)?$/.test(value)) candidates.push(Number(value));
  if (value === 'true' || value === 'false') candidates.push(value === 'true');
  // If no reading is valid, the number or boolean is used, so that the error mentions its bounds and not its type.
  return candidates.find((reading) => schema?.safeParse(reading).success) ?? candidates.at(-1);
}

async function readBody(flag: string, io: Io): Promise<unknown> {
  const source = flag === '-' ? 'standard input' : flag.startsWith('@') ? flag.slice(1) : '--body';
  const content = await readBodyContent(flag, `The body from ${source}`, io);
  try {
    const body: unknown = JSON.parse(content);
    return body;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new RenderlineError(
      commandFailures.BAD_BODY,
      `The body from ${source} is not JSON: ${reason}`,
    );
  }
}

async function readBodyContent(flag: string, label: string, io: Io): Promise<string> {
  if (flag === '-') return readInputText(io.stdin, label, maxBodyBytes);
  if (flag[0] !== '@') return flag;
  return readInputText(openInputFile(resolve(io.cwd, flag.slice(1))), label, maxBodyBytes);
}
