// Drawing jobs and the messages between server and drawing threads.

import type { MaterialSwap } from '../materials/material-swap.ts';
import type { PictureFormat } from '../pictures/encode.ts';
import type { TemplateLook } from '../templates.ts';
import type { Film } from '../video/film.ts';

/** A picture of a model. Plain data, since it crosses a thread boundary. */
export type DrawSpec = {
  /** Identifies the content: equal ids are read and parsed once. */
  readonly modelId: string;
  /** File extension without dot. 'glb' and 'gltf' are drawn. Others are replaced by a placeholder. */
  readonly fileType: string;
  /** Shown on placeholders. */
  readonly name: string;
  readonly look: TemplateLook;
  readonly bookmark?: string | undefined;
  readonly width: number;
  readonly height: number;
  readonly format: PictureFormat;
  /** If set, a video (MP4) is created. Width and height are then the size of its frames. */
  readonly film?: Film | undefined;
  readonly variant?: string | undefined;
  readonly swaps?: readonly MaterialSwap[] | undefined;
};

export type DrawJob = DrawSpec & {
  /** Reads the model's bytes. Called only if the model is not in memory. */
  readonly read: () => Promise<Uint8Array>;
};

/** Message to a thread. `bytes` is present only after the thread has asked for them. */
export type DrawRequest = {
  readonly id: number;
  readonly spec: DrawSpec;
  readonly bytes?: Uint8Array | undefined;
};

/** Message from a thread. */
export type DrawReply =
  | { readonly id: number; readonly kind: 'need-bytes' }
  | { readonly id: number; readonly kind: 'done'; readonly bytes: Uint8Array }
  | {
      readonly id: number;
      readonly kind: 'failed';
      readonly code: string;
      readonly message: string;
    };

/** Thrown if a picture could not be drawn. `code` says why: a code of the inspection, TIMED_OUT, THREAD_DIED … */
export class DrawError extends Error {
  override name = 'DrawError';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export function toDrawError(error: unknown): DrawError {
  if (error instanceof DrawError) return error;
  const cause = error instanceof Error ? error : new Error(String(error));
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : 'DRAW_FAILED';
  return new DrawError(code, cause.message);
}
