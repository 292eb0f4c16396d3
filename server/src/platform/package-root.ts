/**
 * The folder of this package, which has package.json. It is two folders up from here, from the compiled file and from the
 * bundle of the command line alike.
 */
export const packageRoot = new URL('../../', import.meta.url)
