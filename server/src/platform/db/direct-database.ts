import type { Config } from '../config/config.js'
import { startEmbedded } from './embedded.js'

interface DirectDatabase {
  /** Not through a pooler: for work that needs a session of its own. */
  readonly url: string
  close(): Promise<void>
}

/** The address of the configured database; the embedded one is started for the duration, unless it runs already. */
export async function openDirectDatabase(config: Config): Promise<DirectDatabase> {
  if (config.database.directUrl !== undefined)
    return { url: config.database.directUrl, close: () => Promise.resolve() }
  const embedded = await startEmbedded({ dataDir: config.dataDir })
  return { url: embedded.url, close: () => embedded.stop() }
}
