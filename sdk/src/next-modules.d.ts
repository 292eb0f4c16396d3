// The part of Next.js 15 and 16 that session/next-app.ts is given: the optional peer need not be installed to compile.

declare module 'next/headers.js' {
  export function headers(): Promise<{ get(name: string): string | null }>
}

declare module 'next/navigation.js' {
  export function redirect(path: string): never
}

declare module 'next/server.js' {
  export const NextResponse: { next(init: { readonly request: { readonly headers: Headers } }): Response }
}
