// Kitchen products: mug, bowl, bottle, teapot.
import { joinMeshes, moved, smoothLine, type Vec2, type Vec3 } from './mesh.ts';
import type { Finish, Product } from './product.ts';
import { lathe, tube } from './shapes.ts';
import { bandTexture, glazeTexture } from './textures.ts';

function ring(radius: number, y: number, thickness: number): readonly Vec2[] {
  // Half a circle from outside over the top to inside, like a rim.
  return Array.from({ length: 9 }, (_, step) => {
    const angle = (step / 8) * Math.PI;
    return [radius + thickness * Math.cos(angle), y + thickness * Math.sin(angle)] as const;
  });
}

export async function makeMug(): Promise<Product> {
  const outside: readonly Vec2[] = smoothLine(
    [
      [0.03, 0.001],
      [0.038, 0.004],
      [0.0415, 0.014],
      [0.042, 0.05],
      [0.042, 0.092],
    ],
    8,
  );
  const inside: readonly Vec2[] = smoothLine(
    [
      [0.038, 0.092],
      [0.038, 0.03],
      [0.034, 0.01],
      [0.022, 0.007],
      [0, 0.007],
    ],
    8,
  );
  const handle: readonly Vec3[] = smoothLine(
    [
      [0.039, 0.076, 0],
      [0.056, 0.08, 0],
      [0.071, 0.064, 0],
      [0.07, 0.042, 0],
      [0.056, 0.026, 0],
      [0.039, 0.026, 0],
    ],
    8,
  );
  const bands = (stripe: string, ground: string): Promise<Buffer> =>
    bandTexture([
      [0.42, ground],
      [0.05, stripe],
      [0.05, ground],
      [0.14, stripe],
      [0.34, ground],
    ]);
  const body = (name: string, texture: Uint8Array): Finish => ({
    name,
    color: '#ffffff',
    roughness: 0.32,
    texture,
  });
  const classic = body('body', await bands('#2f5d8a', '#f4efe6'));
  return {
    name: 'Mug',
    parts: [
      {
        name: 'body',
        mesh: lathe([
          [
            [0, 0.001],
            [0.03, 0.001],
          ],
          outside,
        ]),
        finish: classic,
      },
      {
        name: 'inside',
        mesh: lathe([ring(0.04, 0.092, 0.002), inside]),
        finish: { name: 'inside', color: '#f7f2ea', roughness: 0.25 },
      },
      {
        name: 'handle',
        mesh: tube(handle, () => 0.0075, { flatten: 0.62 }),
        finish: { name: 'handle', color: '#f4efe6', roughness: 0.32 },
      },
    ],
    variants: {
      Classic: { body: classic },
      Sunrise: { body: body('body Sunrise', await bands('#e2733c', '#fbe6cf')) },
      Midnight: { body: body('body Midnight', await bands('#d9b45b', '#26303f')) },
    },
  };
}

export async function makeBowl(): Promise<Product> {
  const outside: readonly Vec2[] = smoothLine(
    [
      [0.045, 0.012],
      [0.085, 0.03],
      [0.118, 0.062],
      [0.13, 0.096],
    ],
    12,
  );
  const inside: readonly Vec2[] = smoothLine(
    [
      [0.126, 0.096],
      [0.113, 0.063],
      [0.08, 0.033],
      [0.04, 0.018],
      [0, 0.016],
    ],
    12,
  );
  return {
    name: 'Bowl',
    parts: [
      {
        name: 'outside',
        mesh: lathe([
          [
            [0, 0.002],
            [0.04, 0.002],
            [0.04, 0],
          ],
          [
            [0.04, 0],
            [0.046, 0],
            [0.045, 0.012],
          ],
          outside,
        ]),
        finish: {
          name: 'outside',
          color: '#ffffff',
          roughness: 0.5,
          texture: await glazeTexture('#3f7f78', '#d8c3a5', 0.5),
        },
      },
      {
        name: 'inside',
        mesh: lathe([ring(0.128, 0.096, 0.002), inside]),
        finish: {
          name: 'inside',
          color: '#ffffff',
          roughness: 0.22,
          texture: await bandTexture([
            [0.07, '#2d5f5a'],
            [0.04, '#f1eadb'],
            [0.04, '#2d5f5a'],
            [0.85, '#f1eadb'],
          ]),
        },
      },
    ],
  };
}

