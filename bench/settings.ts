// The still that every asset gets, the same on both sides: small, so that pictures are not what is measured.
export const renderSettings = {
  imageFormat: 'PNG',
  imageCustomResolution: true,
  imageCustomWidth: 320,
  imageCustomHeight: 180,
  renderShots: false,
  renderVariants: false,
} as const;
