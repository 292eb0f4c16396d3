import { registerFileEnd } from './file-end.js'

registerFileEnd()
