// Drawing jobs, and the messages between server and drawing threads.
import type { PictureFormat } from './encode.ts';
import type { Film } from './film.ts';
import type { MaterialSwap } from './material-swap.ts';
import type { TemplateLook } from './templates.ts';

/** One picture of one model. Plain data: it crosses a thread boundary. */
export type DrawSpec = {
  /** Names the content: equal ids are read and parsed once. */
  readonly modelId: string;
  /** Bare extension; 'glb' and 'gltf' are drawn, others get a placeholder. */
  readonly fileType: string;
  /** Shown on placeholders. */
  readonly name: string;
  readonly look: TemplateLook;
  readonly bookmark?: string | undefined;
  readonly width: number;
  readonly height: number;
  readonly format: PictureFormat;
  /** Makes a video (MP4) in place of a picture; width and height are then those of its drawing. */
  readonly film?: Film | undefined;
  readonly variant?: string | undefined;
  readonly swaps?: readonly MaterialSwap[] | undefined;
};

export type DrawJob = DrawSpec & {
  /** The model's bytes; asked for only when the model is not in memory. */
  readonly read: () => Promise<Uint8Array>;
};

export type Drawing = {
  readonly bytes: Buffer;
  readonly width: number;
  readonly height: number;
  /** True when the picture says that the model was not drawn. */
  readonly placeholder: boolean;
};

/** Server to thread. `bytes` is present only after the thread asked for them. */
export type DrawRequest = {
  readonly id: number;
  readonly spec: DrawSpec;
  readonly bytes?: Uint8Array | undefined;
};

/** Thread to server. */
export type DrawReply =
  | { readonly id: number; readonly kind: 'need-bytes' }
  | {
      readonly id: number;
      readonly kind: 'done';
      readonly bytes: Uint8Array;
      readonly placeholder: boolean;
    }
  | {
      readonly id: number;
      readonly kind: 'failed';
      readonly name: string;
      readonly code: string;
      readonly message: string;
    };

/** A picture could not be drawn; `code` says why (those of the look, TIMED_OUT, THREAD_DIED …). */
export class DrawError extends Error {
  override name = 'DrawError';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
