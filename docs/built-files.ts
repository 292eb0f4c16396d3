import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { openApiDocument } from '@portico/contract/openapi'
import { emulatorDocument } from '@portico/contract/openapi-emulator'
import { errorsPage, eventsPage } from './markdown.js'
import { operationsOf } from './operations.js'
import { promotionGuide } from './promotion-guide.js'
import { ssoTroubleshootingPage } from './sso-troubleshooting.js'

/** The address that examples are written with. */
const serverUrl = 'https://auth.example'

/** Where `portico emulate` listens unless it is told another port. */
const emulatorUrl = 'http://127.0.0.1:3000'

export interface BuiltFile {
  /** From the folder docs. */
  name: string
  content: string
}

/** Every file of docs that is written from the contract, as it should be. */
export function builtFiles(): BuiltFile[] {
  const version = versionOfContract()
  const document = openApiDocument({ target: '3.1', serverUrl, version })
  const older = openApiDocument({ target: '3.0', serverUrl, version })
  const operations = operationsOf(document)
  return [
    { name: 'openapi.json', content: asJson(document) },
    { name: 'openapi-3.0.json', content: asJson(older) },
    {
      name: 'openapi-emulator.json',
      content: asJson(emulatorDocument({ serverUrl: emulatorUrl, version })),
    },
    { name: 'errors.md', content: errorsPage(operations) },
    { name: 'events.md', content: eventsPage(operations) },
    { name: 'guides/sso-troubleshooting.md', content: ssoTroubleshootingPage() },
    { name: 'guides/promotion.md', content: promotionGuide() },
  ]
}

export function pathOf({ name }: BuiltFile): string {
  return fileURLToPath(new URL(name, import.meta.url))
}

/** Whether a built file is missing, or is not what the contract says now. */
export function isStale(file: BuiltFile): boolean {
  return !existsSync(pathOf(file)) || readFileSync(pathOf(file), 'utf8') !== file.content
}

function asJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

function versionOfContract(): string {
  const manifest: unknown = JSON.parse(
    readFileSync(new URL('../contract/package.json', import.meta.url), 'utf8'),
  )
  if (typeof manifest === 'object' && manifest !== null && 'version' in manifest)
    return String(manifest.version)
  throw new Error('contract/package.json has no version')
}
