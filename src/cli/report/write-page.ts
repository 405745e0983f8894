// Makes the page of a report with the pictures that this machine can reach.
import { dirname, join } from 'node:path';
import { openConnector } from '../../connectors/index.ts';
import { withLocalCopy } from '../../connectors/local-copy.ts';
import type { ConnectorSpec } from '../../plan/types.ts';
import { relativeLink } from '../../report/contact-sheet.ts';
import { makeThumbnail } from '../../report/contact-sheet-thumbnail.ts';
import type { Report } from '../../report/report.ts';
import { type CardSources, makeCards } from '../../report/report-cards.ts';
import { reportHtml } from '../../report/report-html.ts';
import type { PictureChanges } from '../../store/runs/picture-changes.ts';

/** Larger files are not fetched to be made small. */
const pictureBytesAtMost = 512 * 1024 ** 2;

interface Asked {
  report: Report;
  /** What was kept of pictures that the run has replaced; null where the records are out of reach. */
  changes: Pick<PictureChanges, 'read'> | null;
  /** null without an export. */
  destination: ConnectorSpec | null;
  /** Absolute path of the page. */
  page: string;
  signal: AbortSignal;
  onProgress: CardSources['onProgress'];
}

export async function makePage({
  report,
  destination,
  page,
  changes,
  ...asked
}: Asked): Promise<string> {
  const connector = destination && openConnector(destination);
  const { signal, onProgress } = asked;
  const { cards, left } = await makeCards(report.outputs, {
    link: (path) => linkTo(destination, page, path),
    onProgress,
    async before({ key, path }) {
      const kept = await changes?.read({ key, path: path ?? '' }).catch(() => null);
      return kept ? Buffer.from(kept.before, 'base64') : null;
    },
    async thumbnail(path, size) {
      signal.throwIfAborted();
      if (connector === null) return null;
      const options = { maxBytes: pictureBytesAtMost, signal };
      const shrink = (file: string) => makeThumbnail(file, size);
      // A picture that is gone or out of reach has no copy.
      return withLocalCopy(connector, path, options, shrink).catch(() => null);
    },
  });
  signal.throwIfAborted();
  return reportHtml(report, cards, left);
}

/** Files of other places than a folder have no address that a page could keep: signed ones grow old. */
function linkTo(destination: ConnectorSpec | null, page: string, path: string): string | null {
  const root = destination?.type === 'local' ? destination['path'] : null;
  if (typeof root !== 'string') return null;
  return relativeLink(dirname(page), join(root, path));
}
