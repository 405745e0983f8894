// Folders that are held open for a moment, since several things are done in the same ones: opening a folder anew for each
// costs as much as the thing itself.
import type { FileHandle } from 'node:fs/promises';

/** Open files are scarce, and a folder that is held cannot be unmounted. */
const heldAtMost = 16;
const idleMs = 500;

interface Held {
  readonly handle: Promise<FileHandle>;
  users: number;
  /** Nobody takes it any more; it is closed by its last user. */
  isLetGo: boolean;
  timer: NodeJS.Timeout | null;
}

export class HeldFolders {
  readonly #held = new Map<string, Held>();

  /**
   * @param open called where the folder is not held
   * @param work gets the handle, which stays open until it ends
   */
  async use<T>(
    folder: string,
    open: () => Promise<FileHandle>,
    work: (handle: FileHandle) => Promise<T>,
  ): Promise<T> {
    const held = this.#held.get(folder) ?? this.#hold(folder, open);
    held.users += 1;
    if (held.timer !== null) clearTimeout(held.timer);
    held.timer = null;
    try {
      return await work(await held.handle);
    } finally {
      held.users -= 1;
      if (held.users === 0) this.#rest(folder, held);
    }
  }

  /** Lets go of a folder that may not be the one of its name any more. */
  forget(folder: string): void {
    const held = this.#held.get(folder);
    if (held) this.#letGo(folder, held);
  }

  #hold(folder: string, open: () => Promise<FileHandle>): Held {
    const held: Held = { handle: open(), users: 0, isLetGo: false, timer: null };
    this.#held.set(folder, held);
    held.handle.catch(() => this.#letGo(folder, held));
    const [oldest] = this.#held;
    if (this.#held.size > heldAtMost && oldest) this.#letGo(...oldest);
    return held;
  }

  #rest(folder: string, held: Held): void {
    if (held.isLetGo) return close(held);
    held.timer = setTimeout(() => this.#letGo(folder, held), idleMs).unref();
  }

  #letGo(folder: string, held: Held): void {
    if (held.isLetGo) return;
    held.isLetGo = true;
    if (this.#held.get(folder) === held) this.#held.delete(folder);
    if (held.timer !== null) clearTimeout(held.timer);
    if (held.users === 0) close(held);
  }
}

/** A folder that could not be opened has nothing to close. */
function close({ handle }: Held): void {
  handle.then((open) => open.close()).catch(() => undefined);
}
