// Encodes frames to an MP4 file with H.264, which browsers and common players support (docs/decisions/005).
import type { H264MP4Encoder } from 'h264-mp4-encoder';

/** Quantization from 10 (best) to 51 (smallest file). Losses are invisible at these sizes. */
const quantization = 27;
/** Encoder speed from 0 (smallest file) to 10. Frames are enlarged drawings, so slow encoding saves little. */
const speed = 10;

let videoNumber = 0;

export class VideoEncoder {
  readonly #encoder: H264MP4Encoder;

  private constructor(encoder: H264MP4Encoder) {
    this.#encoder = encoder;
  }

  /** @param size size in pixels, with even sides, and frames per second */
  static async open(size: {
    readonly width: number;
    readonly height: number;
    readonly framesPerSecond: number;
  }): Promise<VideoEncoder> {
    // The library is loaded for the first video, because it is a megabyte of code that most drawings do not need.
    const { default: library } = await import('h264-mp4-encoder');
    const encoder = await library.createH264MP4Encoder();
    videoNumber += 1;
    encoder.outputFilename = `video-${videoNumber}.mp4`;
    encoder.width = size.width;
    encoder.height = size.height;
    encoder.frameRate = size.framesPerSecond;
    encoder.groupOfPictures = size.framesPerSecond;
    encoder.quantizationParameter = quantization;
    encoder.speed = speed;
    encoder.initialize();
    return new VideoEncoder(encoder);
  }

  /** Adds a frame: r, g, b, a of each pixel. */
  add(frame: Uint8Array): void {
    this.#encoder.addFrameRgba(frame);
  }

  /** Returns the whole file. No frame may follow. */
  finish(): Buffer {
    this.#encoder.finalize();
    return Buffer.from(this.#encoder.FS.readFile(this.#encoder.outputFilename));
  }

  /** Frees the encoder's memory and its file. */
  close(): void {
    const { FS, outputFilename } = this.#encoder;
    this.#encoder.delete();
    // The in-memory file system is shared by all encoders of a thread.
    FS.unlink(outputFilename);
  }
}
