// A table as a file.
import type { TableFile } from '../../src/tables/table-reader.ts';

export function textFile(text: string, path: string): TableFile {
  return { bytes: new TextEncoder().encode(text), path };
}
