// Decoration models: lamp, vase, wall clock.
import { leg } from './legs.ts';
import {
  joinMeshes,
  type Mesh,
  moved,
  planarFromAbove,
  repeatedTexture,
  smoothLine,
  turned,
  type Vec2,
} from './mesh.ts';
import { type Finish, type Product } from './product.ts';
import { lathe, roundedBox } from './shapes.ts';
import { dialTexture, glazeTexture, woodTexture } from './textures.ts';

export async function makeLamp(): Promise<Product> {
  const shade = lathe([
    [
      [0.24, 1.2],
      [0.165, 1.52],
    ],
    [
      [0.165, 1.52],
      [0.161, 1.522],
    ],
    [
      [0.161, 1.52],
      [0.236, 1.2],
      [0.24, 1.2],
    ],
  ]);
  const oak: Finish = {
    name: 'legs',
    color: '#ffffff',
    roughness: 0.5,
    texture: await woodTexture('#d9a86c', '#a26f3c'),
  };
  const legs = [0, 120, 240].map((angle) =>
    turned(leg([0, 0, 0.34], [0, 1.16, 0.028], 0.014, 0.021), [0, angle, 0]),
  );
  const brass: Finish = { name: 'metal', color: '#d8b06a', metallic: 1, roughness: 0.28 };
  return {
    name: 'Lamp',
    parts: [
      {
        name: 'shade',
        mesh: shade,
        finish: { name: 'shade', color: '#f3e6cf', roughness: 0.9, glow: '#4a3416' },
      },
      { name: 'legs', mesh: repeatedTexture(joinMeshes(...legs), [1, 0.25]), finish: oak },
      {
        name: 'metal',
        mesh: joinMeshes(
          lathe([
            [
              [0, 1.13],
              [0.05, 1.13],
              [0.052, 1.145],
              [0.05, 1.16],
              [0.012, 1.165],
            ],
          ]),
          leg([0, 1.16, 0], [0, 1.3, 0], 0.011, 0.011),
          lathe([
            smoothLine<Vec2>(
              [
                [0, 1.52],
                [0.014, 1.524],
                [0.014, 1.545],
                [0, 1.55],
              ],
              6,
            ),
          ]),
        ),
        finish: brass,
      },
      {
        name: 'bulb',
        mesh: moved(
          lathe([
            smoothLine<Vec2>(
              [
                [0, -0.05],
                [0.035, -0.04],
                [0.048, 0],
                [0.03, 0.05],
                [0, 0.06],
              ],
              8,
            ),
          ]),
          [0, 1.35, 0],
        ),
        finish: { name: 'bulb', color: '#fff4dc', roughness: 0.4, glow: '#ffd9a0' },
      },
    ],
  };
}

export async function makeVase(): Promise<Product> {
  const outside: readonly Vec2[] = smoothLine(
    [
      [0.05, 0],
      [0.075, 0.03],
      [0.098, 0.1],
      [0.09, 0.17],
      [0.052, 0.232],
      [0.034, 0.27],
      [0.036, 0.298],
      [0.052, 0.318],
    ],
    10,
  );
  const inside: readonly Vec2[] = smoothLine(
    [
      [0.049, 0.318],
      [0.032, 0.298],
      [0.03, 0.27],
      [0.03, 0.2],
    ],
    8,
  );
  const ripple = (angle: number): number => 1 + 0.022 * Math.cos(angle * 18);
  return {
    name: 'Vase',
    parts: [
      {
        name: 'glaze',
        mesh: lathe(
          [
            [
              [0, 0],
              [0.05, 0],
            ],
            outside,
          ],
          { ripple, segments: 180 },
        ),
        finish: {
          name: 'glaze',
          color: '#ffffff',
          roughness: 0.3,
          texture: await glazeTexture('#e9e2d3', '#5f86a3', 0.42),
        },
      },
      {
        name: 'inside',
        mesh: lathe(
          [
            [
              [0.052, 0.318],
              [0.0505, 0.3195],
              [0.049, 0.318],
            ],
            inside,
          ],
          { ripple, segments: 180 },
        ),
        finish: { name: 'inside', color: '#e4dccb', roughness: 0.4 },
      },
    ],
  };
}

export async function makeClock(): Promise<Product> {
  const facing = (mesh: Mesh): Mesh => moved(turned(mesh, [90, 0, 0]), [0, 0.16, 0]);
  const frame = lathe(
    [
      [
        [0, -0.02],
        [0.15, -0.02],
      ],
      smoothLine<Vec2>(
        [
          [0.15, -0.02],
          [0.158, -0.012],
          [0.16, 0.01],
          [0.154, 0.022],
          [0.146, 0.022],
          [0.141, 0.012],
        ],
        6,
      ),
    ],
    { segments: 96 },
  );
  const dial = planarFromAbove(
    lathe(
      [
        [
          [0.143, 0.011],
          [0, 0.011],
        ],
      ],
      { segments: 96 },
    ),
    0.286,
  );
  const hand = (length: number, width: number, degrees: number, depth: number): Mesh =>
    moved(
      turned(moved(roundedBox([width, length, 0.003], 0.0014), [0, length * 0.36, 0]), [
        0,
        0,
        -degrees,
      ]),
      [0, 0.16, depth],
    );
  return {
    name: 'Wall Clock',
    parts: [
      {
        name: 'frame',
        mesh: facing(frame),
        finish: { name: 'frame', color: '#2f5d50', roughness: 0.35 },
      },
      {
        name: 'dial',
        mesh: facing(dial),
        finish: {
          name: 'dial',
          color: '#ffffff',
          roughness: 0.6,
          texture: await dialTexture('#f7f4ec', '#22272b'),
        },
      },
      {
        name: 'hands',
        mesh: joinMeshes(hand(0.085, 0.009, 305, 0.017), hand(0.125, 0.006, 52, 0.021)),
        finish: { name: 'hands', color: '#22272b', roughness: 0.4 },
      },
      {
        name: 'second hand',
        mesh: joinMeshes(
          hand(0.13, 0.0026, 170, 0.025),
          moved(
            turned(
              lathe([
                [
                  [0.008, 0],
                  [0.008, 0.006],
                ],
                [
                  [0.008, 0.006],
                  [0, 0.007],
                ],
              ]),
              [90, 0, 0],
            ),
            [0, 0.16, 0.021],
          ),
        ),
        finish: { name: 'second hand', color: '#d2452f', roughness: 0.4 },
      },
    ],
  };
}
