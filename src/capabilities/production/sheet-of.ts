// Converts the platform's export into the stored state of a production file.
import { plainText } from '../../api/plain-text.ts';
import type { AnswerTo } from '../../machinery/submit/creation.ts';
import type { SheetRef } from './refs.ts';

const textAtMost = 300;

/** An unknown status counts as in progress. */
export function sheetOf({
  id,
  status,
  productionFile,
  reason,
  capturingVariantIds,
}: AnswerTo<'getProductionFileExport'>): SheetRef {
  if (status === 'FAILED') return { failure: plainText(reason ?? '', textAtMost) };
  if (status === 'READY' && productionFile) {
    const { id: fileId, documentNumber = fileId, version = 1 } = productionFile;
    return { fileId, name: `${plainText(documentNumber, textAtMost)}-v${version}` };
  }
  if (id === null || status === 'READY') {
    const said = plainText(status, textAtMost);
    return { failure: `the platform answered ${said} without a production file` };
  }
  const captures = capturingVariantIds?.length;
  return { exportId: id, ...(captures === undefined ? {} : { captures }) };
}
