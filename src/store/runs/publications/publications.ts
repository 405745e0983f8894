// The order in which runs write a pipeline's manifests, and what the last ones listed. Each attempt takes a number
// before it reads the records, so an attempt with a higher number has read newer ones. No attempt waits for another. An
// attempt that finds a higher number being written starts over, so the file that is written last is never an older one.
import { JsonFolder } from '../../objects/json-folder.ts';
import type { JsonObjects } from '../../objects/json-objects.ts';
import { encodeKey, numberName } from '../../objects/object-name.ts';

const folder = 'manifests';
/** A page is written once the JSON of its assets has this many bytes. */
const pageBytes = 2 * 1024 * 1024;

type State = 'begun' | 'writing' | 'done';

interface Mark {
  run: string;
  before: number | null;
}

/** One attempt to write all manifests. */
export interface Publication {
  number: number;
  /** The last publication of another run, which this one is compared with. Null if there is none. */
  before: number | null;
}

/** A file as a manifest lists it. */
export interface PublishedFile {
  path: string;
  sha256: string;
  /** Output and image that the file shows, whatever its path. */
  shows: string;
  cells: (string | number | boolean | null)[];
}

export interface PublishedAsset {
  /** Encoded key of the asset. */
  name: string;
  files: PublishedFile[];
}

interface Page {
  columns: string[];
  assets: PublishedAsset[];
}

export class Publications {
  readonly #numberMarks: JsonFolder<Mark>;
  readonly #pages: JsonFolder<Page>;
  readonly #run: string;

  constructor(objects: JsonObjects, run: string) {
    this.#numberMarks = new JsonFolder(objects, folder, 'renderline/publication/v1');
    this.#pages = new JsonFolder(objects, folder, 'renderline/published-files/v1');
    this.#run = run;
  }

  async begin(): Promise<Publication> {
    for (;;) {
      const marks = await this.#marks();
      const previousNumber = await this.#lastOfOthers(
        marks.filter(({ state }) => state === 'done'),
      );
      const number = Math.max(0, ...marks.map((mark) => mark.number)) + 1;
      const outcome = await this.#mark({ number, before: previousNumber }, 'begun', {
        ifAbsent: true,
      });
      if (outcome === 'written') return { number, before: previousNumber };
    }
  }

  /** True if an attempt that started later is writing, or has written. */
  async isOvertaken({ number }: Publication): Promise<boolean> {
    const marks = await this.#marks();
    return marks.some((mark) => mark.state === 'writing' && mark.number > number);
  }

  /** Marks a publication as being written. Must be called before the first file gets its name. */
  async startWriting(publication: Publication): Promise<void> {
    await this.#mark(publication, 'writing');
  }

  /** Marks a publication as done, so that later runs compare with it. Removes older ones that no run needs. */
  async complete(publication: Publication): Promise<void> {
    await this.#mark(publication, 'done');
    const oldest = publication.before ?? publication.number;
    // The listing contains the marks and the pages.
    for (const name of await this.#pages.names()) {
      if (Number.parseInt(name, 10) < oldest) await this.#pages.remove(name);
    }
  }

  /** Yields the files of a node in an earlier publication, by asset and in order. Empty if `number` is null. */
  async *read(number: number | null, node: string, columns: readonly string[]) {
    if (number === null) return;
    for (let page = 0; ; page += 1) {
      const storedPage = await this.#pages.read(pageName(number, node, page));
      if (storedPage === null) return;
      const order = columns.map((column) => storedPage.columns.indexOf(column));
      const isSameOrder =
        storedPage.columns.length === order.length &&
        order.every((index, position) => index === position);
      for (const { name, files } of storedPage.assets) {
        const inOrder = (cells: PublishedFile['cells']) =>
          isSameOrder ? cells : order.map((index) => cells[index] ?? null);
        yield { name, files: files.map((file) => ({ ...file, cells: inOrder(file.cells) })) };
      }
    }
  }

  /** Stores the files of a node for the next run. Assets must be added in their order. */
  writer({ number }: Publication, node: string, columns: string[]): PublicationWriter {
    return new PublicationWriter((page, assets) =>
      this.#pages.write(pageName(number, node, page), { columns, assets }),
    );
  }

  async #marks(): Promise<{ number: number; state: string }[]> {
    const names = await this.#numberMarks.names();
    return names.flatMap((name) => {
      const [, number, state = ''] = /^(\d+)\.(\w+)$/.exec(name) ?? [];
      return number === undefined ? [] : [{ number: Number(number), state }];
    });
  }

  /**
   * Returns the number of the newest finished publication of another run, or null. A repeated attempt therefore
   * compares with the same publication as the first one.
   */
  async #lastOfOthers(finishedMarks: readonly { number: number }[]): Promise<number | null> {
    if (finishedMarks.length === 0) return null;
    const number = Math.max(...finishedMarks.map((mark) => mark.number));
    const last = await this.#numberMarks.read(markName(number, 'done'));
    return last?.run === this.#run ? last.before : number;
  }

  async #mark({ number, before }: Publication, state: State, options?: { ifAbsent: boolean }) {
    return this.#numberMarks.write(markName(number, state), { run: this.#run, before }, options);
  }
}

export class PublicationWriter {
  readonly #write: (page: number, assets: PublishedAsset[]) => Promise<unknown>;
  #pendingAssets: PublishedAsset[] = [];
  #bytes = 0;
  #page = 0;

  constructor(write: (page: number, assets: PublishedAsset[]) => Promise<unknown>) {
    this.#write = write;
  }

  async add(asset: PublishedAsset): Promise<void> {
    this.#pendingAssets.push(asset);
    this.#bytes += Buffer.byteLength(JSON.stringify(asset));
    if (this.#bytes >= pageBytes) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.#pendingAssets.length === 0) return;
    await this.#write(this.#page, this.#pendingAssets);
    [this.#pendingAssets, this.#bytes] = [[], 0];
    this.#page += 1;
  }
}

function markName(number: number, state: State): string {
  return `${numberName(number, 6)}.${state}`;
}

function pageName(number: number, node: string, page: number): string {
  return `${numberName(number, 6)}/${encodeKey(node)}/${numberName(page, 6)}`;
}
