import type { ProductionFileRecord } from '../state/production-records.ts';

/** Returns the path of a production file in the storage. */
export function fileKeyOf({ id, documentNumber, version }: ProductionFileRecord): string {
  return `production-files/${id}/${documentNumber}-v${version}.pdf`;
}
