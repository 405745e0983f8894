// The template that was chosen for an asset.

declare module '../../plan/refs.ts' {
  interface Refs {
    templateId?: string;
  }
}

export {};
