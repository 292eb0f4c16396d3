import { emulator } from '@portico/contract/emulator'
import { remarksOf, type ApiDocument, type OpenApiDocument } from '@portico/contract/openapi'
import { routes } from '@portico/contract/walk'
import { operationsOf, type PlacedOperation } from '../operations.js'
import { readAddresses, type Addresses } from './addresses.js'
import { emulatorAddress } from './emulator-page.js'
import { readEmulatorOpenApi, readOpenApi } from './read-openapi.js'

/** An interface as its pages describe it. */
export interface Reference<Document extends ApiDocument = ApiDocument> {
  readonly document: Document
  readonly operations: readonly PlacedOperation[]
  readonly addresses: Addresses
  /** What holds for an operation beside what its parts say. */
  readonly remarksByName: ReadonlyMap<string, string>
  /** What a program that uses the SDK calls the object that has the operations. */
  readonly caller: string
}

/** The API of the service. */
export function serviceReference(): Reference<OpenApiDocument> {
  const document = readOpenApi()
  const operations = operationsOf(document)
  return {
    document,
    operations,
    addresses: readAddresses(document, operations, '/errors.html'),
    remarksByName: new Map(routes().map((route) => [route.name, remarksOf(route)])),
    caller: 'client',
  }
}

/** The control of an emulator, some of whose operations and codes have names that the service uses, too. */
export function controlReference(): Reference {
  const document = readEmulatorOpenApi()
  const operations = operationsOf(document)
  return {
    document,
    operations,
    addresses: readAddresses(document, operations, emulatorAddress),
    remarksByName: new Map(routes(emulator).map((route) => [route.name, remarksOf(route)])),
    caller: 'portico.control',
  }
}
