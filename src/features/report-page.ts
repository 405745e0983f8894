// Builds the HTML page of a report, with the pictures that this machine can reach.
import { basename, dirname, posix } from 'node:path';
import type { Connector } from '../connectors/connector.ts';
import { withLocalCopy } from '../connectors/disk/local-copy.ts';
import { openConnector } from '../connectors/index.ts';
import { memoize } from '../plan/helpers/memoize.ts';
import { createThumbnail } from '../report/contact-sheet-thumbnail.ts';
import type { Report } from '../report/report.ts';
import { type CardSources, createCards } from '../report/report-cards.ts';
import { reportHtml } from '../report/report-html.ts';
import { computeSha256 } from '../store/discovery/list-files.ts';
import type { FailedImages } from '../store/runs/pictures/failed-images.ts';
import type { HeldPictures } from '../store/runs/pictures/held-pictures.ts';
import type { PictureChanges } from '../store/runs/pictures/picture-changes.ts';

/** Maximum size of a file that gets a thumbnail. */
const maxPictureBytes = 512 * 1024 ** 2;

interface PageOptions {
  /** Number of files that the run has delivered. */
  files: number;
  /** Opens the connectors that may contain a file of this delivery, tried in order. Empty if unknown. */
  connectorsOf: (delivery: string | undefined) => readonly Connector[];
  /** Small copies of pictures that the run replaced. Null if the records cannot be read. */
  changes: Pick<PictureChanges, 'read'> | null;
  /** Pictures that wait for approval. Null if the records cannot be read. */
  held: Pick<HeldPictures, 'read'> | null;
  /** Marked images that failed a check. Null if the records cannot be read. */
  failed: Pick<FailedImages, 'read'> | null;
  /** Relative address of a delivered file. Null if the page cannot reach the files. */
  link: CardSources['link'];
  signal: AbortSignal;
  onProgress?: CardSources['onProgress'];
}

export async function buildReportPage(report: Report, options: PageOptions): Promise<string> {
  const { files, connectorsOf, changes, held, failed, link, signal } = options;
  const { onProgress = () => undefined } = options;
  const openedConnectorsOf = memoize(connectorsOf);
  const { cards, remaining } = await createCards(report.outputs, {
    link,
    onProgress,
    async previousThumbnail({ key, path, waitsFor }) {
      const pictures = waitsFor === null ? changes : held;
      const picture = await pictures?.read({ key, path: waitsFor ?? path ?? '' }).catch(() => null);
      return picture ? Buffer.from(picture.before, 'base64') : null;
    },
    async waitingThumbnail({ key, waitsFor }) {
      const heldPicture = await held?.read({ key, path: waitsFor ?? '' }).catch(() => null);
      return heldPicture ? Buffer.from(heldPicture.after, 'base64') : null;
    },
    async failedThumbnail({ key }) {
      const failedImage = await failed?.read(key).catch(() => null);
      return failedImage?.picture ?? null;
    },
    async thumbnail({ path, delivery, sha256 }, size) {
      signal.throwIfAborted();
      const options = { maxBytes: maxPictureBytes, signal };
      let isReplaced = false;
      const shrink = async (file: string) => {
        const local = openConnector({ type: 'local', path: dirname(file) });
        isReplaced = (await computeSha256(local, basename(file), signal)) !== sha256;
        return isReplaced ? null : createThumbnail(file, size);
      };
      for (const connector of openedConnectorsOf(delivery)) {
        const copy = withLocalCopy(connector, path ?? '', options, shrink);
        const thumbnail = await copy.catch(() => null);
        if (thumbnail !== null) return thumbnail;
      }
      // If not replaced, the picture was deleted or cannot be read.
      return isReplaced ? 'replaced' : null;
    },
  });
  signal.throwIfAborted();
  return reportHtml(report, cards, remaining, files);
}

/** Returns the relative link from a page to a file. Both paths are relative to the same root. */
export function linkBetween(page: string, path: string): string {
  const relativePath = posix.relative(posix.dirname(page), path);
  const link = relativePath.split('/').map(encodeURIComponent).join('/');
  return relativePath.startsWith('..') ? link : `./${link}`;
}
