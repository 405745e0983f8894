import { defineFailures } from '../../failures/define.ts';
import { exitCode } from '../../failures/exit-code.ts';

export const deliveryFailures = defineFailures('asset', {
  NO_OUTPUT: {
    title: 'The render completed without any output.',
    fix: 'Check `settings` of `render`: they may select nothing to render.',
  },
  OUTPUT_OF_ANOTHER: {
    title: 'The render job of the asset belongs to another project.',
    fix: "Ask the platform's support which render job is correct, then run again.",
  },
  OUTPUT_FORMAT: {
    title: 'The picture does not have the requested format.',
    fix: 'Run again; if the error persists, report the error to the platform.',
  },
  OUTPUT_TOO_LARGE: {
    title:
      'The picture has more pixels or more metadata than expected for the request, or takes too long to decode.',
    fix: 'If the picture is correct, raise `maxPixels` in `verify` of the export, then run again.',
  },
  OUTPUT_TOO_SMALL: {
    title: 'The picture is smaller than `verify` allows.',
    fix: 'Raise `imageQuality`, or lower `minWidth` and `minHeight`.',
  },
  OUTPUT_REFUSED: {
    title: 'Storage refused the download in all six attempts.',
    fix: 'Run again; if the error persists, check the render on the platform.',
  },
  OUTPUT_UNREACHABLE: {
    title: 'The download failed in all six attempts: the connection broke, or storage had errors.',
    fix: 'Run again: nothing is paid for twice. If the error persists, check that the worker can reach the host in the message.',
  },
  OUTPUT_TWICE: {
    title: 'The platform lists one output of a render twice, so another output may be missing.',
    fix: 'Run again; if the error persists, report the error to the platform.',
  },
  TOO_MANY_OUTPUTS: {
    title: 'The platform lists more outputs for a render than one render can have.',
    fix: 'Check the render on the platform. If the outputs are correct, render fewer variants, bookmarks or shots at once.',
  },
  OUTPUT_UNNAMED: {
    title: 'The file name is empty after unsafe characters were removed.',
    fix: 'Add `{{ key }}` to `naming` of the export, then run again.',
  },
  OUTPUT_GONE: {
    title:
      'The delivered picture is missing at the destination, and the platform no longer has the picture: it must be rendered again.',
    fix: 'Rendering again is paid for: run `renderline rerun RUN --failed`. With `run --rerender-lost`, or `limits: { renders }` in the file, a run does this automatically.',
  },
  OUTPUT_BLANK: {
    title: 'The picture has a single colour.',
    fix: 'Check the model and the template; `verify: { notBlank: false }` disables the check.',
  },
  NO_MODEL_FILE: {
    title: 'The platform has no file of the model in this format.',
    fix: 'Remove the format from `formats` of the export, or upload a file that the platform can convert to this format; then run again.',
  },
  MODEL_FILE_OTHER: {
    title: 'The source that the platform returns for the model is not the file that was uploaded.',
    fix: 'Run again; if the error persists, report the error to the platform.',
  },
  IMAGE_LARGER: {
    title: 'An image would be larger than its original picture.',
    fix: 'Lower the width and height of the image in `images` of the export, or render larger (`imageQuality: 2`, or a custom size). Then run again.',
  },
  IMAGE_BITS: {
    title: 'An image needs 16 bits per channel, but its original has 8.',
    fix: 'Render with `imageFormat: TIFF`, or remove `bits` from the image, then run again.',
  },
  IMAGE_BYTES: {
    title: 'An image exceeds `maxBytes` even at the lowest quality.',
    fix: 'Raise `maxBytes`, or lower the width and height of the image. Then run again.',
  },
  IMAGE_BACKGROUND: {
    title: 'The background of an image does not have the colour that its channel requires.',
    fix: 'Render as PNG or TIFF with a template whose background is transparent: the background is then filled with the colour. A background that is part of the picture is not recoloured. `renderline report RUN` marks the pixels.',
  },
  IMAGE_FILL: {
    title: 'The object of an image fills less of the frame than its channel requires.',
    fix: 'Set `fill` of the image above the required share, which works if the background is transparent or of one colour. Otherwise, use a template whose camera is closer. `renderline report RUN` marks the object.',
  },
  IMAGE_SIZE: {
    title: 'The size of an image is outside the limits of its channel.',
    fix: 'If the image is too small, render larger (`imageQuality: 2`, or a custom size). If the image is too large or not square, set `maxSide` and `square` of the image. Then run again.',
  },
  IMAGE_PROFILE: {
    title: 'An image has an alpha channel or a colour profile that its channel does not allow.',
    fix: 'Set `background` of the image to a colour, then run again.',
  },
  METADATA_TOO_LARGE: {
    title: 'The metadata of a picture is larger than a JPEG can hold.',
    fix: 'Shorten the texts in `metadata` of the export, or in the table that they come from. Then run again.',
  },
  METADATA_FAILED: {
    title: 'Metadata could not be written into a picture.',
    fix: 'Deliver the picture in another format with `images`, or remove `metadata` from the export, then run again.',
  },
  IMAGE_FAILED: {
    title: 'An image could not be created from the picture.',
    fix: 'Run again: nothing is paid for twice. If the error persists, use a smaller image or another format.',
  },
  OUTPUT_UNREADABLE: {
    title: 'The picture, document or model is damaged or incomplete.',
    fix: 'Run again; if the error persists, report the error to the platform.',
  },
});

/** Failures that stop the whole run. */
export const deliveryCauses = defineFailures('run', {
  PICTURES_CHANGED: {
    title:
      'New pictures differ from the pictures that they replace by more than `accept` of the export allows; the old pictures are still in place.',
    fix: 'Review the changes with `renderline report RUN`, then run `renderline approve RUN` or `renderline cancel RUN`.',
    stops: 'later',
    exit: exitCode.awaitsApproval,
  },
});
