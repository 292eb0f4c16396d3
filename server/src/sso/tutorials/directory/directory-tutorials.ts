import type { DirectoryProvider } from '@portico/contract/directory-sync'
import type { DirectoryTutorial } from '../tutorial.js'
import { customScim } from './custom-scim.js'
import { entraIdDirectory } from './entra-id.js'
import { jumpcloudDirectory } from './jumpcloud.js'
import { oktaDirectory } from './okta.js'
import { oneloginDirectory } from './onelogin.js'
import { pingOneDirectory } from './ping-one.js'

/** How each provider of a directory is set up. */
export const directoryTutorials: Readonly<Record<DirectoryProvider, DirectoryTutorial>> = {
  okta: oktaDirectory,
  entra_id: entraIdDirectory,
  onelogin: oneloginDirectory,
  jumpcloud: jumpcloudDirectory,
  ping_one: pingOneDirectory,
  custom_scim: customScim,
}
