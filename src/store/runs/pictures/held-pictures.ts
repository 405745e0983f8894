// New pictures that wait for approval, since they differ from the old pictures by more than their pipeline accepts.
import { JsonFolder } from '../../objects/json-folder.ts';
import type { JsonObjects } from '../../objects/json-objects.ts';
import { hashOf, runFolder } from '../../objects/object-name.ts';
import type { Decision } from './approvals.ts';
import { type ChangedFile, changedFileName } from './picture-changes.ts';

export interface HeldPicture extends ChangedFile {
  shard: number;
  /** Id of the export node. */
  node: string;
  /** sha256 (hex) of the new picture. */
  sha256: string;
  /** Share of the picture that differs, 0 to 1. */
  share: number;
  /** Small JPEG of the old picture, in base64. */
  before: string;
  /** Small JPEG of the new picture, in base64. */
  after: string;
  /** Absent while the picture waits for a decision. */
  decision?: Decision;
}

export class HeldPictures {
  readonly #pictures: JsonFolder<HeldPicture>;
  readonly #firstDecisions: JsonFolder<{ decision: Decision }>;

  constructor(objects: JsonObjects, run: string) {
    const folder = `${runFolder(run)}/held`;
    const decisionSchema = 'renderline/held-picture-decision/v1';
    this.#pictures = new JsonFolder(objects, folder, 'renderline/held-picture/v1');
    this.#firstDecisions = new JsonFolder(objects, `${folder}-decisions`, decisionSchema);
  }

  /** Stores a picture. An earlier one of the same file is replaced. */
  async write(picture: HeldPicture): Promise<void> {
    await this.#pictures.write(changedFileName(picture), picture);
  }

  read(file: ChangedFile): Promise<HeldPicture | null> {
    return this.#pictures.read(changedFileName(file));
  }

  /** Returns the pictures that wait for a decision, ordered by key and path. */
  async waiting(): Promise<HeldPicture[]> {
    return (await this.all()).filter(({ decision }) => decision === undefined);
  }

  /** Returns the pictures that wait and those that a person has decided about, ordered by key and path. */
  async all(): Promise<HeldPicture[]> {
    const pictures = await this.#pictures.readAll();
    const order = ({ key, path }: HeldPicture) => JSON.stringify([key, path]);
    return pictures.sort((a, b) => (order(a) < order(b) ? -1 : 1));
  }

  /**
   * Decides about exactly this picture, because a person must see what is approved. The first decision stands.
   * @returns the decision that stands, or null if another picture has replaced this one
   */
  async decide(picture: HeldPicture, decision: Decision): Promise<Decision | null> {
    const current = await this.read(picture);
    if (current?.sha256 !== picture.sha256) return null;
    if (current.decision !== undefined) return current.decision;
    const effectiveDecision = await this.#keepFirst(current, decision);
    await this.write({ ...current, decision: effectiveDecision });
    return effectiveDecision;
  }

  /** Returns the decision that stands. If several people decide at once, only one of them creates the object. */
  async #keepFirst({ key, path, sha256 }: HeldPicture, decision: Decision): Promise<Decision> {
    const name = hashOf(JSON.stringify([key, path, sha256]));
    const outcome = await this.#firstDecisions.write(name, { decision }, { ifAbsent: true });
    if (outcome === 'written') return decision;
    const earlierDecision = (await this.#firstDecisions.read(name))?.decision;
    // A person repeats a decision if the decided picture could not be written.
    const isRepeated =
      earlierDecision?.by === decision.by && earlierDecision.outcome === decision.outcome;
    return isRepeated ? decision : (earlierDecision ?? decision);
  }
}
