/** Plans of a workspace. */
export const tiers = ['free', 'creator', 'production', 'enterprise'] as const;
export type Tier = (typeof tiers)[number];
