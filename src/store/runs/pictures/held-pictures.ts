// New pictures that wait for approval, since they differ from the old pictures by more than their pipeline accepts.
import type { JsonObjects } from '../../objects/json-objects.ts';
import { encodeKey, hashOf } from '../../objects/object-name.ts';
import type { Decision } from './approvals.ts';
import type { ChangedFile } from './picture-changes.ts';

const schema = 'renderline/held-picture/v1';
const decisionSchema = 'renderline/held-picture-decision/v1';

export interface HeldPicture extends ChangedFile {
  shard: number;
  /** Id of the export node. */
  node: string;
  /** sha256 (hex) of the new picture. */
  sha256: string;
  /** Share of the picture that differs, 0 to 1. */
  share: number;
  /** Small JPEG of the old picture, base64. */
  before: string;
  /** Small JPEG of the new picture, base64. */
  after: string;
  /** Absent while the picture waits for a decision. */
  decision?: Decision;
}

interface StoredPicture extends HeldPicture {
  schema: typeof schema;
}

interface FirstDecision {
  schema: typeof decisionSchema;
  decision: Decision;
}

export class HeldPictures {
  readonly #objects: JsonObjects;
  readonly #folder: string;

  constructor(objects: JsonObjects, run: string) {
    this.#objects = objects;
    this.#folder = `runs/${encodeKey(run)}/held`;
  }

  /** Stores a picture; an earlier one of the same file is replaced. */
  async write(picture: HeldPicture): Promise<void> {
    await this.#objects.write(this.#pathOf(picture), {
      schema,
      ...picture,
    } satisfies StoredPicture);
  }

  read(file: ChangedFile): Promise<HeldPicture | null> {
    return this.#objects.read<StoredPicture>(this.#pathOf(file), schema);
  }

  /** Pictures that wait for a decision, ordered by key and path. */
  async waiting(): Promise<HeldPicture[]> {
    return (await this.all()).filter(({ decision }) => decision === undefined);
  }

  /** Pictures that wait and those that a person has decided about, ordered by key and path. */
  async all(): Promise<HeldPicture[]> {
    const pictures = await this.#objects.readAll<StoredPicture>(this.#folder, schema);
    const order = ({ key, path }: HeldPicture) => JSON.stringify([key, path]);
    return pictures.sort((a, b) => (order(a) < order(b) ? -1 : 1));
  }

  /**
   * Decides about exactly this picture, since a person must see what is approved. The first decision stands.
   * @returns the decision that stands; null if another picture has taken the place of this one
   */
  async decide(picture: HeldPicture, decision: Decision): Promise<Decision | null> {
    const current = await this.read(picture);
    if (current?.sha256 !== picture.sha256) return null;
    if (current.decision !== undefined) return current.decision;
    const effectiveDecision = await this.#keepFirst(current, decision);
    await this.write({ ...current, decision: effectiveDecision });
    return effectiveDecision;
  }

  /** The decision that stands: of several people who decide at once, only one creates the object. */
  async #keepFirst({ key, path, sha256 }: HeldPicture, decision: Decision): Promise<Decision> {
    const name = hashOf(JSON.stringify([key, path, sha256]));
    const file = `${this.#folder}-decisions/${name}.json`;
    const first: FirstDecision = { schema: decisionSchema, decision };
    const outcome = await this.#objects.write(file, first, { ifAbsent: true, durable: true });
    if (outcome === 'written') return decision;
    const earlierDecision = (await this.#objects.read<FirstDecision>(file, decisionSchema))
      ?.decision;
    // A person repeats a decision if the decided picture could not be written.
    const isRepeated =
      earlierDecision?.by === decision.by && earlierDecision.outcome === decision.outcome;
    return isRepeated ? decision : (earlierDecision ?? decision);
  }

  #pathOf({ key, path }: ChangedFile): string {
    return `${this.#folder}/${hashOf(JSON.stringify([key, path]))}.json`;
  }
}
