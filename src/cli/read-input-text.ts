import { readBoundedBody } from '../api/network/read-bounded-body.ts';
import { usageError } from '../app/renderline-error.ts';

/** Reads standard input or a file as text. @throws RenderlineError if it is too large, because a device has no end */
export async function readInputText(
  input: AsyncIterable<Buffer>,
  label: string,
  maxBytes: number,
): Promise<string> {
  const bytes = await readBoundedBody(input, maxBytes);
  if (bytes !== null) return new TextDecoder().decode(bytes);
  throw usageError(`${label} has more than ${maxBytes} bytes.`, 'Pass less, or name another file.');
}
