// Effects of materials on a picture: textures, holes, glass, emission, variants and swaps.
import {
  KHRMaterialsTransmission,
  KHRMaterialsUnlit,
  KHRMaterialsVariants,
} from '@gltf-transform/extensions';
import { describe, expect, it } from 'vitest';
import { linearOfHex } from '../../../src/drawing/color.ts';
import { type Authored, stripesPng } from '../../_author.ts';
import {
  addSquare,
  centerOf,
  hueOf,
  lookNumber,
  paint,
  pixelAt,
  plainLook,
  squareModel,
} from '../_pictures.ts';

const size = { look: plainLook, width: 64, height: 64 };
const red = [1, 0, 0, 1] as const;
const green = [0, 1, 0, 1] as const;
const blue = [0, 0, 1, 1] as const;

describe('textures', () => {
  const addTexture = async ({ document, material }: Authored, png: Buffer): Promise<void> => {
    const texture = document
      .createTexture()
      .setImage(Uint8Array.from(png))
      .setMimeType('image/png');
    material.setBaseColorTexture(texture);
  };
  const stripes = [
    [255, 0, 0],
    [0, 255, 0],
    [0, 0, 255],
  ] as const;

  it('textures are neither mirrored nor turned', async () => {
    const model = await squareModel(async (authored) =>
      addTexture(authored, await stripesPng(stripes)),
    );
    const picture = await model.draw({ ...size, width: 96, height: 96 });
    expect([28, 48, 68].map((x) => hueOf(pixelAt(picture, x, 48)))).toEqual([
      'red',
      'green',
      'blue',
    ]);
  });

  it('straight lines in a texture stay straight in perspective', async () => {
    const model = await squareModel(async (authored) => {
      await addTexture(authored, await stripesPng([stripes[0], stripes[1]]));
      authored.node.setRotation([0, Math.sin(0.5), 0, Math.cos(0.5)]);
      authored.material.setDoubleSided(true);
    });
    const look = {
      ...plainLook,
      bookmarks: [{ name: 'Wide', yawDegrees: 0, pitchDegrees: 0, fovDegrees: 90, margin: 0.1 }],
    };
    const picture = await model.draw({ look, width: 128, height: 128 });
    const edgeAt = (y: number): number => {
      for (let x = 0; x < 128; x += 1) {
        const [red8, green8] = pixelAt(picture, x, y);
        if (green8 > red8) return x;
      }
      return -1;
    };
    const edges = [50, 57, 64, 71, 78].map(edgeAt);
    expect(edges[0]).toBeGreaterThan(0);
    expect(Math.max(...edges) - Math.min(...edges)).toBeLessThanOrEqual(1);
  });

  it('textures are averaged in small pictures', async () => {
    const fine = Array.from({ length: 64 }, (_, index) =>
      index % 2 === 0 ? ([255, 255, 255] as const) : ([0, 0, 0] as const),
    );
    const model = await squareModel(async (authored) =>
      addTexture(authored, await stripesPng(fine)),
    );
    const picture = await model.draw({ ...size, width: 32, height: 32 });
    const shown = [10, 12, 14, 16, 18, 20].map((x) => pixelAt(picture, x, 16)[0]);
    expect(Math.max(...shown) - Math.min(...shown)).toBeLessThan(40);
  });

  it.each([
    ['MASK', true],
    ['BLEND', true],
    ['OPAQUE', false],
  ] as const)(
    'a texture with the alpha mode %s shows the surface behind it: %s',
    async (mode, seen) => {
      const model = await squareModel(async (authored) => {
        authored.material.setAlphaMode(mode);
        await addTexture(authored, await stripesPng([stripes[0], stripes[0]], [255, 0]));
        addSquare(authored, -0.2, green);
      });
      const picture = await model.draw(size);
      expect(hueOf(pixelAt(picture, 24, 32))).toBe('red');
      expect(hueOf(pixelAt(picture, 40, 32))).toBe(seen ? 'green' : 'red');
    },
  );

  it('a broken texture leaves the plain colour of the material', async () => {
    const model = await squareModel(async (authored) => {
      paint(blue)(authored);
      await addTexture(authored, Buffer.from('not a picture'));
    });
    expect(hueOf(centerOf(await model.draw(size)))).toBe('blue');
  });
});

