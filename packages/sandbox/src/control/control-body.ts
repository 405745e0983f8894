import type { Context } from 'hono';
import type { z } from 'zod';
import { readBody } from '../http/body.ts';
import { parse } from '../http/decode.ts';
import type { Env } from '../http/env.ts';
import { refuseInput } from '../http/failure.ts';

/** Reads the JSON body of a control request. @throws ApiFailure VALIDATION_ERROR */
export async function readControlBody<T extends z.ZodType>(
  c: Context<Env>,
  schema: T,
): Promise<z.output<T>> {
  const text = Buffer.from(await readBody(c)).toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    refuseInput('body: not valid JSON');
  }
  return parse('body', schema, value);
}
