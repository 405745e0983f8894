// Models of the kitchen: bottle, bowl, mug and teapot. All lengths are metres.
import type { FinishDescription, ProductDescription } from './description.ts';

const createCoat = (color: string): FinishDescription => ({ color, roughness: 0.55 });

export const bottle: ProductDescription = {
  name: 'Bottle',
  finishes: {
    body: createCoat('#2c7fb0'),
    ring: { color: '#d5d8dc', metallic: 1, roughness: 0.25 },
    cap: { color: '#23272d', roughness: 0.6 },
    'body Coral': createCoat('#e8735a'),
    'body Moss': createCoat('#6d7f4a'),
  },
  parts: {
    body: {
      lathe: [
        '0,0 0.028,0',
        [
          'smooth 6: 0.028,0 0.0345,0.002 0.036,0.008 0.036,0.05',
          'smooth 6: 0.036,0.16 0.0355,0.178 0.03,0.196 0.0225,0.206 0.0215,0.214',
        ],
      ],
    },
    ring: { lathe: ['0.0215,0.212 0.0235,0.213 0.0238,0.219 0.02,0.22'] },
    cap: {
      join: [
        {
          lathe: [
            '0.024,0.219 0.024,0.238',
            'smooth 5: 0.024,0.238 0.0225,0.242 0.016,0.2435 0,0.244',
          ],
          segments: 224,
          ribs: { depth: 0.018, count: 28 },
        },
        {
          tube: 'smooth 8: -0.015,0.242,0 -0.017,0.258,0 0,0.268,0 0.017,0.258,0 0.015,0.242,0',
          radius: 0.0042,
        },
      ],
    },
  },
  variants: {
    Ocean: { body: 'body' },
    Coral: { body: 'body Coral' },
    Moss: { body: 'body Moss' },
  },
};

export const bowl: ProductDescription = {
  name: 'Bowl',
  finishes: {
    outside: { roughness: 0.5, texture: { glaze: ['#3f7f78', '#d8c3a5'], edge: 0.5 } },
    inside: {
      roughness: 0.22,
      texture: { bands: '0.07 #2d5f5a, 0.04 #f1eadb, 0.04 #2d5f5a, 0.85 #f1eadb' },
    },
  },
  parts: {
    outside: {
      lathe: [
        '0,0.002 0.04,0.002 0.04,0',
        '0.04,0 0.046,0 0.045,0.012',
        'smooth 12: 0.045,0.012 0.085,0.03 0.118,0.062 0.13,0.096',
      ],
    },
    inside: {
      lathe: [
        'rim: 0.128 0.096 0.002',
        'smooth 12: 0.126,0.096 0.113,0.063 0.08,0.033 0.04,0.018 0,0.016',
      ],
    },
  },
};

const createStriped = (stripe: string, ground: string): FinishDescription => ({
  roughness: 0.32,
  texture: {
    bands: `0.42 ${ground}, 0.05 ${stripe}, 0.05 ${ground}, 0.14 ${stripe}, 0.34 ${ground}`,
  },
});

export const mug: ProductDescription = {
  name: 'Mug',
  finishes: {
    body: createStriped('#2f5d8a', '#f4efe6'),
    inside: { color: '#f7f2ea', roughness: 0.25 },
    handle: { color: '#f4efe6', roughness: 0.32 },
    'body Sunrise': createStriped('#e2733c', '#fbe6cf'),
    'body Midnight': createStriped('#d9b45b', '#26303f'),
  },
  parts: {
    body: {
      lathe: [
        '0,0.001 0.03,0.001',
        'smooth 8: 0.03,0.001 0.038,0.004 0.0415,0.014 0.042,0.05 0.042,0.092',
      ],
    },
    inside: {
      lathe: [
        'rim: 0.04 0.092 0.002',
        'smooth 8: 0.038,0.092 0.038,0.03 0.034,0.01 0.022,0.007 0,0.007',
      ],
    },
    handle: {
      tube: 'smooth 8: 0.039,0.076,0 0.056,0.08,0 0.071,0.064,0 0.07,0.042,0 0.056,0.026,0 0.039,0.026,0',
      radius: 0.0075,
      flatten: 0.62,
    },
  },
  variants: {
    Classic: { body: 'body' },
    Sunrise: { body: 'body Sunrise' },
    Midnight: { body: 'body Midnight' },
  },
};

export const teapot: ProductDescription = {
  name: 'Teapot',
  finishes: {
    body: { roughness: 0.24, texture: { glaze: ['#8b2f2a', '#c9553f'], edge: 0.62 } },
    spout: { color: '#8f332c', roughness: 0.24 },
    lid: { color: '#7d2a26', roughness: 0.24 },
    handle: { color: '#c79a5b', roughness: 0.55 },
  },
  parts: {
    body: {
      lathe: [
        '0,0 0.05,0 0.05,0.004',
        'smooth 10: 0.05,0.004 0.078,0.022 0.09,0.056 0.082,0.092 0.056,0.116 0.042,0.12',
      ],
    },
    spout: {
      tube: 'smooth 8: -0.07,0.045,0 -0.105,0.056,0 -0.124,0.086,0 -0.146,0.116,0',
      radius: [0.021, 0.01],
    },
    lid: {
      join: [
        {
          lathe: [
            '0.046,0.12 0.046,0.124',
            'smooth 6: 0.046,0.124 0.036,0.132 0.018,0.137 0,0.138',
          ],
        },
        {
          lathe: ['smooth 5: 0.006,0 0.006,0.006 0.012,0.012 0.012,0.018 0.006,0.023 0,0.024'],
          move: [0, 0.136, 0],
        },
      ],
    },
    handle: {
      tube: 'smooth 8: 0.068,0.104,0 0.105,0.116,0 0.134,0.092,0 0.128,0.054,0 0.082,0.034,0',
      radius: 0.0085,
    },
  },
};
