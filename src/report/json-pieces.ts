// Formats long results in pieces, because the text of a large run does not fit into one string.
import { toTerminalSafeJson } from '../api/responses/plain-text.ts';
import { LazyList } from '../plan/helpers/lazy-list.ts';

const pieceLength = 64 * 1024;

/**
 * Yields an object as one line of JSON. Items of its lazy lists are read one by one.
 * @param shape its fields may be lazy lists, but not the fields of these
 */
export async function* toJsonPieces(shape: object): AsyncGenerator<string> {
  let separator = '{';
  for (const [name, value] of Object.entries(shape)) {
    if (value === undefined) continue;
    yield `${separator}${JSON.stringify(name)}:`;
    separator = ',';
    if (value instanceof LazyList) yield* toListPieces(value);
    else yield toTerminalSafeJson(value);
  }
  yield '}\n';
}

async function* toListPieces(list: LazyList<unknown>): AsyncGenerator<string> {
  let separator = '[';
  for await (const item of list) {
    yield `${separator}${toTerminalSafeJson(item)}`;
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}

/** Joins short pieces, because each piece is written on its own. */
export async function* joinPieces(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let text = '';
  for await (const piece of pieces) {
    text += piece;
    if (text.length < pieceLength) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}
