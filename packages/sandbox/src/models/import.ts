// Imports models by URL. The URL is checked during the request, and the file is downloaded in the background.

import { fileType as FileType } from 'renderline/api/contract/schemas';
import { decodePercent } from 'renderline/api/unknown-values';
import type { Sandbox } from '../context/sandbox.ts';
import { resolveByDns, UnsafeUrlError } from '../downloads/private-network.ts';
import { type Download, openDownload, UnreachableUrlError } from '../downloads/safe-download.ts';
import { refuseInput } from '../http/failure.ts';
import type { ModelRecord } from '../state/records.ts';
import { assertWithinLimit, assertWithinStorage } from '../workspace/plan-limits.ts';
import { createImport, recordUploadedFile } from './create-model.ts';

interface ImportRequest {
  readonly url: string;
  readonly name?: string | undefined;
  readonly fileType?: string | undefined;
}

/** Starts an import. @throws ApiFailure VALIDATION_ERROR if the URL fails during the request, or codes of limits */
export async function importFrom(sandbox: Sandbox, request: ImportRequest): Promise<ModelRecord> {
  assertWithinLimit(sandbox, 'models', 1);
  assertWithinStorage(sandbox);
  const fileName = URL.canParse(request.url) ? fileNameOf(new URL(request.url)) : '';
  const { opening, soon } = openWithTimeout(sandbox, request.url);
  const download = await soon.catch((error: unknown) => {
    if (error instanceof UnsafeUrlError || error instanceof UnreachableUrlError) {
      return refuseInput(`url: ${error.message}`);
    }
    throw error;
  });
  try {
    const fileType = request.fileType ?? fileTypeOf(fileName);
    if (download) assertNotTooLarge(sandbox, download);
    const item = { fileType, name: request.name || fileName, fileName: fileName || undefined };
    const model = createImport(sandbox, item, request.url, sandbox.options.clock());
    sandbox.background.run(() => receive(sandbox, model, opening));
    return model;
  } catch (error) {
    opening.then(
      (unwanted) => unwanted.close(),
      () => undefined,
    );
    throw error;
  }
}

/** `soon` resolves with the server's response, or with undefined if a connected server takes too long. */
function openWithTimeout(sandbox: Sandbox, url: string) {
  const { importWaitMs } = sandbox.options;
  let timer: NodeJS.Timeout | undefined;
  let giveUp = () => {};
  const timeout = new Promise<undefined>((resolve) => {
    giveUp = () => resolve(undefined);
  });
  const opening = open(sandbox, url, () => {
    timer ??= setTimeout(giveUp, importWaitMs);
  });
  return { opening, soon: Promise.race([opening, timeout]).finally(() => clearTimeout(timer)) };
}

/** Resumes imports that a stop of the sandbox has interrupted. */
export function resumeImports(sandbox: Sandbox): void {
  for (const model of sandbox.store.models.all) {
    const source = model.importedFrom;
    if (!source || source.error !== undefined || model.file) continue;
    sandbox.background.run(() => receive(sandbox, model, open(sandbox, source.url)));
  }
}

function open(sandbox: Sandbox, url: string, onConnected = () => {}): Promise<Download> {
  const { allowPrivateUrls, resolveHost } = sandbox.options;
  return openDownload(url, {
    allowPrivate: allowPrivateUrls,
    resolve: resolveHost ?? resolveByDns,
    onConnected,
    signal: sandbox.stopSignal,
  });
}

async function receive(sandbox: Sandbox, model: ModelRecord, opening: Promise<Download>) {
  const { files, limits, store, options } = sandbox;
  const max = limits.values.modelFileBytes;
  let download: Download | undefined;
  try {
    download = await opening;
    const { status, body, bytes } = download;
    if (status !== 200) throw new Error(`the server responded with status ${status}`);
    const storedFile = await files.write(model.uploadKey, body, bytes, max);
    if (storedFile.tooLarge) throw new Error(`the file has more than ${max} bytes`);
    await recordUploadedFile(sandbox, model, storedFile);
    store.models.update(model, { confirmedAt: options.clock() });
    store.flush();
  } catch (error) {
    failImport(sandbox, model, error);
  } finally {
    await download?.close();
  }
}

function failImport(sandbox: Sandbox, model: ModelRecord, error: unknown): void {
  // Stopping the sandbox is not a failure, because the import is resumed at the next start.
  if (sandbox.stopSignal.aborted) return;
  const reason = error instanceof Error ? error.message : String(error);
  const url = model.importedFrom?.url ?? '';
  const importedFrom = { url, error: `The download failed: ${reason}` };
  sandbox.store.models.update(model, { importedFrom });
  sandbox.store.flush();
  sandbox.events.modelEndChanged(model);
}

function assertNotTooLarge({ limits }: Sandbox, { bytes }: Download): void {
  const maxBytes = limits.values.modelFileBytes;
  if (bytes !== undefined && bytes > maxBytes) {
    refuseInput(`url: the file has ${bytes} bytes; the maximum is ${maxBytes}`);
  }
}

function fileNameOf(url: URL): string {
  return decodePercent(url.pathname.slice(url.pathname.lastIndexOf('/') + 1));
}

function fileTypeOf(fileName: string): string {
  const dot = fileName.lastIndexOf('.');
  const result = FileType.safeParse(dot < 0 ? '' : fileName.slice(dot + 1).toLowerCase());
  if (result.success) return result.data;
  return refuseInput(
    'fileType: missing, and the path of the URL does not end with an extension of 1 to 8 letters or digits. Send fileType.',
  );
}