export function makeBottle(): Promise<Product> {
  const side: readonly Vec2[] = [
    ...smoothLine<Vec2>(
      [
        [0.028, 0],
        [0.0345, 0.002],
        [0.036, 0.008],
        [0.036, 0.05],
      ],
      6,
    ),
    ...smoothLine<Vec2>(
      [
        [0.036, 0.16],
        [0.0355, 0.178],
        [0.03, 0.196],
        [0.0225, 0.206],
        [0.0215, 0.214],
      ],
      6,
    ),
  ];
  const coat = (name: string, color: string): Finish => ({ name, color, roughness: 0.55 });
  const ocean = coat('body', '#2c7fb0');
  const steel: Finish = { name: 'ring', color: '#d5d8dc', metallic: 1, roughness: 0.25 };
  const loop: readonly Vec3[] = smoothLine(
    [
      [-0.015, 0.242, 0],
      [-0.017, 0.258, 0],
      [0, 0.268, 0],
      [0.017, 0.258, 0],
      [0.015, 0.242, 0],
    ],
    8,
  );
  const cap = joinMeshes(
    lathe(
      [
        [
          [0.024, 0.219],
          [0.024, 0.238],
        ],
        smoothLine<Vec2>(
          [
            [0.024, 0.238],
            [0.0225, 0.242],
            [0.016, 0.2435],
            [0, 0.244],
          ],
          5,
        ),
      ],
      { ripple: (angle) => 1 + 0.018 * Math.cos(angle * 28), segments: 224 },
    ),
    tube(loop, () => 0.0042),
  );
  return Promise.resolve({
    name: 'Bottle',
    parts: [
      {
        name: 'body',
        mesh: lathe([
          [
            [0, 0],
            [0.028, 0],
          ],
          side,
        ]),
        finish: ocean,
      },
      {
        name: 'ring',
        mesh: lathe([
          [
            [0.0215, 0.212],
            [0.0235, 0.213],
            [0.0238, 0.219],
            [0.02, 0.22],
          ],
        ]),
        finish: steel,
      },
      { name: 'cap', mesh: cap, finish: { name: 'cap', color: '#23272d', roughness: 0.6 } },
    ],
    variants: {
      Ocean: { body: ocean },
      Coral: { body: coat('body Coral', '#e8735a') },
      Moss: { body: coat('body Moss', '#6d7f4a') },
    },
  });
}

export async function makeTeapot(): Promise<Product> {
  const body: readonly Vec2[] = smoothLine(
    [
      [0.05, 0.004],
      [0.078, 0.022],
      [0.09, 0.056],
      [0.082, 0.092],
      [0.056, 0.116],
      [0.042, 0.12],
    ],
    10,
  );
  const spout: readonly Vec3[] = smoothLine(
    [
      [-0.07, 0.045, 0],
      [-0.105, 0.056, 0],
      [-0.124, 0.086, 0],
      [-0.146, 0.116, 0],
    ],
    8,
  );
  const handle: readonly Vec3[] = smoothLine(
    [
      [0.068, 0.104, 0],
      [0.105, 0.116, 0],
      [0.134, 0.092, 0],
      [0.128, 0.054, 0],
      [0.082, 0.034, 0],
    ],
    8,
  );
  const lid = joinMeshes(
    lathe([
      [
        [0.046, 0.12],
        [0.046, 0.124],
      ],
      smoothLine<Vec2>(
        [
          [0.046, 0.124],
          [0.036, 0.132],
          [0.018, 0.137],
          [0, 0.138],
        ],
        6,
      ),
    ]),
    moved(
      lathe([
        smoothLine<Vec2>(
          [
            [0.006, 0],
            [0.006, 0.006],
            [0.012, 0.012],
            [0.012, 0.018],
            [0.006, 0.023],
            [0, 0.024],
          ],
          5,
        ),
      ]),
      [0, 0.136, 0],
    ),
  );
  const glaze: Finish = {
    name: 'body',
    color: '#ffffff',
    roughness: 0.24,
    texture: await glazeTexture('#8b2f2a', '#c9553f', 0.62),
  };
  return {
    name: 'Teapot',
    parts: [
      {
        name: 'body',
        mesh: lathe([
          [
            [0, 0],
            [0.05, 0],
            [0.05, 0.004],
          ],
          body,
        ]),
        finish: glaze,
      },
      {
        name: 'spout',
        mesh: tube(spout, (share) => 0.021 - share * 0.011),
        finish: { name: 'spout', color: '#8f332c', roughness: 0.24 },
      },
      { name: 'lid', mesh: lid, finish: { name: 'lid', color: '#7d2a26', roughness: 0.24 } },
      {
        name: 'handle',
        mesh: tube(handle, () => 0.0085),
        finish: { name: 'handle', color: '#c79a5b', roughness: 0.55 },
      },
    ],
  };
}
