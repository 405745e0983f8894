// Furniture: lounge chair, coffee table, stool.
import { fourLegs, leg } from './legs.ts';
import {
  joinMeshes,
  type Mesh,
  moved,
  planarFromAbove,
  repeatedTexture,
  smoothLine,
  turned,
  type Vec2,
  type Vec3,
} from './mesh.ts';
import { type Finish, type Product } from './product.ts';
import { lathe, roundedBox, tube } from './shapes.ts';
import { clothTexture, woodTexture } from './textures.ts';

export async function makeChair(): Promise<Product> {
  const cloth = async (name: string, color: string): Promise<Finish> => ({
    name,
    color: '#ffffff',
    roughness: 0.95,
    texture: await clothTexture(color),
  });
  const sand = await cloth('seat', '#c9b18c');
  const wood: Finish = {
    name: 'frame',
    color: '#ffffff',
    roughness: 0.45,
    texture: await woodTexture('#8a5a36', '#5a3820'),
  };
  const cushions = joinMeshes(
    moved(roundedBox([0.58, 0.15, 0.56], 0.055, 0.012), [0, 0.4, 0.02]),
    moved(turned(roundedBox([0.58, 0.5, 0.14], 0.06, 0.014), [-14, 0, 0]), [0, 0.7, -0.265]),
  );
  const arm = (side: number): Mesh =>
    tube(
      smoothLine<Vec3>(
        [
          [side * 0.345, 0, 0.3],
          [side * 0.34, 0.3, 0.285],
          [side * 0.335, 0.56, 0.27],
          [side * 0.335, 0.605, 0.22],
          [side * 0.335, 0.605, 0],
          [side * 0.335, 0.6, -0.2],
          [side * 0.335, 0.56, -0.3],
          [side * 0.335, 0.3, -0.36],
          [side * 0.335, 0, -0.42],
        ],
        8,
      ),
      () => 0.019,
    );
  const bar = (y: number, z: number): Mesh => leg([-0.335, y, z], [0.335, y, z], 0.015, 0.015);
  const frame = joinMeshes(arm(1), arm(-1), bar(0.32, 0.27), bar(0.31, -0.34), bar(0.55, -0.305));
  return {
    name: 'Lounge Chair',
    parts: [
      { name: 'seat', mesh: repeatedTexture(cushions, [6, 6]), finish: sand },
      { name: 'frame', mesh: repeatedTexture(frame, [2, 0.25]), finish: wood },
    ],
    variants: {
      Sand: { seat: sand },
      Forest: { seat: await cloth('seat Forest', '#3f6650') },
      Clay: { seat: await cloth('seat Clay', '#b4573a') },
      'Deep Sea': { seat: await cloth('seat Deep Sea', '#2f4f73') },
    },
  };
}

export async function makeTable(): Promise<Product> {
  const oak: Finish = {
    name: 'top',
    color: '#ffffff',
    roughness: 0.38,
    texture: await woodTexture('#c99a63', '#8f6034'),
  };
  const top = lathe(
    [
      [
        [0, 0.4],
        [0.42, 0.4],
      ],
      smoothLine<Vec2>(
        [
          [0.42, 0.4],
          [0.446, 0.41],
          [0.45, 0.424],
          [0.44, 0.432],
          [0.425, 0.434],
        ],
        5,
      ),
      [
        [0.425, 0.434],
        [0, 0.434],
      ],
    ],
    { segments: 96 },
  );
  const black: Finish = { name: 'legs', color: '#26272a', roughness: 0.5 };
  const brass: Finish = { name: 'feet', color: '#d8b06a', metallic: 1, roughness: 0.25 };
  return {
    name: 'Coffee Table',
    parts: [
      { name: 'top', mesh: planarFromAbove(top, 0.9), finish: oak },
      {
        name: 'legs',
        mesh: fourLegs([0.31, 0.31], [0.22, 0.22], 0.402, [0.014, 0.023]),
        finish: black,
      },
      {
        name: 'feet',
        mesh: joinMeshes(
          ...[
            [1, 1],
            [1, -1],
            [-1, 1],
            [-1, -1],
          ].map(([x = 1, z = 1]) =>
            leg([0.311 * x, 0, 0.311 * z], [0.298 * x, 0.055, 0.298 * z], 0.0155, 0.0175),
          ),
        ),
        finish: brass,
      },
      {
        name: 'shelf',
        mesh: planarFromAbove(
          lathe([
            [
              [0, 0.15],
              [0.3, 0.15],
            ],
            [
              [0.3, 0.15],
              [0.304, 0.157],
              [0.3, 0.165],
            ],
            [
              [0.3, 0.165],
              [0, 0.165],
            ],
          ]),
          0.9,
        ),
        finish: oak,
      },
    ],
  };
}

export async function makeStool(): Promise<Product> {
  const seat = lathe(
    [
      [
        [0, 0.62],
        [0.165, 0.62],
      ],
      smoothLine<Vec2>(
        [
          [0.165, 0.62],
          [0.178, 0.632],
          [0.18, 0.655],
          [0.165, 0.676],
          [0.1, 0.685],
          [0, 0.687],
        ],
        8,
      ),
    ],
    { segments: 80 },
  );
  const circle = Array.from({ length: 65 }, (_, step): Vec3 => {
    const angle = (step / 64) * Math.PI * 2;
    return [0.168 * Math.sin(angle), 0.22, 0.168 * Math.cos(angle)];
  });
  return {
    name: 'Stool',
    parts: [
      {
        name: 'seat',
        mesh: repeatedTexture(planarFromAbove(seat, 0.36), [2, 2]),
        finish: {
          name: 'seat',
          color: '#ffffff',
          roughness: 0.9,
          texture: await clothTexture('#d9a441'),
        },
      },
      {
        name: 'legs',
        mesh: repeatedTexture(
          fourLegs([0.155, 0.155], [0.1, 0.1], 0.63, [0.013, 0.018]),
          [1, 0.25],
        ),
        finish: {
          name: 'legs',
          color: '#ffffff',
          roughness: 0.5,
          texture: await woodTexture('#e0b885', '#b58449'),
        },
      },
      {
        name: 'ring',
        mesh: tube(circle, () => 0.0085),
        finish: { name: 'ring', color: '#c9ccd1', metallic: 1, roughness: 0.3 },
      },
    ],
  };
}
