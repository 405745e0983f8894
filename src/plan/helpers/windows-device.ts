/** Names that Windows reserves for devices, even before an extension and before spaces or dots. */
export const windowsDevice =
  /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)[ .]*(?:\.|$)/i;
