// The part of the decoder program that measures a finished image, and marks the pixels that fail a check.
import { visibleLevels } from './frame-script.ts';

/** Side in pixels of the blocks in which JPEG and WebP compress. White stays white in blocks without the object. */
const blockSide = 16;
/** Maximum step of the background from one pixel to the next, of 255. The outline of a pale object is larger. */
const maxStep = 3;
/** Maximum difference of pixels around the object from the background. 0 at the edges, except next to the object. */
const noiseLevels = 2;
/** Maximum change from compression at edges whose block contains the object. Studio backdrops differ by more. */
const ringingLevels = 12;
/** Minimum alpha of the object in a transparent picture. Shadows and the antialiased outline have less. */
const minObjectAlpha = 250;
/** Maximum side in pixels of the copy that shows marks. */
const markedBox = 400;

/**
 * Walks inwards from each pixel at the edges. Pixels count as background until one differs from the previous pixel by
 * more than `maxStep`: a soft shadow or a gradient is background, but a pale object is not. An object of the same colour
 * as the background is found only with an `outline`. WebP and HEIF may be decoded only here, because this program has
 * written the image.
 */
export const measureScript = `
const ownFormats = { operation: ['VipsForeignLoadWebpFile', 'VipsForeignLoadHeifFile'] };

async function measure({ file, pixels, measure: { background, mark, inner, outline } }) {
  sharp.unblock(ownFormats);
  try {
    const open = () => sharp(file, { failOn: 'error', limitInputPixels: pixels, ignoreIcc: true });
    const { hasAlpha, icc } = await open().metadata();
    const { data, info } = await open()
      .ensureAlpha()
      .toColourspace('srgb')
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true });
    const { width, height } = info;
    const wanted = background === undefined ? null : [1, 3, 5].map((at) => parseInt(background.slice(at, at + 2), 16));
    if (hasAlpha) flattenOn(data, wanted ?? [255, 255, 255]);
    // In a padded picture, the edges of the original (inner) are measured, one pixel inside. The rest is padding.
    const area = inner === undefined ? { left: 0, top: 0, width, height } : inside(inner);
    const edges = [...edgesOf(area.width, area.height)].map((at) => {
      const pixel = at / 4;
      return ((Math.floor(pixel / area.width) + area.top) * width + (pixel % area.width) + area.left) * 4;
    });
    const edge = mostFrequent(data, edges);
    const color = wanted ?? edge;
    const alpha = outline === undefined ? null : await alphaOf(outline, edges);
    const isVisible = (at) => (alpha ? alpha[at / 4] > ${visibleLevels * 2} : differs(data, at, color, ${visibleLevels}));
    const object = boundsOf(width, height, isVisible);
    const fill = object === null ? 0 : Math.max(object.width / width, object.height / height);
    const around = surroundings(data, width, height, { area, edges, color, alpha });
    const measures = {
      width,
      height,
      hasAlpha,
      isSrgb: icc !== undefined && icc.toString('latin1').replaceAll('\\0', '').includes('sRGB'),
      edge: hexOf(edge),
      edgeMismatchShare: around.edgeMismatchShare,
      surroundMismatchShare: around.off / Math.max(1, around.counted),
      fill,
    };
    if (mark === undefined) return { kind: 'measured', measures };
    const marks = { background: around, fill: { object }, nothing: {} };
    return { kind: 'measured', measures, marked: await marked(data, width, height, marks[mark]) };
  } finally {
    sharp.block(ownFormats);
  }
}

// Returns the alpha of each pixel. Null if the edges are opaque, so that the background is part of the picture.
async function alphaOf(outline, edges) {
  const alpha = await sharp(outline).ensureAlpha().extractChannel('alpha').raw({ depth: 'uchar' }).toBuffer();
  return edges.some((at) => alpha[at / 4] < 255) ? alpha : null;
}

function flattenOn(data, color) {
  for (let at = 0; at < data.length; at += 4) {
    const alpha = data[at + 3] / 255;
    for (let channel = 0; channel < 3; channel += 1) {
      data[at + channel] = Math.round(data[at + channel] * alpha + color[channel] * (1 - alpha));
    }
  }
}

function mostFrequent(data, edges) {
  const counts = new Map();
  for (const at of edges) {
    const color = (data[at] << 16) | (data[at + 1] << 8) | data[at + 2];
    counts.set(color, (counts.get(color) ?? 0) + 1);
  }
  const [[color]] = [...counts].sort((one, other) => other[1] - one[1]);
  return [color >> 16, (color >> 8) & 255, color & 255];
}

// Marks each pixel around the object: 1, or 2 if it differs from the background.
function surroundings(data, width, height, { area, edges, color, alpha }) {
  const columns = Math.ceil(width / ${blockSide});
  const block = (x, y) => Math.floor(y / ${blockSide}) * columns + Math.floor(x / ${blockSide});
  const marks = new Uint8Array(width * height);
  const walk = (x, y, stepX, stepY, length) => {
    const before = (y * width + x) * 4;
    const last = [data[before], data[before + 1], data[before + 2]];
    for (let step = 0; step < length; step += 1) {
      const pixel = (y + stepY * step) * width + x + stepX * step;
      if (alpha?.[pixel] >= ${minObjectAlpha} || differs(data, pixel * 4, last, ${maxStep})) break;
      for (let channel = 0; channel < 3; channel += 1) last[channel] = data[pixel * 4 + channel];
      marks[pixel] = differs(data, pixel * 4, color, ${noiseLevels}) ? 2 : 1;
    }
  };
  const [right, bottom] = [area.left + area.width - 1, area.top + area.height - 1];
  for (let x = area.left; x <= right; x += 1) {
    walk(x, area.top, 0, 1, area.height);
    walk(x, bottom, 0, -1, area.height);
  }
  for (let y = area.top; y <= bottom; y += 1) {
    walk(area.left, y, 1, 0, area.width);
    walk(right, y, -1, 0, area.width);
  }
  const hasObject = new Uint8Array(columns * Math.ceil(height / ${blockSide}));
  const isInArea = (x, y) => x >= area.left && x <= right && y >= area.top && y <= bottom;
  marks.forEach((mark, pixel) => {
    const [x, y] = [pixel % width, Math.floor(pixel / width)];
    if (mark === 0 && isInArea(x, y)) hasObject[block(x, y)] = 1;
  });
  let [counted, off] = [0, 0];
  marks.forEach((mark, pixel) => {
    if (mark === 0) return;
    if (hasObject[block(pixel % width, Math.floor(pixel / width))] === 1) marks[pixel] = 1;
    else {
      counted += 1;
      if (mark === 2) off += 1;
    }
  });
  const isOff = (at) => {
    const pixel = at / 4;
    const isBesideObject = hasObject[block(pixel % width, Math.floor(pixel / width))] === 1;
    return differs(data, at, color, isBesideObject ? ${ringingLevels} : 0);
  };
  const edgesOff = edges.filter(isOff);
  for (const at of edgesOff) marks[at / 4] = 2;
  return { marks, counted, off, edgeMismatchShare: edgesOff.length / edges.length };
}

function inside({ left, top, width, height }) {
  return { left: left + 1, top: top + 1, width: Math.max(1, width - 2), height: Math.max(1, height - 2) };
}

// A small JPEG. Pixels around the object that are not background are magenta, or the object has a magenta border.
async function marked(data, width, height, { marks, object }) {
  const { data: small, info } = await sharp(data, { raw: { width, height, channels: 4 } })
    .resize({ width: ${markedBox}, height: ${markedBox}, fit: 'inside', withoutEnlargement: true })
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const paint = (x, y) => {
    if (x >= 0 && y >= 0 && x < info.width && y < info.height) small.set([255, 0, 255], (y * info.width + x) * 3);
  };
  const [scaleX, scaleY] = [info.width / width, info.height / height];
  if (marks) {
    marks.forEach((mark, pixel) => {
      if (mark === 2) paint(Math.floor((pixel % width) * scaleX), Math.floor(Math.floor(pixel / width) * scaleY));
    });
  } else if (object) {
    const [left, top] = [Math.floor(object.left * scaleX), Math.floor(object.top * scaleY)];
    const right = Math.ceil((object.left + object.width) * scaleX) - 1;
    const bottom = Math.ceil((object.top + object.height) * scaleY) - 1;
    for (const out of [0, 1]) {
      for (let x = left - out; x <= right + out; x += 1) [top - out, bottom + out].forEach((y) => paint(x, y));
      for (let y = top - out; y <= bottom + out; y += 1) [left - out, right + out].forEach((x) => paint(x, y));
    }
  }
  return sharp(small, { raw: { width: info.width, height: info.height, channels: 3 } }).jpeg({ quality: 82 }).toBuffer();
}
`;
