// The part of the decoder program that derives an image in another format or size.
import { defaultQuality, minQuality } from '../image-spec.ts';

/**
 * If a 16-bit picture has no profile, sharp assumes Display P3 and reads the background with 8 bits, so white would
 * be light grey. This script therefore draws the background and adds the profile itself. An effort above 2 makes AVIF
 * several times slower and saves a twentieth of the bytes. From quality 90, JPEGs keep full colour resolution, so
 * compression changes the background only up to 8 pixels from the object, instead of 16.
 */
export const deriveScript = `
const usualQuality = ${JSON.stringify(defaultQuality)};
const clear = { r: 0, g: 0, b: 0, alpha: 0 };
const refused = (reason, message) => ({ kind: 'refused', reason, message });

function encoded(picture, format, quality, profile = 'srgb') {
  const profiled = profile === null ? picture : picture.withIccProfile(profile);
  if (format === 'JPEG') return profiled.jpeg({ quality, chromaSubsampling: quality < 90 ? '4:2:0' : '4:4:4' });
  if (format === 'WEBP') return profiled.webp({ quality });
  if (format === 'AVIF') return profiled.avif({ quality, effort: 2 });
  if (format === 'TIFF') return profiled.tiff({ compression: 'lzw', predictor: 'horizontal' });
  return profiled.png();
}

async function derive({ file, pixels, format: from, derive: { image, into } }) {
  const { format, fit = 'inside', padding = 0, bits = 8, maxBytes } = image;
  const failOn = from === 'tiff' ? 'error' : 'truncated';
  const open = () => sharp(file, { failOn, limitInputPixels: pixels }).autoOrient();
  const { autoOrient: original, depth, hasProfile, hasAlpha } = await open().metadata();
  const inSrgb = (picture) => (depth === 'ushort' && hasProfile ? picture.withIccProfile('srgb') : picture);
  if (bits === 16 && depth !== 'ushort') return refused('BITS', 'has 8 bits per channel, not 16');
  const box = {};
  for (const side of ['width', 'height']) if (image[side]) box[side] = image[side] - 2 * padding;
  const scales = Object.entries(box).map(([side, length]) => length / original[side]);
  const scale = scales.length === 0 ? 1 : fit === 'cover' ? Math.max(...scales) : Math.min(...scales);
  if (scale > 1) {
    const wanted = [box.width ?? 'any', box.height ?? 'any'].join(' x ');
    return refused('LARGER', 'is ' + original.width + ' x ' + original.height + ' pixels, smaller than ' + wanted);
  }
  const { background = format === 'JPEG' ? '#ffffff' : undefined } = image;
  const fill = background === undefined || background === 'transparent' ? clear : background;
  const quality = image.quality ?? usualQuality[format] ?? null;
  if (image.maxSide || image.square || image.fill) {
    const { frame, inner } = await framed(inSrgb(open()), image, fill);
    return { ...(await written(frame.toColourspace('srgb'), { format, quality, maxBytes }, into)), inner };
  }
  const shrunk = (picture, how) => (scales.length > 0 ? picture.resize({ ...box, ...how }) : picture);
  if (bits === 16) {
    const picture = shrunk(inSrgb(open()), { fit: fit === 'contain' ? 'inside' : fit });
    return deepTiff(await onCanvas(picture, fit === 'contain' ? image : null, fill), into);
  }
  let picture = shrunk(fill === clear ? inSrgb(open()) : inSrgb(open()).flatten({ background: fill }), { fit, background: fill });
  if (padding > 0) {
    picture = picture.extend({ top: padding, bottom: padding, left: padding, right: padding, background: fill });
  }
  picture = picture.toColourspace('srgb');
  if (depth === 'ushort') picture = again(await picture.raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true }));
  const made = await written(picture, { format, quality, maxBytes }, into);
  const hasOwnBackground = fit === 'contain' && (!hasAlpha || (await open().stats()).isOpaque);
  return { ...made, inner: hasOwnBackground ? containedIn(made, original, scale) : undefined };
}

// Where the picture lies in a padded image.
function containedIn(made, original, scale) {
  const [width, height] = [Math.floor(original.width * scale), Math.floor(original.height * scale)];
  return { left: Math.ceil((made.width - width) / 2), top: Math.ceil((made.height - height) / 2), width, height };
}

async function written(picture, { format, quality, maxBytes }, into) {
  if (maxBytes !== undefined) return withinBytes(picture, { format, quality, maxBytes }, into);
  const { width, height, size } = await encoded(picture, format, quality).toFile(into);
  return { kind: 'derived', width, height, bytes: size, quality };
}

const again = ({ data, info: raw }) => sharp(data, { raw });

// Binary search for the best quality whose file fits maxBytes.
async function withinBytes(picture, { format, quality, maxBytes }, into) {
  const { data, info: raw } = await picture.raw().toBuffer({ resolveWithObject: true });
  const { width, height } = raw;
  const at = (level) => encoded(sharp(data, { raw }), format, level).toBuffer();
  let [low, high] = [Math.min(${minQuality}, quality), quality];
  let best = { level: high, bytes: await at(high) };
  if (best.bytes.length > maxBytes) {
    best = { level: low, bytes: await at(low) };
    if (best.bytes.length > maxBytes) {
      return refused('BYTES', 'has ' + best.bytes.length + ' bytes at quality ' + low + ', more than ' + maxBytes);
    }
    while (high - low > 1) {
      const level = Math.floor((low + high) / 2);
      const bytes = await at(level);
      if (bytes.length > maxBytes) high = level;
      else {
        low = level;
        best = { level, bytes };
      }
    }
  }
  await require('node:fs/promises').writeFile(into, best.bytes);
  return { kind: 'derived', width, height, bytes: best.bytes.length, quality: best.level };
}

// Centers a 16-bit picture on a background of the requested size.
async function onCanvas(picture, size, fill) {
  const { data, info } = await picture
    .toColourspace('rgb16')
    .raw({ depth: 'ushort' })
    .toBuffer({ resolveWithObject: true });
  const isClear = fill === clear;
  if (size === null && (isClear || info.channels === 3)) return { words: wordsOf(data), ...info };
  const { width, height } = size ?? info;
  const channels = isClear ? 4 : 3;
  const levels = isClear ? [0, 0, 0] : [1, 3, 5].map((at) => parseInt(fill.slice(at, at + 2), 16) * 257);
  const from = wordsOf(data);
  const to = new Uint16Array(width * height * channels);
  if (!isClear) for (let at = 0; at < to.length; at += 1) to[at] = levels[at % 3];
  const [left, top] = [Math.floor((width - info.width) / 2), Math.floor((height - info.height) / 2)];
  for (let y = 0; y < info.height; y += 1) {
    for (let x = 0; x < info.width; x += 1) {
      const source = (y * info.width + x) * info.channels;
      const target = ((y + top) * width + x + left) * channels;
      const alpha = info.channels === 4 ? from[source + 3] : 65535;
      const share = isClear ? 1 : alpha / 65535;
      for (let channel = 0; channel < 3; channel += 1) {
        to[target + channel] = Math.round(from[source + channel] * share + levels[channel] * (1 - share));
      }
      if (isClear) to[target + 3] = alpha;
    }
  }
  return { words: to, width, height, channels };
}

const wordsOf = (data) => new Uint16Array(data.buffer, data.byteOffset, data.length / 2);

async function deepTiff({ words, width, height, channels }, into) {
  const { readFile, writeFile } = require('node:fs/promises');
  await sharp({ create: { width: 1, height: 1, channels: 3, background: '#ffffff' } })
    .withIccProfile('srgb')
    .png()
    .toFile(into);
  const { icc } = await sharp(into).metadata();
  await encoded(sharp(words, { raw: { width, height, channels } }).toColourspace('rgb16'), 'TIFF', null, null).toFile(into);
  const bytes = withProfile(await readFile(into), icc);
  await writeFile(into, bytes);
  return { kind: 'derived', width, height, bytes: bytes.length, quality: null };
}

// Returns the TIFF with its directory rewritten at its end, where the profile has an entry.
function withProfile(tiff, icc) {
  const isLittle = tiff.toString('latin1', 0, 2) === 'II';
  const [read16, read32] = isLittle ? ['readUInt16LE', 'readUInt32LE'] : ['readUInt16BE', 'readUInt32BE'];
  const [write16, write32] = isLittle ? ['writeUInt16LE', 'writeUInt32LE'] : ['writeUInt16BE', 'writeUInt32BE'];
  const even = (length) => length + (length % 2);
  const from = tiff[read32](4);
  const entries = [];
  for (let index = 0; index < tiff[read16](from); index += 1) {
    entries.push(tiff.subarray(from + 2 + 12 * index, from + 14 + 12 * index));
  }
  const profileAt = even(tiff.length);
  const entry = Buffer.alloc(12);
  entry[write16](34675, 0);
  entry[write16](7, 2);
  entry[write32](icc.length, 4);
  entry[write32](profileAt, 8);
  const all = [...entries, entry].sort((one, other) => one[read16](0) - other[read16](0));
  const directoryAt = profileAt + even(icc.length);
  const whole = Buffer.alloc(directoryAt + 2 + 12 * all.length + 4);
  tiff.copy(whole);
  icc.copy(whole, profileAt);
  whole[write32](directoryAt, 4);
  whole[write16](all.length, directoryAt);
  for (const [index, one] of all.entries()) one.copy(whole, directoryAt + 2 + 12 * index);
  return whole;
}
`;
