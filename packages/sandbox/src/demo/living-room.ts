// Models of the living room: lounge chair, wall clock, lamp, stool, coffee table and vase. All lengths are metres.
import type { ProductDescription, Shape } from './description.ts';

const createCloth = (color: string) => ({ roughness: 0.95, texture: { cloth: color } });

export const chair: ProductDescription = {
  name: 'Lounge Chair',
  finishes: {
    seat: createCloth('#c9b18c'),
    frame: { roughness: 0.45, texture: { wood: ['#8a5a36', '#5a3820'] } },
    'seat Forest': createCloth('#3f6650'),
    'seat Clay': createCloth('#b4573a'),
    'seat Deep Sea': createCloth('#2f4f73'),
  },
  parts: {
    seat: {
      join: [
        { box: [0.58, 0.15, 0.56], radius: 0.055, puff: 0.012, move: [0, 0.4, 0.02] },
        {
          box: [0.58, 0.5, 0.14],
          radius: 0.06,
          puff: 0.014,
          turn: [-14, 0, 0],
          move: [0, 0.7, -0.265],
        },
      ],
      repeat: [6, 6],
    },
    frame: {
      join: [
        {
          tube: 'smooth 8: 0.345,0,0.3 0.34,0.3,0.285 0.335,0.56,0.27 0.335,0.605,0.22 0.335,0.605,0 0.335,0.6,-0.2 0.335,0.56,-0.3 0.335,0.3,-0.36 0.335,0,-0.42',
          radius: 0.019,
          mirror: 'x',
        },
        { tube: 'straight: -0.335,0.32,0.27 0.335,0.32,0.27', radius: 0.015 },
        { tube: 'straight: -0.335,0.31,-0.34 0.335,0.31,-0.34', radius: 0.015 },
        { tube: 'straight: -0.335,0.55,-0.305 0.335,0.55,-0.305', radius: 0.015 },
      ],
      repeat: [2, 0.25],
    },
  },
  variants: {
    Sand: { seat: 'seat' },
    Forest: { seat: 'seat Forest' },
    Clay: { seat: 'seat Clay' },
    'Deep Sea': { seat: 'seat Deep Sea' },
  },
};

/** Turns a lathe body to the front (+z), and lifts it to the centre of the clock. */
const facing = { turn: [90, 0, 0], move: [0, 0.16, 0] } as const;

/** A hand of the clock, turned clockwise from twelve. */
const createHand = (length: number, width: number, degrees: number, depth: number): Shape => ({
  join: [{ box: [width, length, 0.003], radius: 0.0014, move: [0, length * 0.36, 0] }],
  turn: [0, 0, -degrees],
  move: [0, 0.16, depth],
});

export const clock: ProductDescription = {
  name: 'Wall Clock',
  finishes: {
    frame: { color: '#2f5d50', roughness: 0.35 },
    dial: { roughness: 0.6, texture: { dial: ['#f7f4ec', '#22272b'] } },
    hands: { color: '#22272b', roughness: 0.4 },
    'second hand': { color: '#d2452f', roughness: 0.4 },
  },
  parts: {
    frame: {
      lathe: [
        '0,-0.02 0.15,-0.02',
        'smooth 6: 0.15,-0.02 0.158,-0.012 0.16,0.01 0.154,0.022 0.146,0.022 0.141,0.012',
      ],
      segments: 96,
      ...facing,
    },
    dial: { lathe: ['0.143,0.011 0,0.011'], segments: 96, planar: 0.286, ...facing },
    hands: { join: [createHand(0.085, 0.009, 305, 0.017), createHand(0.125, 0.006, 52, 0.021)] },
    'second hand': {
      join: [
        createHand(0.13, 0.0026, 170, 0.025),
        {
          lathe: ['0.008,0 0.008,0.006', '0.008,0.006 0,0.007'],
          ...facing,
          move: [0, 0.16, 0.021],
        },
      ],
    },
  },
};

