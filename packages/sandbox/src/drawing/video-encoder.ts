// Frames to an MP4 file with H.264, which every player and browser shows (docs/decisions/006).
import type { H264MP4Encoder } from 'h264-mp4-encoder';

/** Level of loss, 10 to 51: nothing is seen of it at these sizes, and files stay small. */
const quantization = 27;
/** From 0 to 10. Slower encoding saves little on pictures that were enlarged. */
const speed = 10;

let opened = 0;

export class VideoEncoder {
  readonly #encoder: H264MP4Encoder;

  private constructor(encoder: H264MP4Encoder) {
    this.#encoder = encoder;
  }

  /** @param size Pixels, both even; frames a second. */
  static async open(size: {
    readonly width: number;
    readonly height: number;
    readonly framesPerSecond: number;
  }): Promise<VideoEncoder> {
    // Loaded by the first video only: it is a megabyte of code that most drawing never needs.
    const { default: library } = await import('h264-mp4-encoder');
    const encoder = await library.createH264MP4Encoder();
    opened += 1;
    encoder.outputFilename = `video-${opened}.mp4`;
    encoder.width = size.width;
    encoder.height = size.height;
    encoder.frameRate = size.framesPerSecond;
    encoder.groupOfPictures = size.framesPerSecond;
    encoder.quantizationParameter = quantization;
    encoder.speed = speed;
    encoder.initialize();
    return new VideoEncoder(encoder);
  }

  /** One frame: r, g, b, a for each pixel. */
  add(frame: Uint8Array): void {
    this.#encoder.addFrameRgba(frame);
  }

  /** The whole file; no frame may follow. */
  finish(): Buffer {
    this.#encoder.finalize();
    return Buffer.from(this.#encoder.FS.readFile(this.#encoder.outputFilename));
  }

  /** Frees what the encoder holds, its file included. */
  close(): void {
    const { FS, outputFilename } = this.#encoder;
    this.#encoder.delete();
    // The file system is shared by all encoders of a thread and lives in memory.
    FS.unlink(outputFilename);
  }
}