describe('a transparent surface', () => {
  it('a transparent surface mixes with the surface behind it', async () => {
    const model = await squareModel((authored) => {
      paint([1, 0, 0, 0.5])(authored);
      authored.material.setAlphaMode('BLEND');
      addSquare(authored, -0.5, blue);
    });
    const [red8, green8, blue8] = centerOf(await model.draw(size));
    expect(red8).toBeGreaterThan(100);
    expect(blue8).toBeGreaterThan(100);
    expect(green8).toBeLessThan(80);
  });

  it('a transparent surface looks the same wherever it is in the file', async () => {
    const draw = async (first: number, second: number) => {
      const model = await squareModel((authored) => {
        paint([1, 0, 0, 0.5])(authored);
        authored.material.setAlphaMode('BLEND');
        authored.node.setTranslation([0, 0, first]);
        addSquare(authored, second, [1, 0, 0, 0.5]).setAlphaMode('BLEND');
      });
      return centerOf(await model.draw(size));
    };
    expect(await draw(0.3, -0.3)).toEqual(await draw(-0.3, 0.3));
  });

  it('a transparent surface is hidden by a nearer opaque surface', async () => {
    const model = await squareModel((authored) => {
      paint([1, 0, 0, 0.5])(authored);
      authored.material.setAlphaMode('BLEND');
      addSquare(authored, 0.5, green);
    });
    const [red8] = centerOf(await model.draw(size));
    expect(red8).toBeLessThan(80);
  });

  it('a transparent surface has no seam between its triangles', async () => {
    const model = await squareModel((authored) => {
      paint([1, 1, 1, 0.5])(authored);
      authored.material.setAlphaMode('BLEND');
    });
    const picture = await model.draw(size);
    const diagonal = [22, 26, 30, 34, 38, 42].map((at) => pixelAt(picture, at, 63 - at)[0]);
    const [flat] = pixelAt(picture, 24, 24);
    for (const value of diagonal) expect(Math.abs(value - flat)).toBeLessThanOrEqual(1);
  });

  it('a surface with transmission looks like glass', async () => {
    const model = await squareModel(
      (authored) => {
        const glass = authored.document
          .createExtension(KHRMaterialsTransmission)
          .createTransmission();
        authored.material.setExtension(
          'KHR_materials_transmission',
          glass.setTransmissionFactor(1),
        );
        addSquare(authored, -0.5, green);
      },
      [KHRMaterialsTransmission],
    );
    expect(hueOf(centerOf(await model.draw(size)))).toBe('green');
  });
});

describe('materials', () => {
  it('unlit materials show exactly their colour', async () => {
    const model = await squareModel(
      ({ document, material }) => {
        material.setBaseColorFactor([...linearOfHex('#336699'), 1]);
        material.setExtension(
          'KHR_materials_unlit',
          document.createExtension(KHRMaterialsUnlit).createUnlit(),
        );
      },
      [KHRMaterialsUnlit],
    );
    expect(centerOf(await model.draw({ ...size, look: lookNumber(1) }))).toEqual([
      0x33, 0x66, 0x99,
    ]);
  });

  it('emissive materials are visible where no other light falls', async () => {
    const model = await squareModel(({ material }) => {
      material.setBaseColorFactor([0, 0, 0, 1]).setEmissiveFactor([0, 0.5, 0]);
    });
    const night = { ...plainLook, ambient: 0 };
    expect(hueOf(centerOf(await model.draw({ ...size, look: night })))).toBe('green');
  });

  it('materials use vertex colours', async () => {
    const model = await squareModel(({ document, primitive }) => {
      const colors = [1, 0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0];
      const accessor = document
        .createAccessor()
        .setType('VEC3')
        .setArray(Float32Array.from(colors));
      primitive.setAttribute('COLOR_0', accessor);
    });
    const picture = await model.draw(size);
    expect(hueOf(pixelAt(picture, 18, 32))).toBe('red');
    expect(hueOf(pixelAt(picture, 45, 32))).toBe('green');
  });

  it.each([
    [undefined, 'red'],
    ['Green', 'green'],
    ['blue', 'blue'],
    ['Blue', 'red'],
  ])('materials of the variant %s make the square %s', async (variant, hue) => {
    const model = await squareModel(
      (authored) => {
        paint(red)(authored);
        const { document, primitive } = authored;
        const extension = document.createExtension(KHRMaterialsVariants);
        const list = extension.createMappingList();
        for (const [name, color] of [
          ['Green', green],
          ['blue', blue],
        ] as const) {
          const material = document
            .createMaterial(name)
            .setBaseColorFactor([...color])
            .setMetallicFactor(0);
          list.addMapping(
            extension
              .createMapping()
              .setMaterial(material)
              .addVariant(extension.createVariant(name)),
          );
        }
        primitive.setExtension('KHR_materials_variants', list);
      },
      [KHRMaterialsVariants],
    );
    expect(hueOf(centerOf(await model.draw({ ...size, variant })))).toBe(hue);
  });
});
