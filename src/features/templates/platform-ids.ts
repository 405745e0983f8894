// Platform ids of an asset's template.

declare module '../../plan/platform-ids.ts' {
  interface PlatformIds {
    templateId?: string;
  }
}

export {};
