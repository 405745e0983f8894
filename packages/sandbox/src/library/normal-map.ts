import sharp from 'sharp';

/** Slope at a pixel whose neighbours on both sides are black and white. */
const strength = 4;

/**
 * Computes a tangent-space normal map (OpenGL, green up) as PNG.
 * @param depth an image whose brightness is height. Edges wrap, since textures tile.
 */
export async function computeNormals(depth: Buffer): Promise<Buffer> {
  const { data, info } = await sharp(depth)
    .removeAlpha()
    .greyscale()
    .toColourspace('b-w')
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  const heightAt = (x: number, y: number) =>
    (data[((y + height) % height) * width + ((x + width) % width)] ?? 0) / 255;
  const normals = Buffer.alloc(width * height * 3);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const dx = (heightAt(x - 1, y) - heightAt(x + 1, y)) * strength;
      // Rows count downwards, while green points up.
      const dy = (heightAt(x, y + 1) - heightAt(x, y - 1)) * strength;
      const length = Math.hypot(dx, dy, 1);
      const offset = (y * width + x) * 3;
      normals[offset] = Math.round(((dx / length) * 0.5 + 0.5) * 255);
      normals[offset + 1] = Math.round(((dy / length) * 0.5 + 0.5) * 255);
      normals[offset + 2] = Math.round(((1 / length) * 0.5 + 0.5) * 255);
    }
  }
  return sharp(normals, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer();
}
