/** Eleventy 3 has no types of its own; these are of what is used here. */
declare module '@11ty/eleventy' {
  export interface UserConfig {
    readonly ignores: Set<string>
    setInputDirectory: (path: string) => void
    setTemplateFormats: (formats: readonly string[]) => void
    setLibrary: (format: string, library: { render: (text: string, data: never) => string }) => void
    addGlobalData: (name: string, value: unknown) => void
    addTemplate: (path: string, render: (data: never) => string | undefined, data?: object) => void
    addTransform: (name: string, transform: (content: string) => string) => void
    addPassthroughCopy: (paths: Record<string, string>) => void
    addWatchTarget: (glob: string, options?: { resetConfig?: boolean }) => void
    on: (event: 'eleventy.after', listen: (built: Built) => void | Promise<void>) => void
  }

  interface Built {
    readonly directories: { readonly output: string }
    readonly results: readonly { readonly url: string; readonly content: string }[]
  }

  interface Options {
    readonly quietMode?: boolean
    readonly runMode?: 'build' | 'serve'
    readonly configPath?: string
  }

  interface Run {
    init: () => Promise<void>
    write: () => Promise<unknown>
    watch: () => Promise<void>
    serve: (port: number) => Promise<void>
    stopWatch: () => Promise<void>
  }

  export const Eleventy: new (input: string, output: string, options: Options) => Run
}
