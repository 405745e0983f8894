// Platform ids of an asset's template.

declare module '../../plan/refs.ts' {
  interface PlatformIds {
    templateId?: string;
  }
}

export {};