export const lamp: ProductDescription = {
  name: 'Lamp',
  finishes: {
    shade: { color: '#f3e6cf', roughness: 0.9, glow: '#4a3416' },
    legs: { roughness: 0.5, texture: { wood: ['#d9a86c', '#a26f3c'] } },
    metal: { color: '#d8b06a', metallic: 1, roughness: 0.28 },
    bulb: { color: '#fff4dc', roughness: 0.4, glow: '#ffd9a0' },
  },
  parts: {
    shade: {
      lathe: ['0.24,1.2 0.165,1.52', '0.165,1.52 0.161,1.522', '0.161,1.52 0.236,1.2 0.24,1.2'],
    },
    legs: {
      join: [0, 120, 240].map((angle) => ({
        tube: 'straight: 0,0,0.34 0,1.16,0.028',
        radius: [0.014, 0.021],
        turn: [0, angle, 0],
      })),
      repeat: [1, 0.25],
    },
    metal: {
      join: [
        { lathe: ['0,1.13 0.05,1.13 0.052,1.145 0.05,1.16 0.012,1.165'] },
        { tube: 'straight: 0,1.16,0 0,1.3,0', radius: 0.011 },
        { lathe: ['smooth 6: 0,1.52 0.014,1.524 0.014,1.545 0,1.55'] },
      ],
    },
    bulb: { lathe: ['smooth 8: 0,-0.05 0.035,-0.04 0.048,0 0.03,0.05 0,0.06'], move: [0, 1.35, 0] },
  },
};

export const stool: ProductDescription = {
  name: 'Stool',
  finishes: {
    seat: { roughness: 0.9, texture: { cloth: '#d9a441' } },
    legs: { roughness: 0.5, texture: { wood: ['#e0b885', '#b58449'] } },
    ring: { color: '#c9ccd1', metallic: 1, roughness: 0.3 },
  },
  parts: {
    seat: {
      lathe: [
        '0,0.62 0.165,0.62',
        'smooth 8: 0.165,0.62 0.178,0.632 0.18,0.655 0.165,0.676 0.1,0.685 0,0.687',
      ],
      segments: 80,
      planar: 0.36,
      repeat: [2, 2],
    },
    legs: {
      tube: 'straight: 0.155,0,0.155 0.1,0.63,0.1',
      radius: [0.013, 0.018],
      mirror: 'xz',
      repeat: [1, 0.25],
    },
    ring: { tube: 'circle: 0.168 0.22', radius: 0.0085 },
  },
};

export const table: ProductDescription = {
  name: 'Coffee Table',
  finishes: {
    top: { roughness: 0.38, texture: { wood: ['#c99a63', '#8f6034'] } },
    legs: { color: '#26272a', roughness: 0.5 },
    feet: { color: '#d8b06a', metallic: 1, roughness: 0.25 },
  },
  parts: {
    top: {
      lathe: [
        '0,0.4 0.42,0.4',
        'smooth 5: 0.42,0.4 0.446,0.41 0.45,0.424 0.44,0.432 0.425,0.434',
        '0.425,0.434 0,0.434',
      ],
      segments: 96,
      planar: 0.9,
    },
    legs: { tube: 'straight: 0.31,0,0.31 0.22,0.402,0.22', radius: [0.014, 0.023], mirror: 'xz' },
    feet: {
      tube: 'straight: 0.311,0,0.311 0.298,0.055,0.298',
      radius: [0.0155, 0.0175],
      mirror: 'xz',
    },
    shelf: {
      finish: 'top',
      lathe: ['0,0.15 0.3,0.15', '0.3,0.15 0.304,0.157 0.3,0.165', '0.3,0.165 0,0.165'],
      planar: 0.9,
    },
  },
};

const fluted = { segments: 180, ribs: { depth: 0.022, count: 18 } };

export const vase: ProductDescription = {
  name: 'Vase',
  finishes: {
    glaze: { roughness: 0.3, texture: { glaze: ['#e9e2d3', '#5f86a3'], edge: 0.42 } },
    inside: { color: '#e4dccb', roughness: 0.4 },
  },
  parts: {
    glaze: {
      lathe: [
        '0,0 0.05,0',
        'smooth 10: 0.05,0 0.075,0.03 0.098,0.1 0.09,0.17 0.052,0.232 0.034,0.27 0.036,0.298 0.052,0.318',
      ],
      ...fluted,
    },
    inside: {
      lathe: [
        '0.052,0.318 0.0505,0.3195 0.049,0.318',
        'smooth 8: 0.049,0.318 0.032,0.298 0.03,0.27 0.03,0.2',
      ],
      ...fluted,
    },
  },
};
