// Creates the material library of `demo --colorways`: one material for each name in its table.

import type { App } from '../app.ts';
import { withPlatform } from '../platform-client.ts';

const materials = [
  { name: 'Oak', pantoneCode: '7509 C', hex: '#c9a26b' },
  { name: 'Walnut', pantoneCode: '7589 C', hex: '#5c4033' },
  { name: 'Linen', pantoneCode: '7527 C', hex: '#ddd5c4' },
  { name: 'Navy', pantoneCode: '2767 C', hex: '#13294b' },
  { name: 'Moss', pantoneCode: '5757 C', hex: '#6b7340' },
] as const;

export async function createMaterials(app: App): Promise<void> {
  await withPlatform(app, async (client) => {
    for (const body of materials) await client.createPantoneMaterial({ body });
  });
}
