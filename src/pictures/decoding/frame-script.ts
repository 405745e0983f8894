// The part of the decoder program that frames an object: it crops the object, scales it down and pads it.
import { maxFrameSide } from '../image-spec.ts';

/** Maximum difference from the background, in levels (of 255), of a pixel that does not count as part of the object. */
export const visibleLevels = 4;

/**
 * The object consists of the pixels that are not transparent or, if the edges are opaque, that differ from a background
 * of one colour. Without such pixels, or if the edges have several colours, the whole picture counts as the object, and
 * the checks of the image report the problem.
 */
export const frameScript = `
// Returns the bounds of all pixels for which the test is true. Null if there are none.
function boundsOf(width, height, isObject) {
  let [left, top, right, bottom] = [width, height, -1, -1];
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      if (!isObject((y * width + x) * 4)) continue;
      if (x < left) left = x;
      if (x > right) right = x;
      if (y < top) top = y;
      bottom = y;
    }
  }
  return right < 0 ? null : { left, top, width: right - left + 1, height: bottom - top + 1 };
}

const differs = (data, at, color, levels) =>
  Math.abs(data[at] - color[0]) > levels || Math.abs(data[at + 1] - color[1]) > levels || Math.abs(data[at + 2] - color[2]) > levels;

function* edgesOf(width, height) {
  for (let x = 0; x < width; x += 1) {
    yield x * 4;
    if (height > 1) yield ((height - 1) * width + x) * 4;
  }
  for (let y = 1; y < height - 1; y += 1) {
    yield y * width * 4;
    if (width > 1) yield (y * width + width - 1) * 4;
  }
}

const hexOf = (levels) => '#' + levels.map((level) => level.toString(16).padStart(2, '0')).join('');

function objectIn({ data, info: { width, height } }) {
  const whole = { left: 0, top: 0, width, height };
  const edges = [...edgesOf(width, height)];
  if (edges.some((at) => data[at + 3] < 255)) {
    return { box: boundsOf(width, height, (at) => data[at + 3] > ${visibleLevels * 2}) ?? whole, own: null };
  }
  const color = [data[0], data[1], data[2]];
  if (edges.some((at) => differs(data, at, color, ${visibleLevels}))) return { box: whole, own: null };
  return { box: boundsOf(width, height, (at) => differs(data, at, color, ${visibleLevels})) ?? whole, own: hexOf(color) };
}

async function framed(picture, { maxSide = ${maxFrameSide}, square = false, fill }, background) {
  const raw = await picture.ensureAlpha().toColourspace('srgb').raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true });
  const { box, own } = objectIn(raw);
  const whole = { left: 0, top: 0, width: raw.info.width, height: raw.info.height };
  const part = fill === undefined ? whole : box;
  const share = fill ?? 1;
  const longest = Math.max(part.width, part.height);
  const side = Math.min(maxSide, Math.floor(longest / share));
  const inner = Math.min(longest, Math.floor(side * share));
  const scaled = (length) => Math.max(1, Math.round((length * inner) / longest));
  const size = { width: scaled(part.width), height: scaled(part.height) };
  const frame = square ? { width: side, height: side } : { width: grown(size.width, share), height: grown(size.height, share) };
  const [left, top] = [Math.floor((frame.width - size.width) / 2), Math.floor((frame.height - size.height) / 2)];
  const around = own ?? background;
  let cut = again(raw).extract(part).resize({ ...size, fit: 'fill' });
  if (background !== clear) cut = cut.flatten({ background });
  else if (isOpaque(raw)) cut = cut.removeAlpha();
  const pads = { left, top, right: frame.width - size.width - left, bottom: frame.height - size.height - top };
  const padded = await cut.extend({ ...pads, background: around }).raw().toBuffer({ resolveWithObject: true });
  const isOwnBackground = own === null && isOpaque(raw);
  return { frame: again(padded), inner: isOwnBackground ? { left, top, ...size } : undefined };
}

function isOpaque({ data }) {
  for (let at = 3; at < data.length; at += 4) if (data[at] < 255) return false;
  return true;
}

const grown = (length, share) => Math.floor(length / share);
`;
