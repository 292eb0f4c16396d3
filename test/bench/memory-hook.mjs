// Loaded into the service by row A6 (node --expose-gc --import): answers with the memory that a full collection leaves.
import process from 'node:process'

process.on('message', () => {
  globalThis.gc?.()
  globalThis.gc?.()
  process.send?.(process.memoryUsage().rss)
})
// The bench's channel must not keep a stopped service alive.
process.channel?.unref()
