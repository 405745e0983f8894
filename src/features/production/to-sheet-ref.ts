import { toPlainText } from '../../api/responses/plain-text.ts';
import type { ResponseTo } from '../../engine/submit/creation.ts';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import type { SheetRef } from './platform-ids.ts';

const maxTextLength = 300;

/** Returns the state of the file. An unknown status of an export with an id counts as in progress. */
export function toSheetRef({
  id,
  status,
  productionFile,
  reason,
  capturingVariantIds,
}: ResponseTo<'getProductionFileExport'>): SheetRef {
  if (status === 'FAILED') return { failure: toPlainText(reason ?? '', maxTextLength) };
  if (status === 'READY' && productionFile) {
    const { id: fileId, documentNumber = fileId, version = 1 } = productionFile;
    return { fileId, name: `${toPlainText(documentNumber, maxTextLength)}-v${version}` };
  }
  if (id === null || status === 'READY') {
    const statusText = toPlainText(status, maxTextLength);
    return {
      failure: `the platform reported the status ${statusText} but returned no production file`,
    };
  }
  return { exportId: id, ...omitUndefined({ captures: capturingVariantIds?.length }) };
}
