// Render settings of every contender: a small still, so that drawing is not what is measured.
export const renderSettings = {
  imageFormat: 'PNG',
  imageCustomResolution: true,
  imageCustomWidth: 320,
  imageCustomHeight: 180,
  renderShots: false,
  renderVariants: false,
} as const;
