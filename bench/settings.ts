// Render settings of every contender. The picture is a small still, so that the benchmark does not mainly measure
// drawing.
export const renderSettings = {
  imageFormat: 'PNG',
  imageCustomResolution: true,
  imageCustomWidth: 320,
  imageCustomHeight: 180,
  renderShots: false,
  renderVariants: false,
} as const;
