// Creates the cards of a report. Thumbnails are embedded up to a limit, so that the page opens in any browser and fits
// into an email. Further cards show the delivered files themselves if the page can reach them.
import { type List, readRange } from '../plan/helpers/lazy-list.ts';
import type { ContactSheetCard } from './contact-sheet-card.ts';
import type { thumbnailSizes } from './contact-sheet-thumbnail.ts';
import type { ReportedOutput } from './report.ts';
import { captionOf, isOutputChanged, type ReportCard } from './report-gallery.ts';

/** Maximum number of cards. Browsers would be slow with more cards. */
export const maxCards = 10_000;
/** Maximum number of pictures decoded for a page. Each takes up to half a second. */
const maxDecoded = 1_500;
/** Maximum number of pictures with large thumbnails. If there are more pictures, all thumbnails are smaller. */
const maxLarge = 400;
/** Maximum size of all embedded thumbnails, before base64, which adds a third. */
const embeddedBytes = 16 * 1024 ** 2;
const maxReasonLength = 400;
const maxConcurrentPictures = 2;

export interface CardSources {
  /** Creates a thumbnail of a delivered picture. `replaced`: its file is another picture now. Null if there is none. */
  thumbnail: (
    output: ReportedOutput,
    size: keyof typeof thumbnailSizes,
  ) => Promise<Buffer | 'replaced' | null>;
  /** Reads a thumbnail (JPEG) of the picture that this one replaced. Null if none was kept. */
  previousThumbnail: (output: ReportedOutput) => Promise<Buffer | null>;
  /** Reads a thumbnail of a picture that waits for approval. Null if none was kept. */
  waitingThumbnail: (output: ReportedOutput) => Promise<Buffer | null>;
  /** Reads a small JPEG of an image that failed a check, with marks. Null if none was kept. */
  failedThumbnail: (output: ReportedOutput) => Promise<Buffer | null>;
  /** Returns the link from the page to a delivered file, or null if the page cannot reach it. */
  link: (path: string, delivery: string | undefined) => string | null;
  onProgress: (done: number, total: number) => void;
}

/** Creates the cards. `remaining` is the number of outputs without a card. */
export async function createCards(outputs: List<ReportedOutput>, sources: CardSources) {
  const shownOutputs = await readRange(outputs, 0, maxCards);
  const pictures = shownOutputs.filter(({ width }) => width > 0);
  const size = pictures.length > maxLarge ? 'small' : 'large';
  const queue = pictures.slice(0, maxDecoded).values();
  const thumbnails = new Map<ReportedOutput, Buffer>();
  const replacedOutputs = new Set<ReportedOutput>();
  const previousPictures = new Map<ReportedOutput, Buffer>();
  const { previousThumbnail, waitingThumbnail, failedThumbnail } = sources;
  const changedOutputs = shownOutputs
    .filter(isOutputChanged)
    .toSorted((a, b) => (b.change ?? 0) - (a.change ?? 0));
  await readCopies(changedOutputs, previousThumbnail, previousPictures, embeddedBytes / 2);
  const waitingOutputs = shownOutputs.filter(({ waitsFor }) => waitsFor !== null);
  // A quarter of the limit is reserved for pictures that failed a check.
  const waitingBytes = embeddedBytes * 0.75 - sumBytes(previousPictures);
  await readCopies(waitingOutputs, waitingThumbnail, thumbnails, waitingBytes);
  const failedOutputs = shownOutputs.filter(({ failure }) => failure !== null);
  await readCopies(failedOutputs, failedThumbnail, thumbnails, embeddedBytes / 4);
  let bytes = sumBytes(previousPictures) + sumBytes(thumbnails);
  let doneCount = 0;
  const readThumbnails = async (): Promise<void> => {
    for (const output of queue) {
      if (bytes >= embeddedBytes) return;
      const thumbnail = await sources.thumbnail(output, size);
      doneCount += 1;
      sources.onProgress(doneCount, Math.min(pictures.length, maxDecoded));
      if (thumbnail === 'replaced') replacedOutputs.add(output);
      if (!Buffer.isBuffer(thumbnail)) continue;
      bytes += thumbnail.length;
      thumbnails.set(output, thumbnail);
    }
  };
  await Promise.all(Array.from({ length: maxConcurrentPictures }, readThumbnails));
  const cards = shownOutputs.map((output): ReportCard => {
    const card = replacedOutputs.has(output)
      ? { ...cardFieldsOf(output), missing: 'replaced since' }
      : createCard(output, thumbnails.get(output), sources);
    const previousPicture = previousPictures.get(output);
    return { output, card, ...(previousPicture ? { previousThumbnail: previousPicture } : {}) };
  });
  return { cards, remaining: outputs.length - shownOutputs.length };
}

function sumBytes(pictures: ReadonlyMap<ReportedOutput, Buffer>): number {
  return [...pictures.values()].reduce((sum, { length }) => sum + length, 0);
}

/**
 * Reads the pictures of at most `maxDecoded` outputs into the map `into`, until their total size reaches `maxBytes`.
 */
async function readCopies(
  outputs: readonly ReportedOutput[],
  read: (output: ReportedOutput) => Promise<Buffer | null>,
  into: Map<ReportedOutput, Buffer>,
  maxBytes: number,
): Promise<void> {
  let bytes = 0;
  for (const output of outputs.slice(0, maxDecoded)) {
    if (bytes >= maxBytes) return;
    const copy = await read(output);
    if (copy === null) continue;
    bytes += copy.length;
    into.set(output, copy);
  }
}

function cardFieldsOf(output: ReportedOutput) {
  const { key, width, height } = output;
  return { key, caption: captionOf(output), width, height };
}

function createCard(
  output: ReportedOutput,
  thumbnail: Buffer | undefined,
  { link }: CardSources,
): ContactSheetCard {
  const { path, delivery, waitsFor, width, failure, outcome } = output;
  const card = cardFieldsOf(output);
  if (waitsFor !== null)
    return thumbnail ? { ...card, thumbnail } : { ...card, missing: 'waiting for approval' };
  if (path === null) {
    const reason = failure ? `${failure.code}: ${failure.message}` : outcome;
    const pictureFields = thumbnail ? { thumbnail } : {};
    return { ...card, ...pictureFields, failed: reason.slice(0, maxReasonLength) };
  }
  const address = link(path, delivery);
  const linkFields = address === null ? {} : { link: address };
  if (thumbnail) return { ...card, ...linkFields, thumbnail };
  // A file that browsers cannot show as a picture is represented by its file type.
  const isShown = width > 0 && /\.(?:png|jpe?g|webp|avif)$/i.test(path);
  if (isShown && address !== null) return { ...card, ...linkFields, source: address };
  return { ...card, ...linkFields, missing: path.split('.').at(-1)?.toUpperCase() ?? '' };
}
