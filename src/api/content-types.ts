const contentTypes: Readonly<Record<string, string>> = {
  glb: 'model/gltf-binary',
  gltf: 'model/gltf+json',
  usdz: 'model/vnd.usdz+zip',
  obj: 'model/obj',
  stl: 'model/stl',
  step: 'model/step',
  stp: 'model/step',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
  svg: 'image/svg+xml',
  tif: 'image/tiff',
  tiff: 'image/tiff',
  exr: 'image/x-exr',
  zip: 'application/zip',
  pdf: 'application/pdf',
  mp4: 'video/mp4',
  mov: 'video/quicktime',
};

/** Returns the content type of a file type, or `application/octet-stream` if the type is not in the table. */
export function contentTypeOf(fileType: string): string {
  const contentType = Object.hasOwn(contentTypes, fileType) ? contentTypes[fileType] : undefined;
  return contentType ?? 'application/octet-stream';
}
