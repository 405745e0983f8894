// State of an export of a production file (3.4).
import { plainText } from '../../api/plain-text.ts';
import type { AnswerTo } from '../../machinery/submit/creation.ts';
import type { SheetRef } from './refs.ts';

const textAtMost = 300;

/** A state that is not known yet is waited on. */
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
